"""Sources of an experiment: a table or a score file, with the true network and held-out rows if there are any."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from bnsearch._tools.files import read_bytes
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.graphs.structures import get_dag
from bnsearch.networks import BayesianNetwork, load_network, random_network
from bnsearch.networks.named import load_graph
from bnsearch.networks.tiling import tile
from bnsearch.parent_sets.jkl import read_scores
from bnsearch.parent_sets.table import ParentSets

SPLIT_SEED = 1  # seed of the division of a file into training and held-out rows


@dataclass(frozen=True)
class Material:
    """
    The content of a source.

    Attributes
    ----------
    data : table; None for a score file
    table : candidate table of a score file; None otherwise
    truth : structure of the true network; None if it is not known
    held_out : rows for the held-out log-likelihood; None if there are none
    """

    data: Dataset | None = None
    table: ParentSets | None = None
    truth: DAG | None = None
    held_out: Dataset | None = None


class Source:
    """
    One table or score file of an experiment; subclasses are frozen dataclasses.

    Attributes
    ----------
    dataset : label of the data set; several samples of a network have the same label
    sample : seed of the sample; None if there is one table
    """

    dataset: str
    sample: int | None

    @property
    def has_data(self) -> bool:
        """Whether the material has data."""
        return True

    @property
    def has_truth(self) -> bool:
        """Whether the true network is known."""
        return True

    @property
    def has_held_out(self) -> bool:
        """Whether there are held-out rows."""
        return False

    def identify(self) -> dict[str, Any]:
        """Return JSON values that determine the material."""
        raise NotImplementedError

    def load(self, threads: int) -> Material:
        """Return the material."""
        raise NotImplementedError


@dataclass(frozen=True)
class FileSource(Source):
    """A table in a file; a share of its rows, or a second file, can be held out."""

    dataset: str
    path: str
    header: bool = True
    discretize: str | None = None
    truth: str | None = None
    test: str | None = None
    held_out: float | None = None
    sample: int | None = None

    @property
    def has_truth(self) -> bool:
        """Whether the true network is known."""
        return self.truth is not None

    @property
    def has_held_out(self) -> bool:
        """Whether there are held-out rows."""
        return self.test is not None or self.held_out is not None

    def identify(self) -> dict[str, Any]:
        """Return the digests of the files and the options of reading."""
        return {
            "file": digest_file(self.path),
            "header": self.header,
            "discretize": self.discretize,
            "truth": None if self.truth is None else digest_graph(self.truth),
            "test": None if self.test is None else digest_file(self.test),
            "held_out": self.held_out,
        }

    def load(self, threads: int) -> Material:
        """Read the files."""
        data, held_out = Dataset.read(self.path, header=self.header, discretize=self.discretize), None
        if self.held_out is not None:
            data, held_out = split_rows(data, self.held_out)
        elif self.test is not None:
            held_out = Dataset.read(self.test, header=self.header)
        return Material(data, truth=None if self.truth is None else get_dag(load_graph(self.truth)), held_out=held_out)


@dataclass(frozen=True)
class ScoreFileSource(Source):
    """A file of local scores."""

    dataset: str
    path: str
    truth: str | None = None
    sample: int | None = None

    @property
    def has_data(self) -> bool:
        """Whether the material has data."""
        return False

    @property
    def has_truth(self) -> bool:
        """Whether the true network is known."""
        return self.truth is not None

    def identify(self) -> dict[str, Any]:
        """Return the digests of the files."""
        return {
            "score_file": digest_file(self.path),
            "truth": None if self.truth is None else digest_graph(self.truth),
        }

    def load(self, threads: int) -> Material:
        """Read the score file."""
        truth = None if self.truth is None else get_dag(load_graph(self.truth))
        return Material(table=read_scores(self.path, threads=threads), truth=truth)


@dataclass(frozen=True)
class NetworkSource(Source):
    """Rows drawn from a network; `tile` is (copies, links, seed) for a network of joined copies."""

    dataset: str
    network: str
    rows: int
    sample: int
    held_out: int = 0
    observed_states: bool = False
    tile: tuple[int, int, int] | None = None

    @property
    def has_held_out(self) -> bool:
        """Whether further rows are drawn."""
        return self.held_out > 0

    def make_network(self) -> BayesianNetwork:
        """Return the network."""
        network = load_cached_network(self.network)
        return network if self.tile is None else tile(network, *self.tile)

    def identify(self) -> dict[str, Any]:
        """Return the digest of the network and the settings of the sample."""
        return {"network": digest_graph(self.network), "tile": self.tile} | identify_sample(self)

    def load(self, threads: int) -> Material:
        """Draw the rows."""
        return draw_material(self.make_network(), self)


@dataclass(frozen=True)
class RandomSource(Source):
    """Rows drawn from a random network."""

    dataset: str
    variables: int
    parents: float
    states: int
    edges: str
    max_parents: int | None
    network_seed: int
    rows: int
    sample: int
    held_out: int = 0
    observed_states: bool = False

    @property
    def has_held_out(self) -> bool:
        """Whether further rows are drawn."""
        return self.held_out > 0

    def make_network(self) -> BayesianNetwork:
        """Return the network."""
        limit, edges = self.max_parents, self.edges
        return random_network(
            self.variables, self.parents, self.states, self.network_seed, max_parents=limit, edges=edges
        )

    def identify(self) -> dict[str, Any]:
        """Return the parameters of the network and the settings of the sample."""
        pattern = [self.variables, self.parents, self.states, self.edges, self.max_parents, self.network_seed]
        return {"random": pattern} | identify_sample(self)

    def load(self, threads: int) -> Material:
        """Draw the network and the rows."""
        return draw_material(self.make_network(), self)


def identify_sample(source: NetworkSource | RandomSource) -> dict[str, Any]:
    """Return the settings of a sample as JSON values."""
    states = "observed" if source.observed_states else "declared"
    return {"rows": source.rows, "sample": source.sample, "held_out": source.held_out, "states": states}


def draw_material(network: BayesianNetwork, source: NetworkSource | RandomSource) -> Material:
    """Return rows of a network, and held-out rows that do not depend on their number."""
    data = network.sample(source.rows, source.sample)
    if source.observed_states:
        data = drop_unobserved_states(data)
    held_out = None
    if source.held_out:
        held_out = network.sample(source.held_out, np.random.default_rng([source.sample, source.rows, 1]))
    return Material(data, truth=network.dag, held_out=held_out)


def drop_unobserved_states(data: Dataset) -> Dataset:
    """Return a table without the states that do not occur in it."""
    found = [np.unique(codes, return_inverse=True) for codes in data.codes]
    states = [[its[i] for i in kept] for its, (kept, _) in zip(data.states, found, strict=True)]
    return Dataset.from_codes(np.stack([codes for _, codes in found], axis=1), names=data.names, states=states)


def split_rows(data: Dataset, share: float) -> tuple[Dataset, Dataset]:
    """Return the training rows and a random share of held-out rows; both have all states."""
    number = round(share * data.n_rows)
    if not 0 < number < data.n_rows:
        raise InputError(f"{share:g} of {data.n_rows} rows leaves no training rows or no held-out rows")
    order = np.random.default_rng(SPLIT_SEED).permutation(data.n_rows)
    kept, held_out = np.sort(order[number:]), np.sort(order[:number])
    return tuple(Dataset(data.codes[:, rows], data.names, data.states) for rows in (kept, held_out))  # type: ignore[return-value]


def name_pattern(dataset: str) -> str:
    """Return the label of a random network without its number, such as net(50,1,2); other labels as they are."""
    return dataset.partition("#")[0]


@lru_cache(maxsize=64)
def digest_file(path: str) -> str:
    """Return a digest of the content of a file, after decompression."""
    return hashlib.sha256(read_bytes(path)).hexdigest()


@lru_cache(maxsize=64)
def digest_graph(name_or_path: str) -> str:
    """Return a digest of a network or a structure, whatever the format of its file."""
    graph = load_graph(name_or_path)
    digest = hashlib.sha256(repr((graph.names, get_dag(graph).parents)).encode())
    if isinstance(graph, BayesianNetwork):
        digest.update(repr(graph.states).encode())
        for table in graph.tables:
            digest.update(np.ascontiguousarray(table).data)
    return digest.hexdigest()


@lru_cache(maxsize=4)
def load_cached_network(name_or_path: str) -> BayesianNetwork:
    """Return a network by name or from a file; the last ones are kept, because several samples are drawn."""
    return load_network(name_or_path)


def forget_files() -> None:
    """Empty the caches of files, which may have changed."""
    for cached in (digest_file, digest_graph, load_cached_network):
        cached.cache_clear()
