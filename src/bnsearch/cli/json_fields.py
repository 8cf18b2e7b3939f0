"""The fields of JSON output, for `bnsearch guide`; tests compare them with the output."""

from __future__ import annotations

SCHEMA_VERSION = 1
"""Version of all JSON output; it increases when a field is removed, or changes its name or its meaning."""

RESULT = {
    "score": "score of the network; higher is better",
    "edges": "pairs [parent, child] of names",
    "method": "name of the method",
    "parameters": "parameters of the method",
    "seed": "seed of the random numbers",
    "seconds": "time of the run",
    "iterations": "steps of the main loop of the method",
    "evaluations": "local scores that were requested",
    "families": "distinct families among them; null if they were not counted",
    "bound": "upper bound of the score of the networks in scope; null if none is known",
    "gap": "(bound - score) / |bound|, for the networks in scope only; 0 if optimal; null without a bound",
    "relative_score": "gain over the network without edges, relative to its score",
    "scope": "the networks that the bound covers, such as all networks with at most 2 parents; others may score higher",
    "optimal": "true if it is proven that no network in scope has a higher score; false if scope leaves out networks",
    "stop": "why the run ended: seconds, iterations, target, complete, converged, interrupted, terminated, ...",
    "near_optimal": "the networks within the factor of --within; null without it",
    "notes": "decisions of the method, in words",
    "version": "version of bnsearch",
}
"""The fields of the results of `learn` and `search`, with their meanings."""

FIELDS = {
    "learn": "the fields of a result, above",
    "search": "the fields of a result, above",
    "parents": "variables sets scored pruned max_parents exhaustive bound seconds stop notes per_variable",
    "verify": "bound",
    "score": "scores",
    "compare": (
        "shd added deleted reversed added_edges deleted_edges reversed_edges shd_cpdag coverage "
        "skeleton_true skeleton_learned skeleton_shared skeleton_precision skeleton_recall skeleton_f1 "
        "edges_true edges_learned edges_shared edges_precision edges_recall edges_f1 "
        "v_structures_true v_structures_learned v_structures_shared v_structures_precision v_structures_recall "
        "v_structures_f1"
    ),
    "query": (
        "evidence log_evidence notes, and marginals (with errors if estimated), or joint, or states probability "
        "log_probability"
    ),
    "predict": "target states predicted probabilities",
    "experiment": "cells failed reused report",
    "methods": "methods",
    "scores": "scores",
    "compile": "compiled seconds cache",
    "doctor": "versions machine kernels extras",
}
"""The fields of each command with --json, separated by blanks; all also have schema_version."""

EVENTS = {
    "started": "version arguments process",
    "incumbent": "score iterations evaluations",
    "bound": "bound gap scope",
    "cells": "cells done failed seconds_left",
    "note": "text",
    "finished": "score bound gap scope optimal stop seed, or cells done failed stop",
    "failed": "error",
}
"""The fields of each event of --log-json, separated by blanks; all also have schema_version, event and seconds."""
