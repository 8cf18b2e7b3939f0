"""Exact search for the best network over a candidate table, and upper bounds on its score."""

from __future__ import annotations

from bnsearch.exact.certificate import Certificate, make_certificate, write_certificate
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.dual_ascent import DualAscent, find_cluster_bound
from bnsearch.exact.method import Exact

__all__ = [
    "Certificate",
    "ClusterBound",
    "DualAscent",
    "Exact",
    "find_cluster_bound",
    "make_certificate",
    "write_certificate",
]
