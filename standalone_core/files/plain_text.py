# SPDX-License-Identifier: MIT
"""The text of files, and the numbers in it.

Python's own ``float`` and ``int`` take a hundred nanoseconds a word and more. So texts of plain
decimals are read in arrays: the digits as one integer, which is divided by a power of ten.
"""

import json
import re

import numpy as np
import numpy.typing as npt

from ..numerics.arrays import BoolArray, FloatArray, IntArray

Codes = npt.NDArray[np.uint8]
"""A text as an array of its bytes."""

# Microsoft's C writes 1.#INF, 1.#IND and 1.#QNAN: their # does not begin a comment.
_COMMENT = re.compile(rb"#(?!(?<=[0-9]\.#)(?:INF|IND|QNAN|SNAN))[^\r\n]*")

_MINUS, _POINT, _ZERO = b"-.0"

_MOST_DIGITS = 16
"""Integers of so many digits fit in int64, and most of them are exact in float64."""

_MOST_EXACT = 1 << 53
"""Integers up to this are exact in float64."""

_POWERS = np.array([float(10**power) for power in range(_MOST_DIGITS + 1)])


def plain(content: bytes) -> bytes:
    """Text in UTF-8, also if it is in UTF-16 or UTF-32, without byte order and end marks."""
    code = json.detect_encoding(content)  # by the mark, or by where the first zeros are
    if code not in ("utf-8", "utf-8-sig"):
        content = content.decode(code, "replace").removeprefix("\ufeff").encode()
    return content.removeprefix(b"\xef\xbb\xbf").rstrip(b"\0\x1a")


def without_comments(text: bytes) -> bytes:
    """Text without comments, from # to the end of the line; line breaks stay."""
    return _COMMENT.sub(b"", text)


def floats(text: bytes) -> FloatArray:
    """The numbers that the words of a text spell; ValueError if one is no number."""
    found = _decimals(text)
    if found is None:
        words = _checked(text).split()
        found = np.fromiter(map(float, words), np.float64, len(words))
    return found


def integers(text: bytes) -> IntArray:
    """The integers that the words of a text spell; ValueError or OverflowError if one is none."""
    codes = np.frombuffer(text, np.uint8)
    starts, ends = words_of(codes)
    digits = ends - starts - (codes[starts] == _MINUS)
    is_short = ((digits > 0) & (digits <= _MOST_DIGITS)).all()
    if is_short and digits.sum() == np.count_nonzero(_are_digits(codes)):
        return _plain_integers(text)
    words = _checked(text).split()
    return np.fromiter(map(int, words), np.int64, len(words))


def words_of(codes: Codes) -> tuple[IntArray, IntArray]:
    """Where the words of a text start and end."""
    is_blank = np.ones(len(codes) + 2, np.bool_)
    is_blank[1:-1] = are_blank(codes)
    return (
        np.flatnonzero(is_blank[:-1] > is_blank[1:]),
        np.flatnonzero(is_blank[:-1] < is_blank[1:]),
    )


def are_blank(codes: Codes) -> BoolArray:
    """Which bytes separate words: blanks, tabs and line breaks."""
    return np.asarray((codes == 32) | (codes - np.uint8(9) < 5))


def _are_digits(codes: Codes) -> BoolArray:
    return np.asarray(codes - np.uint8(_ZERO) < 10)


def _plain_integers(text: bytes) -> IntArray:
    """The integers of a text that has nothing else, none of them longer than _MOST_DIGITS."""
    return np.fromstring(text, np.int64, sep=" ") if text.strip() else np.empty(0, np.int64)


def _decimals(text: bytes) -> FloatArray | None:
    """As :func:`floats`, faster; None if too many words are more than a few digits and a point.

    Digits m with k of them after the point are m / 10^k. If m and 10^k are exact in float64, their
    quotient is the number as Python rounds it (Clinger 1990).
    """
    codes = np.array(np.frombuffer(text, np.uint8))
    starts, ends = words_of(codes)
    odd = text.count(b"e") + np.count_nonzero(ends - starts > _MOST_DIGITS + len("-."))
    if odd > _most_odd(len(starts)):
        return None
    is_negative = codes[starts] == _MINUS
    points = np.flatnonzero(codes == _POINT)
    with_point = np.searchsorted(starts, points, "right") - 1
    after = np.zeros(len(starts), np.int64)  # how many digits are after the point
    after[with_point] = ends[with_point] - points - 1
    digits = ends - starts - is_negative - np.bincount(with_point, minlength=len(starts))
    is_odd = (digits < 1) | (digits > _MOST_DIGITS)
    others = ~(_are_digits(codes) | are_blank(codes) | (codes == _POINT))
    others[starts[is_negative]] = False
    is_odd[np.searchsorted(starts, np.flatnonzero(others), "right") - 1] = True
    is_odd[with_point[1:][with_point[1:] == with_point[:-1]]] = True
    if np.count_nonzero(is_odd) > _most_odd(len(starts)):
        return None
    for row in np.flatnonzero(is_odd).tolist():
        codes[starts[row] : ends[row]] = _ZERO
    whole = _plain_integers(codes[codes != _POINT].tobytes())
    is_odd |= np.abs(whole) > _MOST_EXACT
    rows = np.flatnonzero(is_odd)
    if len(rows) > _most_odd(len(starts)):
        return None
    found: FloatArray = whole / _POWERS[np.where(is_odd, 0, after)]
    found[is_negative & (whole == 0)] = -0.0
    found[rows] = [float(_checked(text[starts[row] : ends[row]])) for row in rows.tolist()]
    return found


def _most_odd(words: int) -> int:
    """With more words than these to read one by one, reading all so is faster."""
    return words // 8


def _checked(text: bytes) -> bytes:
    if b"_" in text:  # Python allows it within a number
        raise ValueError
    return text
