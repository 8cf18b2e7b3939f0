"""One integer for the joint state of several variables: the address of a cell in a family's table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def compute_joint_codes(
    codes: NDArray[np.unsignedinteger], arities: Sequence[int], variables: Sequence[int]
) -> NDArray[np.intp]:
    """
    Return for each row the mixed-radix number of the variables' states, the last variable running fastest.

    Parameters
    ----------
    codes : uint[n, N], one row a variable, as in a Dataset
    arities : for each of the n variables its number of states
    variables : which of them, in the order of a table's axes; none gives zeros
    """
    if not variables:
        return np.zeros(codes.shape[1], dtype=np.intp)
    joint: NDArray[np.intp] = codes[variables[0]].astype(np.intp)
    for variable in variables[1:]:
        joint *= int(arities[variable])
        joint += codes[variable]
    return joint
