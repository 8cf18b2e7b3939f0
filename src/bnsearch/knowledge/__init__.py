"""What is known of a network before any data are seen: edges that must or must not be there, tiers, in-degrees."""

from bnsearch.knowledge.constraints import Constraints
from bnsearch.knowledge.knowledge import Knowledge

__all__ = ["Constraints", "Knowledge"]
