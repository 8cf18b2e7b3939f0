"""Bayesian networks: DAGs with conditional probability tables, and their file formats."""

from bnsearch.networks.files import read_graph, read_network, read_structure, write_network, write_structure
from bnsearch.networks.likelihood import log_likelihood, row_log_likelihoods
from bnsearch.networks.named import list_examples, list_networks, load_graph, load_network
from bnsearch.networks.network import BayesianNetwork, fit
from bnsearch.networks.random_network import random_network
from bnsearch.networks.sampling import sample
from bnsearch.networks.tiling import tile

__all__ = [
    "BayesianNetwork",
    "fit",
    "list_examples",
    "list_networks",
    "load_graph",
    "load_network",
    "log_likelihood",
    "random_network",
    "read_graph",
    "read_network",
    "read_structure",
    "row_log_likelihoods",
    "sample",
    "tile",
    "write_network",
    "write_structure",
]
