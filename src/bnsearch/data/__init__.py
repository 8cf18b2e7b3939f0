"""Tables of discrete data: read, coded once as small integers, written."""

from bnsearch.data.dataset import Dataset

__all__ = ["Dataset"]
