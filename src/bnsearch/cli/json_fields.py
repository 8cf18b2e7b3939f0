"""The fields of JSON output, for `bnsearch guide`; tests compare them with the output."""

from __future__ import annotations

SCHEMA_VERSION = 1
"""Version of all JSON output; it increases when a field is removed, or changes its name or its meaning."""

RESULT = (
    "score edges method parameters seed seconds iterations evaluations families bound gap relative_score scope optimal "
    "stop near_optimal notes version"
)

FIELDS = {
    "learn": RESULT,
    "search": RESULT,
    "parents": "variables sets scored pruned max_parents exhaustive bound seconds stop notes per_variable",
    "verify": "bound",
    "score": "scores",
    "compare": "shd hamming shd_cpdag hamming_cpdag skeleton edges v_structures",
    "query": "evidence log_evidence notes; marginals errors, or joint, or states probability log_probability",
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
