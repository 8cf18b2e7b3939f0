"""Reading of report pages, as a browser splits them into elements, and networks for such pages."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np

from bnsearch.graphs.dag import DAG
from bnsearch.networks.network import BayesianNetwork


class PageReader(HTMLParser):
    """Collects the tags of a page and the texts of its scripts and styles."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags = []
        self.scripts = []
        self.styles = []
        self._open = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        """Note the tag, and whether its text is that of a script or a style."""
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._open = self.scripts if tag == "script" else self.styles
            self._open.append("")

    def handle_endtag(self, tag):
        """End the text of a script or a style."""
        if tag in ("script", "style"):
            self._open = None

    def handle_data(self, data):
        """Add to the text of the script or the style."""
        if self._open is not None:
            self._open[-1] += data

    @property
    def policy(self):
        """The content security policy."""
        return next(a["content"] for tag, a in self.tags if a.get("http-equiv") == "Content-Security-Policy")

    @property
    def contents(self):
        """The contents of the page."""
        return json.loads(self.scripts[0])


def read_contents(path):
    """Return the contents of a report."""
    return PageReader(path.read_text(encoding="utf-8")).contents


HOSTILE_NAMES = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "'\"><svg onload=window.hacked=1>",
    "@script@ @contents@ ${window.hacked = 1} {{x}} \\u003c",
    "__proto__",
    "constructor",
    "line\nbreak\u2028and\u2029more\x00\x1b[31m",
    "\u202eright to left",
    "javascript:window.hacked=1",
    " ",
    "x" * 5000,
    "&lt;b&gt; &amp; lone \ud83d surrogate \U0001f600 名前",
)


def make_hostile_network():
    """Return a chain of binary variables with hostile names and states."""
    n = len(HOSTILE_NAMES)
    dag = DAG(HOSTILE_NAMES, [[], *([i - 1] for i in range(1, n))])
    return BayesianNetwork(dag, [HOSTILE_NAMES[:2]] * n, [[0.5, 0.5], *[[[0.9, 0.1], [0.2, 0.8]]] * (n - 1)])


def make_large_network(n, states):
    """Return a network with random tables whose variables have up to four parents among the ten variables before."""
    rng = np.random.default_rng(1)
    parents = [sorted(rng.choice(range(max(0, i - 10), i), min(i, rng.integers(1, 5)), False)) for i in range(n)]
    tables = [rng.dirichlet([1.0] * states, [states] * len(its)) for its in parents]
    return BayesianNetwork(
        DAG([f"variable {i}" for i in range(n)], parents), [list(map(str, range(states)))] * n, tables
    )
