# %% [markdown]
# A lesson for a notebook: what data can, and cannot, say about a structure. Editors and Jupytext run this file cell by
# cell.
"""A lesson on equivalence classes and sample size, in cells for a notebook."""

# %% The chest clinic of Lauritzen & Spiegelhalter (1988), a network of eight variables.
import bnsearch

asia = bnsearch.load_network("asia")
asia  # a notebook shows the drawing

# %% Some edges can be reversed without any effect on the likelihood. The CPDAG shows them without direction.
pattern = bnsearch.cpdag(asia.dag)
print("directed:", pattern.directed_edges)
print("undirected:", pattern.undirected_edges)

# %% With eight variables, the best network can be proven. More rows find more of the true edges.
for rows in (100, 1_000, 10_000):
    result = bnsearch.learn(asia.sample(rows, 1), seconds=5, seed=1)
    found = bnsearch.compare(asia, result)
    print(f"{rows:6} rows: {found.skeleton.shared} of {found.skeleton.true} edges, optimal: {result.optimal}")

# %% Scores differ in how much they charge for a parameter.
data = asia.sample(1_000, 1)
for score in ("aic", "bic", "bdeu", "qnml"):
    result = bnsearch.learn(data, score=score, seconds=5, seed=1)
    print(f"{score:5} {len(result.dag.edges)} edges")

# %% The learned network can be drawn: in a notebook, `result` alone shows it.
result.write("asia.svg")
