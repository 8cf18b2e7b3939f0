# The Snakefile of Benchpress sets module_name to the name of this folder.
# container None runs the script in the environment of Snakemake, which needs bnsearch (README.md).
rule:
    name:
        module_name
    input:
        data=alg_input_data(),
    output:
        adjmat=alg_output_adjmat_path(module_name),
        time=alg_output_time_path(module_name),
        ntests=alg_output_ntests_path(module_name),
    container:
        None
    script:
        "script.py"
