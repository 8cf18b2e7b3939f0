"""
Measure exact inference: the marginals of all variables of published networks, given the states of five variables.

The program prints the number of cells of the largest product, the CPU milliseconds of the first call, which makes a
plan, and of later calls (the least of several). Where pyAgrum is installed, it also prints the CPU milliseconds of one
call of pyAgrum, and the largest difference of a probability. pyAgrum takes minutes on link and munin1, so it is not
measured there. Networks are read from BNSEARCH_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import importlib.util
import time

import numpy as np

from bnsearch.networks import BayesianNetwork, read_network
from bnsearch.networks.inference.distributions import Marginals
from bnsearch.networks.inference.evidence import find_states
from bnsearch.networks.inference.exact import Elimination
from counting import data_folder

NAMES = ("asia", "child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", "water", "mildew", "barley")
LARGE = ("pigs", "diabetes", "munin", "link", "munin1")
WITHOUT_PYAGRUM = ("link", "munin1")
EVIDENCE = 5  # number of observed variables
CALLS = 5


def main() -> None:
    """Measure the networks given on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", default=[*NAMES, *LARGE], help="names of networks")
    print("network      variables      cells   first ms   later ms   pyagrum ms   difference")
    for name in parser.parse_args().names:
        network = read_network(data_folder() / "networks" / f"{name}.bif.gz")
        evidence = draw_evidence(network, 3)
        first, _ = measure(network, evidence)
        calls = [measure(network, evidence) for _ in range(CALLS)]
        later, found = min(calls, key=lambda call: call[0])
        elimination = Elimination(network, range(len(network.names)), find_states(network, evidence))
        cells = elimination.make_plan().product_cells
        line = f"{name:12} {len(network.names):9,} {cells:10,} {first:10.1f} {later:10.1f}"
        if importlib.util.find_spec("pyagrum") and name not in WITHOUT_PYAGRUM:
            line += "   {:10.1f}   {:10.1e}".format(*compare_pyagrum(network, evidence, found))
        print(line, flush=True)


def draw_evidence(network: BayesianNetwork, seed: int) -> dict[str, str]:
    """Return the states of some variables in a row drawn from the network."""
    n = len(network.names)
    row = network.sample(1, seed).codes[:, 0]
    chosen = np.random.default_rng(seed).choice(n, min(EVIDENCE, n // 2), replace=False)
    return {network.names[x]: network.states[x][row[x]] for x in chosen.tolist()}


def measure(network: BayesianNetwork, evidence: dict[str, str]) -> tuple[float, Marginals]:
    """Return the CPU milliseconds of a call, and its result."""
    begin = time.process_time()
    result = network.marginals(evidence)
    return 1000 * (time.process_time() - begin), result


def compare_pyagrum(network: BayesianNetwork, evidence: dict[str, str], found: Marginals) -> tuple[float, float]:
    """Return the CPU milliseconds of pyAgrum, and the largest difference of a probability."""
    import pyagrum

    model = network.to_pyagrum()
    codes = {name: network.states[network.names.index(name)].index(state) for name, state in evidence.items()}
    begin = time.process_time()
    engine = pyagrum.LazyPropagation(model)
    engine.setEvidence(codes)
    engine.makeInference()
    posteriors = {name: engine.posterior(name).toarray() for name in found}
    milliseconds = 1000 * (time.process_time() - begin)
    return milliseconds, max(np.abs(posteriors[name] - found[name].probabilities).max() for name in found)


if __name__ == "__main__":
    main()
