"""A check of the proofs of branch and cut that shares no code with the solver."""

from __future__ import annotations

import itertools
import math

from bnsearch.exact.components import Component
from bnsearch.exact.cuts import Cut
from bnsearch.exact.proof import Proof, Step

Sets = list[dict[int, frozenset[int]]]  # for each variable: the parent sets that are left, by number
Order = set[tuple[int, int]]


def check_proof(proof: Proof) -> None:
    """Raise an AssertionError unless the tree shows that no network scores above the bound of the proof."""
    assert proof.nodes[0].parent == -1
    component = proof.component
    members = [frozenset(own.tolist()) for own in split(component)]
    sets: Sets = [{} for _ in range(component.size)]
    for number, child in enumerate(component.child.tolist()):
        sets[child][number] = members[number]
    best = [max(component.scores[s] for s in own) for own in sets]
    worst = check_node(proof, 0, sets, set(), math.fsum(best))
    margin = 1e-9 * max(1.0, abs(proof.score))
    assert worst <= proof.bound + 2 * margin


def split(component: Component) -> list:
    """Return the members of each parent set."""
    return [component.members[a:b] for a, b in itertools.pairwise(component.first.tolist())]


def check_node(proof: Proof, number: int, sets: Sets, order: Order, bound: float) -> float:
    """Return the upper bound that the tree below a node gives; sets, order : those of its parent."""
    node = proof.nodes[number]
    sets = [dict(own) for own in sets]
    order = set(order)
    if node.decision is not None:
        order.add(node.decision)
    margin = 1e-9 * max(1.0, abs(proof.score))
    if not draw_consequences(sets, order):
        return proof.score
    for step in node.steps:
        own_bound, losses = bound_by(proof, step, sets)
        bound = min(bound, own_bound)
        if bound <= proof.score + margin:
            return proof.score
        for own, loss in zip(sets, losses, strict=True):
            for s in list(own):
                if own_bound - loss[s] <= proof.score + margin:
                    del own[s]
        if not draw_consequences(sets, order):
            return proof.score
    children = [i for i, other in enumerate(proof.nodes) if other.parent == number]
    if not children:
        return bound
    decisions = [proof.nodes[child].decision for child in children]
    assert len(decisions) == 2
    assert decisions[0] is not None
    assert decisions[1] == decisions[0][::-1]
    return max(check_node(proof, child, sets, order, bound) for child in children)


def bound_by(proof: Proof, step: Step, sets: Sets) -> tuple[float, list[dict[int, float]]]:
    """Return the bound of a step's multipliers, and how much of it each parent set loses."""
    reduced = [{s: float(proof.component.scores[s]) for s in own} for own in sets]
    total = 0.0
    for number, multiplier in zip(step.cuts.tolist(), step.multipliers.tolist(), strict=True):
        assert multiplier >= 0
        cut = proof.pool[number]
        total += multiplier * limit_of(cut)
        for v in cut.members.tolist():
            for s, parents in sets[v].items():
                reduced[v][s] -= multiplier * coefficient(cut, v, parents)
    best = [max(own.values()) for own in reduced]
    losses = [{s: top - value for s, value in own.items()} for own, top in zip(reduced, best, strict=True)]
    return total + math.fsum(best), losses


def coefficient(cut: Cut, variable: int, parents: frozenset[int]) -> float:
    """Return the coefficient of a parent set."""
    members = cut.members.tolist()
    if cut.order:
        return float(len(parents & set(members)) >= cut.order)
    mask = sum(1 << i for i, u in enumerate(members) if u in parents)
    return float(cut.weights[members.index(variable), mask])


def limit_of(cut: Cut) -> float:
    """Return the largest sum of coefficients over all networks without cycles of the members."""
    members = cut.members.tolist()
    if cut.order:
        assert len(members) >= cut.order
        return float(len(members) - cut.order)
    totals = {0: 0.0}
    for mask in range(1, 1 << len(members)):
        options = []
        for i in range(len(members)):
            if mask >> i & 1:
                rest = mask ^ (1 << i)
                options.append(totals[rest] + max(cut.weights[i, s] for s in range(rest + 1) if s & rest == s))
        totals[mask] = max(options)
    return float(totals[(1 << len(members)) - 1])


def draw_consequences(sets: Sets, order: Order) -> bool:
    """Drop the sets with a parent after its child, add implied precedences; return False after a contradiction."""
    while True:
        close(order)
        if any((v, u) in order for u, v in order):
            return False
        for v, own in enumerate(sets):
            for s in [s for s, parents in own.items() if any((v, u) in order for u in parents)]:
                del own[s]
        if not all(sets):
            return False
        implied = {(u, v) for v, own in enumerate(sets) for u in frozenset.intersection(*own.values())}
        if implied <= order:
            return True
        order |= implied


def close(order: Order) -> None:
    """Add all pairs that follow by transitivity."""
    while True:
        new = {(a, d) for a, b in order for c, d in order if b == c} - order
        if not new:
            return
        order |= new
