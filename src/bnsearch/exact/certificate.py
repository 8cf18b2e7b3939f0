"""
Certificates of upper bounds: JSON files that `checker.py` verifies without the solver.

A certificate is one JSON object with these keys:

    format, version : "bnsearch certificate", 2
    variables : the names of the variables; numbers below are places in this list
    table : digest of the candidate table: its names, parent sets and scores
    bound : the upper bound of the score of all networks over the table
    parts : parts of the variables, each with an upper bound of the sum of their local scores in any network. Variables
        in no part contribute their best local score. A part has the keys
        variables : its variables
        bound : its upper bound
        cuts : list of [members, order, weights], as in `cuts.Cut`. A cluster inequality has an order of at least 1 and
            no weights. A local cut has the order 0, and integers as weights; its limit is computed by the checker
        nodes : list of [parent, decision, steps], as in `proof.ProofNode`; the first node is the root, with the parent
            -1 and the decision null. A step is a list of [cut, multiplier]
    checksum : digest of all other keys

A bound of the dual ascent is one part with one node and one step. The certificate contains no networks, so it proves an
upper bound; it proves optimality together with a network whose score is the bound.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.files import atomic_open
from bnsearch.budgets.budget import Budget
from bnsearch.errors import BnsearchError
from bnsearch.exact.branch_and_cut import BranchAndCut
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.components import split_into_components
from bnsearch.exact.cuts import Cut
from bnsearch.exact.incumbents import find_choice
from bnsearch.exact.linear_program import has_solver
from bnsearch.exact.priced_table import join_tables
from bnsearch.exact.proof import Proof
from bnsearch.parent_sets.table import ParentSets

FORMAT, VERSION = "bnsearch certificate", 2
MAX_SECONDS = 300.0  # time for proofs by branch and cut of what was proven in another way
INSTALL = "install the faster solver highspy (pip install 'bnsearch[exact]', or '.[exact]' in a copy), "
WEIGHT_SCALE = 2.0**40  # weights of local cuts are rounded to multiples of 1 / WEIGHT_SCALE


@dataclass(frozen=True, eq=False)
class Certificate:
    """
    The certificate of an upper bound over a candidate table.

    Attributes
    ----------
    table : ParentSets
        The candidate table.
    content : dict
        The JSON object.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> result = bnsearch.learn(data, method="exact", seconds=10, seed=1)
    >>> round(result.certificate.bound, 3) == round(result.score, 3)
    True
    """

    table: ParentSets
    content: dict[str, Any]

    @property
    def bound(self) -> float:
        """The upper bound."""
        return float(self.content["bound"])

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate as JSON; gzipped if the name ends in .gz."""
        with atomic_open(path) as file:
            file.write(json.dumps(self.content, allow_nan=False).encode() + b"\n")

    def write_table(self, path: str | os.PathLike[str]) -> None:
        """Write the candidate table as a score file, with which `bnsearch verify` checks the certificate."""
        from bnsearch.parent_sets.jkl_writer import write_scores

        write_scores(self.table, path)


def make_certificate(table: ParentSets, proof: ClusterBound | Sequence[Proof]) -> Certificate:
    """Return the certificate of a cluster bound, or of proofs of components, over a candidate table."""
    if isinstance(proof, ClusterBound):
        parts, bound = [_describe_bound(proof, table.n_variables)], proof.value
    else:
        parts = [_describe_proof(part) for part in proof]
        proven = np.concatenate([np.empty(0, dtype=np.int64), *(part.component.variables for part in proof)])
        others = np.delete(table.scores[table.begin[:-1]], proven)
        bound = math.fsum((*others, *(part.bound for part in proof)))
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "variables": list(table.names),
        "table": compute_table_digest(table),
        "bound": bound,
        "parts": parts,
    }
    return Certificate(table, {**content, "checksum": _compute_digest(content)})


def certify_ascent(tables: list[ParentSets], bound: ClusterBound) -> Certificate:
    """Return the certificate of a bound over the parent sets of some tables."""
    return make_certificate(join_tables(tables), bound)


def certify_optimum(
    table: ParentSets, rows: NDArray[np.int64], proofs: Sequence[Proof], max_seconds: float = MAX_SECONDS
) -> Certificate:
    """
    Return the certificate of an optimal network; components without a proof are proven by branch and cut.

    Raise an error if branch and cut has not proven all of them after `max_seconds`.
    """
    known = {int(proof.component.variables[0]): proof for proof in proofs if proof.is_complete}
    budget = Budget(max_seconds)
    parts = []
    for component in split_into_components(table):
        if component.size == 1:
            continue
        proof = known.get(int(component.variables[0]))
        if proof is None:
            proof = BranchAndCut(component, find_choice(component, rows), halted=budget.is_spent).solve()
        if not proof.is_complete:
            raise BnsearchError(
                f"there is no certificate: the optimum of {component.size:,} variables is proven, but by a search that "
                f"leaves no short proof, and branch and cut did not repeat the proof within {max_seconds:,.0f} s; "
                f"{'' if has_solver() else INSTALL}limit the number of parents or of candidate parent sets, or do "
                "without a certificate"
            )
        parts.append(proof)
    return make_certificate(table, parts)


def write_certificate(path: str | os.PathLike[str], table: ParentSets, proof: ClusterBound | Sequence[Proof]) -> None:
    """Write the certificate of a cluster bound, or of proofs of components, over a candidate table."""
    make_certificate(table, proof).write(path)


def compute_table_digest(table: ParentSets) -> str:
    """Return the digest of the names, parent sets and scores of a candidate table."""
    digest = hashlib.sha256(json.dumps(list(table.names)).encode())
    for array, kind in ((table.begin, "<i8"), (table.scores, "<f8"), (table.first, "<i8"), (table.members, "<i4")):
        digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return digest.hexdigest()


def _describe_bound(bound: ClusterBound, n: int) -> dict[str, Any]:
    """Return a cluster bound as a part with one node."""
    cuts = [[members, order, []] for members, order in zip(bound.list_members(), bound.orders.tolist(), strict=True)]
    cuts += [_describe_cut(cut, cut.members.tolist()) for cut in bound.local_cuts]
    multipliers = np.concatenate((bound.multipliers, bound.local_multipliers / WEIGHT_SCALE))
    step = [[cut, multiplier] for cut, multiplier in enumerate(multipliers.tolist())]
    return {"variables": list(range(n)), "bound": bound.value, "cuts": cuts, "nodes": [[-1, None, [step]]]}


def _describe_proof(proof: Proof) -> dict[str, Any]:
    """Return the proof of a component as a part; only the cuts that are used become part of it."""
    variables = proof.component.variables
    used: dict[int, int] = {}
    nodes: list[Any] = []
    for node in proof.nodes:
        steps = [
            [
                [used.setdefault(cut, len(used)), multiplier if proof.pool[cut].order else multiplier / WEIGHT_SCALE]
                for cut, multiplier in zip(step.cuts.tolist(), step.multipliers.tolist(), strict=True)
            ]
            for step in node.steps
        ]
        decision = None if node.decision is None else [int(variables[v]) for v in node.decision]
        nodes.append([node.parent, decision, steps])
    cuts = [_describe_cut(proof.pool[cut], variables[proof.pool[cut].members].tolist()) for cut in used]
    return {"variables": variables.tolist(), "bound": proof.bound, "cuts": cuts, "nodes": nodes}


def _describe_cut(cut: Cut, members: list[int]) -> list[Any]:
    """Return a cut with the given numbers of its members."""
    weights = np.round(cut.weights * WEIGHT_SCALE).astype(np.int64).tolist()
    return [members, cut.order, weights if cut.order == 0 else []]


def _compute_digest(content: object) -> str:
    """Return the SHA-256 digest of the JSON text of an object."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
