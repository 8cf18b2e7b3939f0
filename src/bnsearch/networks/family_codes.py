"""Joint states of several variables as integers, which index the cells of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def compute_joint_codes(
    codes: NDArray[np.unsignedinteger], arities: Sequence[int], variables: Sequence[int]
) -> NDArray[np.intp]:
    """
    Return the joint state of `variables` in each row, as a mixed-radix number; the last variable varies fastest.

    Parameters
    ----------
    codes : uint[n, N], codes of each variable, as in a Dataset
    arities : number of states of each of the n variables
    variables : indices of the variables, in the order of the axes of the table; without variables the result is zero
    """
    if not variables:
        return np.zeros(codes.shape[1], dtype=np.intp)
    joint: NDArray[np.intp] = codes[variables[0]].astype(np.intp)
    for variable in variables[1:]:
        joint *= int(arities[variable])
        joint += codes[variable]
    return joint
