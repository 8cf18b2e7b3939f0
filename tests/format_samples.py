"""Small network files written by hand, one network in three languages, and random networks with any names."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from bnsearch.graphs.dag import DAG
from bnsearch.networks.network import BayesianNetwork

# The table of grass lists its parents as (sprinkler, rain), against the order of the variables.
BIF = """\
// A lawn.
network "wet lawn" {
  property author = "nobody; { at all }" ;
}
variable rain {
  type discrete [ 2 ] { yes, no };
  property position = (73, 165) ;
}
variable sprinkler { /* two
  states */ type discrete[3] { off, <5, 5-10/h };
}
variable grass {
  type discrete [ 2 ] { "soaking wet", dry };
}
probability ( rain ) {
  table 0.2, 0.8;
}
probability ( sprinkler | rain ) {
  (no) 0.5, 0.3, 0.2;
  (yes) 9.9e-1, 0.01, 0;
}
probability ( grass | sprinkler, rain ) {
  default 1.0, 0.0;
  (off, no) 0.05, 0.95;
  (<5, no) 0.7, 0.3;
  (off, yes) 0.8, 0.2;
}
"""

HUGIN = """\
% A lawn.
net
{
    node_size = (80 40);
}
node rain
{
    label = "Rain; { today }";
    states = ("yes" "no");
    position = (73 165);
}
discrete node sprinkler
{
    states = ("off" "<5" "5-10/h");
}
node grass
{
    states = ("soaking wet" "dry");
}
potential (rain)
{
    data = ( 0.2 0.8 );
}
potential (sprinkler | rain)
{
    data = ((0.99 0.01 0) % rain=yes
            (0.5 0.3 0.2)); % rain=no
}
potential (grass | sprinkler rain)
{
    data = (((0.8 0.2) (0.05 0.95))
            ((1 0) (0.7 0.3))
            ((1 0) (1 0)));
}
"""

JSON = """\
{"format": "bnsearch-network", "version": 1, "variables": [
  {"name": "rain", "states": ["yes", "no"], "parents": [], "table": [[0.2, 0.8]]},
  {"name": "sprinkler", "states": ["off", "<5", "5-10/h"], "parents": ["rain"],
   "table": [[0.99, 0.01, 0], [0.5, 0.3, 0.2]]},
  {"name": "grass", "states": ["soaking wet", "dry"], "parents": ["sprinkler", "rain"],
   "table": [[0.8, 0.2], [0.05, 0.95], [1, 0], [0.7, 0.3], [1, 0], [1, 0]]}
]}
"""

LAWN = BayesianNetwork(
    DAG(["rain", "sprinkler", "grass"], [(), (0,), (0, 1)]),
    [["yes", "no"], ["off", "<5", "5-10/h"], ["soaking wet", "dry"]],
    [
        np.array([0.2, 0.8]),
        np.array([[0.99, 0.01, 0.0], [0.5, 0.3, 0.2]]),
        np.array([[[0.8, 0.2], [1.0, 0.0], [1.0, 0.0]], [[0.05, 0.95], [0.7, 0.3], [1.0, 0.0]]]),
    ],
)


def assert_same(left: BayesianNetwork, right: BayesianNetwork) -> None:
    """Compare names, states, edges and the bits of the tables."""
    assert left.dag == right.dag
    assert left.states == right.states
    for ours, theirs in zip(left.tables, right.tables, strict=True):
        assert ours.shape == theirs.shape
        assert ours.tobytes() == theirs.tobytes()


# Names that a language could trip over, beside any text at all.
names = st.one_of(
    st.text(max_size=5),
    st.sampled_from(["", " ", "a b", 'a"b', "\\", '\\"', "//", "/*", "*/", "a/b", "a/", "<5", "[0,1)", "[0;1["]),
    st.sampled_from(["3.5", "1e5", "table", "default", "node", "x0", "x1", "x0_", "%", "50%", "|", ",", "é", "'"]),
    st.sampled_from(["}\n", "\r", "\n", "\ufeff", "\x00", "\xa0", "\u2028", "a\x1cb"]),
)


@st.composite
def dags(draw: st.DrawFn) -> DAG:
    """Draw a small graph with any names."""
    labels = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    order = draw(st.permutations(range(len(labels))))
    parents: list[list[int]] = [[] for _ in labels]
    for place, child in enumerate(order):
        parents[child] = [p for p in order[:place] if draw(st.booleans())]
    return DAG(labels, parents)


@st.composite
def networks(draw: st.DrawFn) -> BayesianNetwork:
    """Draw a small network with any names and probabilities from 0 over 1e-300 to 1."""
    dag = draw(dags())
    states = [draw(st.lists(names, min_size=1, max_size=3, unique=True)) for _ in dag.names]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    tables = []
    for i, parents in enumerate(dag.parents):
        shape = (*(len(states[p]) for p in parents), len(states[i]))
        table = rng.choice([1.0, 1e-300, 1e-17], shape) * rng.random(shape) + 5e-324
        tables.append(table / table.sum(axis=-1, keepdims=True))
    return BayesianNetwork(dag, states, tables)
