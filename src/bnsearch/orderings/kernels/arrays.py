"""
The arrays that the kernels of orderings share: two tuples, `index` and `state`, addressed by the names below.

In both, n is the number of variables. A *row* is a row of the candidate table, that is, a candidate parent set of one
variable; the rows of a variable are sorted by local score, best first. A *candidate* x of a variable y is a variable
that occurs in one of y's rows, and y is then a *child* of x. Such a pair (x, y) has

- a *slot*, its position in the list of all pairs sorted by x and then y; and
- a *number*, the position of x among y's candidates in order of first occurrence.

`index` describes the candidate table and does not change during a search. `Index.arrays` makes it.

BEGIN : int64[n + 1]          first row of each variable
SCORES : float64[rows]        local score of each row
FIRST : int64[rows + 1]       first entry of each row in MEMBERS
MEMBERS : int32[members]      the parents of all rows
MEMBER_SLOT : int32[members]  slot of each entry of MEMBERS and the row's variable
CAND_BEGIN : int64[n + 1]     first entry of each variable in CAND, CAND_SLOT and ACTIVE
CAND : int32[slots]           candidates of each variable by number
CAND_SLOT : int32[slots]      slot of each entry of CAND
SLOT_BEGIN : int64[n + 1]     first slot of each variable as a candidate
SLOTS : int32[3, slots]       CHILD, NUMBER and FIRST_ROW (the first row of the child that contains x) of each slot
ROOT : int64[n]               root of each variable's tree of rows
TREE : int32[nodes, 4]        the trees, see below
BITS : uint64[...]            bitmaps: for each block of 64 rows of a variable, one word per candidate, in order of
                              number; bit i is set if row i of the block contains the candidate
BITS_BEGIN : int64[n + 1]     first word of each variable in BITS

A tree has one path from its root for each row of the variable. The path lists the members of the row in order of
number. The nodes of a tree are contiguous: the root first, the children of a node side by side, sorted by BEST_ROW. One
more node ends each tree. Each node has four columns:

MEMBER       the variable that the node adds to the set; -1 for a root
ROW          the row that ends here, counted from the variable's first row; NO_ROW if none does
BEST_ROW     the smallest ROW of this node and the nodes below it
FIRST_CHILD  its first child; the FIRST_CHILD of the next node ends the list of children

`state` describes one ordering and is updated with each move. `OrderingState.arrays` makes it.

ORDER, POSITION : int32[n]    the variables from first to last; the position of each variable
CHOICE : int64[n]             best feasible row of each variable: all of its members precede the variable
DELTA : float64[slots]        change of y's local score if only x moves to the other side of y
TARGET : int32[slots]         the row of y that is then the best feasible one; -1 if that is CHOICE[y]
ACTIVE : int32[slots]         numbers of the candidates that have a target, from CAND_BEGIN[y] on
N_ACTIVE : int32[n]           number of candidates that have a target
REACH : int64[n]              last row that DELTA and TARGET of the variable's candidates depend on: CHOICE or a target
EVALUATIONS : int64[1]        evaluations so far: rows, tree nodes and groups of four bitmap words that were read
LATER, UNTARGETED : int32[n]  scratch: lists of candidates by number
PATH : int64[2, ...]          scratch: NODE and END at each depth of a walk through a tree
HASHES : uint64[2, n + 1]     VARIABLE_HASH, a random number for each variable; PREFIX_HASH, for each position the
                              exclusive or of the hashes of the variables before it
ROW_CACHE : int64[size, 2]    cached results of `find_best_row`, see cache.py
TARGET_CACHE : int64[size, w] cached targets of a variable, see cache.py
AFFECTED_AT : int64[n]        scratch: positions of the children that an insertion affects
AFFECTED_DELTA : float64[n]   scratch: their entries of DELTA
TOUCHED : int32[n]            scratch: variables that the last insertion has touched

A positive DELTA of (x, y) means that y precedes x, and that y has a better row if x moves in front of it. A negative
DELTA means that y's row contains x. A target with a DELTA of zero is another row with the same score.
"""

from __future__ import annotations

import numpy as np

# The entries of `index`.
BEGIN, SCORES, FIRST, MEMBERS, MEMBER_SLOT = 0, 1, 2, 3, 4
CAND_BEGIN, CAND, CAND_SLOT, SLOT_BEGIN, SLOTS = 5, 6, 7, 8, 9
ROOT, TREE, BITS, BITS_BEGIN = 10, 11, 12, 13

# The entries of `state`.
ORDER, POSITION, CHOICE, DELTA, TARGET, ACTIVE, N_ACTIVE, REACH, EVALUATIONS = 0, 1, 2, 3, 4, 5, 6, 7, 8
LATER, UNTARGETED, PATH, HASHES, ROW_CACHE, TARGET_CACHE = 9, 10, 11, 12, 13, 14
AFFECTED_AT, AFFECTED_DELTA, TOUCHED = 15, 16, 17

CHILD, NUMBER, FIRST_ROW = 0, 1, 2  # rows of SLOTS
MEMBER, ROW, BEST_ROW, FIRST_CHILD = 0, 1, 2, 3  # columns of TREE
NODE, END = 0, 1  # rows of PATH
VARIABLE_HASH, PREFIX_HASH = 0, 1  # rows of HASHES

ROWS_PER_WORD = 64  # rows of the candidate table that one word of BITS covers
NO_ROW = np.int32(2**31 - 1)  # ROW of a tree node at which no row ends
HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio: spreads small keys evenly
