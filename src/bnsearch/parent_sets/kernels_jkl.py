"""Kernels that read and write score files."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inner_kernel, kernel

# Errors at which a kernel stops; GOOD is no error and zero.
GOOD, ENDS, HEADER, UNNUMBERED, OUTSIDE, AGAIN, SCORE, SIZE, PARENT, SELF, TWICE = range(11)

# Kinds of tokens; EXACT: a number whose value is known, LONG: a number that a slower parser must read.
EXACT, LONG, NO_NUMBER = range(3)

TENS = np.array([10**i for i in range(19)], dtype=np.uint64)


@kernel
def next_token(data, at):
    """
    Return the start and the end of the next token of the line; they are equal if the line has no more tokens.

    data : uint8[bytes]   the file; a token that starts with # starts a comment, which ends the line
    """
    while at < data.size and (data[at] == 32 or data[at] == 9 or data[at] == 13):
        at += 1
    end = at
    if at < data.size and data[at] != 35:
        while end < data.size and data[end] != 10 and data[end] != 32 and data[end] != 9 and data[end] != 13:
            end += 1
    return at, end


@kernel
def next_line(data, at):
    """Return the start of the first token from a position on, after blank lines and comments; data.size if none."""
    while at < data.size:
        start, end = next_token(data, at)
        if start < end:
            return start
        at = start
        while at < data.size and data[at] != 10:
            at += 1
        at += 1
    return data.size


@kernel
def whole_number(data, start, end):
    """Return the value of a token of at most 18 digits, or -1 for any other token."""
    if start == end or end - start > 18:
        return -1
    value = 0
    for i in range(start, end):
        if data[i] < 48 or data[i] > 57:
            return -1
        value = 10 * value + (np.int64(data[i]) - 48)
    return value


@inner_kernel
def nearest_quotient(above, below):
    """Return the float64 nearest to above / below, two uint64 up to 10**18, below a power of ten; ties to even."""
    if above < np.uint64(1) << np.uint64(53):
        return np.float64(above) / np.float64(below)  # both are exact, so the quotient is rounded correctly
    # Long division, bit by bit: 53 bits, one for rounding, and one that is set if a remainder is left.
    one = np.uint64(1)
    quotient = above // below
    rest = above - quotient * below
    shift = np.uint64(0)
    while quotient < one << np.uint64(54):
        rest <<= one
        bit = np.uint64(rest >= below)
        rest -= bit * below
        quotient = (quotient << one) | bit
        shift += one
    quotient |= np.uint64(rest > np.uint64(0))
    return np.float64(quotient) / np.float64(one << shift)


@inner_kernel
def is_exponent(data, start, end):
    """Return True if these bytes are e or E, an optional sign, and digits."""
    if start == end or (data[start] != 101 and data[start] != 69):
        return False
    start += 1
    if start < end and (data[start] == 43 or data[start] == 45):
        start += 1
    for i in range(start, end):
        if data[i] < 48 or data[i] > 57:
            return False
    return start < end


@inner_kernel
def decimal(data, start, end):
    """Return the kind of a token and, if it is EXACT, its value: the nearest float64."""
    at = start
    if at < end and (data[at] == 43 or data[at] == 45):
        at += 1
    mantissa = np.uint64(0)
    seen, digits, decimals, past_point = 0, 0, 0, 0
    while at < end:
        if data[at] == 46 and past_point == 0:
            past_point = 1
        elif data[at] >= 48 and data[at] <= 57:
            mantissa = mantissa * np.uint64(10) + np.uint64(data[at] - 48)
            seen += 1
            decimals += past_point
            if digits > 0 or data[at] != 48:  # leading zeros do not count
                digits += 1
        else:
            break
        at += 1
    if seen == 0 or (at < end and not is_exponent(data, at, end)):
        return NO_NUMBER, 0.0
    if at < end or digits > 18 or decimals > 18:
        return LONG, 0.0
    value = nearest_quotient(mantissa, TENS[decimals])
    return EXACT, -value if data[start] == 45 else value


@inner_kernel
def read_set(data, at, own, row, rows, last_row):
    """
    Read a line `score size parent...`; return (error, position, number of members so far).

    own : the variable whose set this is
    row : the row to fill
    rows : (child int32, scores float64, long bool, first int64, members int32), see read_variable
    last_row : int64[n]   last row in which each variable was a parent; written
    """
    _, scores, long, first, members = rows
    start, end = next_token(data, at)
    kind, value = decimal(data, start, end)
    if kind == NO_NUMBER:
        return SCORE, start, 0
    long[row] = kind == LONG
    scores[row] = np.float64(start) if kind == LONG else value
    size_at, end = next_token(data, end)
    size = whole_number(data, size_at, end)
    to = first[row]
    start, end = next_token(data, end)
    while start < end:
        parent = whole_number(data, start, end)
        if parent < 0 or parent >= last_row.size:
            return PARENT, start, 0
        if parent == own:
            return SELF, start, 0
        if last_row[parent] == row:
            return TWICE, start, 0
        last_row[parent] = row
        members[to] = parent
        to += 1
        start, end = next_token(data, end)
    if size != to - first[row]:
        return SIZE, size_at, 0
    return GOOD, start, to


@inner_kernel
def read_header(data, at, header):
    """Read a line `variable count`; return (error, position, variable, count); see read_variable."""
    start, end = next_token(data, at)
    if start == end:
        return ENDS, at, -1, -1
    own = whole_number(data, start, end)
    count_at, count_end = next_token(data, end)
    count = whole_number(data, count_at, count_end)
    extra, extra_end = next_token(data, count_end)
    is_score = own < 0 and decimal(data, start, end)[0] != NO_NUMBER
    if is_score or count < 0 or extra < extra_end:
        return HEADER, at, own, count
    if own < 0:
        return UNNUMBERED, at, own, count
    if own >= header.size:
        return OUTSIDE, at, own, count
    if header[own] >= 0:
        return AGAIN, at, own, count
    header[own] = at
    return GOOD, extra, own, count


@kernel
def read_variable(data, at, row, header, last_row, rows):
    """
    Read the lines of one variable: `variable count`, then its sets; return (error, position, next row).

    data : uint8[bytes]   the file
    at : position at which to start
    row : the next row to fill
    header : int64[n]     position of each variable's lines, -1 for those that were not read yet; written
    last_row : int64[n]   scratch, -1 at first
    rows : written:
        child : int32[rows]
        scores : float64[rows]   for a long token, the position of the token
        long : bool[rows]        True if the score's token has too many digits, or an exponent
        first : int64[rows + 1]  first[row] is read
        members : int32[...]
    """
    child, _, _, first, _ = rows
    wrong, at, own, count = read_header(data, next_line(data, at), header)
    if wrong:
        return wrong, at, row
    for _ in range(count):
        at = next_line(data, at)
        if at == data.size:
            return ENDS, header[own], row
        wrong, at, to = read_set(data, at, own, row, rows, last_row)
        if wrong:
            return wrong, at, row
        child[row] = own
        row += 1
        first[row] = to
    return GOOD, at, row


@inner_kernel
def write_number(out, at, number):
    """Write the digits of a whole number; return the position after them."""
    end = at + 1
    rest = number // 10
    while rest > 0:
        end += 1
        rest //= 10
    for i in range(end - 1, at - 1, -1):
        out[i] = 48 + number % 10
        number //= 10
    return end


@kernel
def write_sets(scores, first, members, begin, end, out):
    """
    Write the lines `score size parent...` of some rows; return their number of bytes.

    scores : uint8[...]   the rows' scores as text, a newline after each
    first, members : as in ParentSets
    begin, end : the rows
    out : uint8[...]      written
    """
    at, read = 0, 0
    for row in range(begin, end):
        while scores[read] != 10:
            out[at] = scores[read]
            at += 1
            read += 1
        read += 1
        out[at] = 32
        at = write_number(out, at + 1, first[row + 1] - first[row])
        for i in range(first[row], first[row + 1]):
            out[at] = 32
            at = write_number(out, at + 1, np.int64(members[i]))
        out[at] = 10
        at += 1
    return at
