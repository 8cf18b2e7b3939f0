"""Tables of discrete data: reading, coding as small integers, writing."""

from bnsearch.data.dataset import Dataset

__all__ = ["Dataset"]
