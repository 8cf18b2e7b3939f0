"""
The arrays of a variable's best-first search, and the indices of their tuples.

`nodes` are the closed sets. Each extends another node by one candidate; node 0 is the empty set. The tuple holds

parent : int32[C]       the node that is extended
added : int32[C]        the candidate that is added to it
size : int32[C]         number of members
cells : float64[C]      product of the members' arities
score : float64[C]      local score
below : float64[C]      highest score of the proper subsets on the way to this node
key : uint64[C]         exclusive or of the members' random numbers

`heap` holds the open sets, each a node and one more candidate, as a binary heap with the highest value on top:

value : float64[C]      the priority
node : int32[C]
added : int32[C]

`slots` is the hash table of the seen sets: uint64[power of two], their keys, 0 in a free slot. Two sets with the same
key would be taken for one, and the second would not be scored. Among 10^7 sets this has a probability of 3e-6.

`number` is int64[3]: the numbers of nodes, of open sets and of seen sets.
"""

from __future__ import annotations

NODE_PARENT, NODE_ADDED, NODE_SIZE, NODE_CELLS, NODE_SCORE, NODE_BELOW, NODE_KEY = range(7)
HEAP_VALUE, HEAP_NODE, HEAP_ADDED = range(3)
NODES, OPEN, SEEN = range(3)
