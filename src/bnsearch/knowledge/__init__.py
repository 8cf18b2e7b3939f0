"""Background knowledge: required, forbidden and allowed edges, tiers, limits on the number of parents."""

from bnsearch.knowledge.constraints import Constraints
from bnsearch.knowledge.knowledge import Knowledge

__all__ = ["Constraints", "Knowledge"]
