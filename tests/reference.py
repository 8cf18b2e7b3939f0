"""
Slow definitions of counts and scores: dictionaries and loops, one formula of the literature each.

The fast code is compared with this file, so nothing here is shared with it and nothing is optimised. All
scores are natural logarithms and higher is better. In a family, r is the number of declared states of the
child, q the product of the declared arities of its parents (1 for none), n_j the rows with parent
configuration j, and n_jk those among them with the child in state k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import comb, factorial, lgamma, log, prod

State = tuple[int, ...]


def joint_counts(rows: Iterable[Sequence[int]], variables: Sequence[int]) -> dict[State, int]:
    """Return how many rows show each observed combination of states of the variables, in the order asked."""
    counts: dict[State, int] = {}
    for row in rows:
        cell = tuple(int(row[v]) for v in variables)
        counts[cell] = counts.get(cell, 0) + 1
    return counts


@dataclass(frozen=True)
class Family:
    """The counts of a child under each observed configuration of its parents."""

    table: dict[State, dict[int, int]]
    r: int
    q: int

    @property
    def rows(self) -> int:
        """The number of rows, N."""
        return sum(self.parent_cells)

    @property
    def parent_cells(self) -> list[int]:
        """Every observed n_j."""
        return [sum(states.values()) for states in self.table.values()]

    @property
    def joint_cells(self) -> list[int]:
        """Every observed n_jk."""
        return [n for states in self.table.values() for n in states.values()]


def count_family(codes: Sequence[Sequence[int]], arities: Sequence[int], child: int, parents: Iterable[int]) -> Family:
    """Count a family in columns of codes (one sequence a variable)."""
    parents = list(parents)
    table: dict[State, dict[int, int]] = {}
    for (*config, state), n in joint_counts(zip(*codes, strict=True), [*parents, child]).items():
        table.setdefault(tuple(config), {})[state] = n
    return Family(table, r=int(arities[child]), q=prod(int(arities[p]) for p in parents))


def loglik(family: Family) -> float:
    """Maximised log-likelihood: the sum of n_jk log(n_jk / n_j)."""
    total = 0.0
    for states in family.table.values():
        n_j = sum(states.values())
        total += sum(n * log(n / n_j) for n in states.values())
    return total


def aic(family: Family) -> float:
    """Log-likelihood less the number of free parameters (Akaike 1974)."""
    return loglik(family) - (family.r - 1) * family.q


def bic(family: Family) -> float:
    """Log-likelihood less half of log N for each free parameter (Schwarz 1978)."""
    return loglik(family) - log(family.rows) / 2 * (family.r - 1) * family.q


def bdeu(family: Family, ess: float, prior: bool = False) -> float:
    """
    Marginal likelihood under a uniform Dirichlet prior of weight `ess` (Buntine 1991; Heckerman et al. 1995).

    With `prior`, the structure prior kappa^((r - 1) q) with kappa = 1 / (ess + 1) is added. Configurations
    and states that do not occur contribute lgamma(a) - lgamma(a) = 0.
    """
    a_j = ess / family.q
    a_jk = ess / (family.q * family.r)
    total = 0.0
    for states in family.table.values():
        total += lgamma(a_j) - lgamma(sum(states.values()) + a_j)
        total += sum(lgamma(n + a_jk) - lgamma(a_jk) for n in states.values())
    if prior:
        total += (family.r - 1) * family.q * log(1 / (ess + 1))
    return total


def k2(family: Family) -> float:
    """Marginal likelihood under Dirichlet(1, ..., 1) priors (Cooper & Herskovits 1992, equation 8)."""
    total = 0.0
    for states in family.table.values():
        total += lgamma(family.r) - lgamma(sum(states.values()) + family.r)
        total += sum(lgamma(n + 1) for n in states.values())
    return total


def fnml(family: Family) -> float:
    """Factorised normalised maximum likelihood (Silander, Roos, Kontkanen & Myllymaki 2008)."""
    return loglik(family) - sum(log_normaliser(n_j, family.r) for n_j in family.parent_cells)


def qnml(family: Family) -> float:
    """Quotient normalised maximum likelihood (Silander, Leppa-aho, Jaasaari & Roos 2018)."""
    joint = one_variable_nml(family.joint_cells, family.q * family.r)
    return joint - one_variable_nml(family.parent_cells, family.q)


def one_variable_nml(cells: Sequence[int], k: int) -> float:
    """Return the log NML probability of data that fall into `k` declared cells with these observed counts."""
    rows = sum(cells)
    return sum(n * log(n / rows) for n in cells) - log_normaliser_by_sum(rows, k)


SCORES: dict[str, Callable[..., float]] = {
    "loglik": loglik,
    "aic": aic,
    "bic": bic,
    "bdeu": bdeu,
    "k2": k2,
    "fnml": fnml,
    "qnml": qnml,
}


def family_score(
    name: str,
    codes: Sequence[Sequence[int]],
    arities: Sequence[int],
    child: int,
    parents: Iterable[int],
    **params: float,
) -> float:
    """Return the local score of a child given its parents; `codes` holds one sequence a variable."""
    return SCORES[name](count_family(codes, arities, child, parents), **params)


def network_score(
    name: str,
    codes: Sequence[Sequence[int]],
    arities: Sequence[int],
    parents: Sequence[Iterable[int]],
    **params: float,
) -> float:
    """Return the score of a network: the sum of its families' scores."""
    return sum(family_score(name, codes, arities, child, ps, **params) for child, ps in enumerate(parents))


# The NML normaliser C(n, r) of a variable with r states: the sum, over every sequence of n states, of the
# highest likelihood that any distribution gives it. n^n C(n, r) is an integer, so every form of it below is
# exact until the logarithm is taken.


def compositions(n: int, r: int) -> Iterator[State]:
    """Yield every way to write n as an ordered sum of r counts."""
    if r == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, r - 1):
            yield (first, *rest)


def scaled_normaliser_by_definition(n: int, r: int) -> int:
    """Return n^n C(n, r): the sum over count vectors h of n! / prod h_k! * prod h_k^h_k (0^0 = 1)."""
    return sum(
        factorial(n) // prod(factorial(h) for h in counts) * prod(h**h for h in counts) for counts in compositions(n, r)
    )


@cache
def scaled_normaliser(n: int, r: int) -> int:
    """Return n^n C(n, r) by C(n, r+2) = C(n, r+1) + n/r C(n, r) (Kontkanen & Myllymaki 2007)."""
    if r == 1:
        return n**n
    if r == 2:
        return sum(comb(n, h) * h**h * (n - h) ** (n - h) for h in range(n + 1))
    before, value = scaled_normaliser(n, 1), scaled_normaliser(n, 2)
    for k in range(1, r - 1):
        before, value = value, value + n * before // k
    return value


@cache
def scaled_normaliser_by_sum(n: int, r: int) -> int:
    """
    Return n^n C(n, r) by the finite sum of Mononen & Myllymaki (2008), which takes any r in n + 1 terms.

    C(n, r) = sum over k = 0..n of n (n-1) ... (n-k+1) * (r-1) r ... (r+k-2) / (n^k k!). Scaled by n^n every
    term is an integer, so stepping from one to the next divides exactly.
    """
    term = total = n**n
    for k in range(n):
        term = term * (n - k) * (r - 1 + k) // (n * (k + 1))
        total += term
    return total


def log_normaliser(n: int, r: int) -> float:
    """Return log C(n, r) by the recurrence; C(0, r) = 1."""
    return log(scaled_normaliser(n, r)) - log(n**n)


def log_normaliser_by_sum(n: int, r: int) -> float:
    """Return log C(n, r) by the finite sum; for the products of arities that the recurrence cannot reach."""
    return log(scaled_normaliser_by_sum(n, r)) - log(n**n)
