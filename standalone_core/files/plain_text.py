# SPDX-License-Identifier: MIT
"""The text of files, and the numbers in it."""

import json
import re
from collections.abc import Sequence

import numpy as np

from ..numerics.arrays import FloatArray, IntArray

# Microsoft's C writes 1.#INF, 1.#IND and 1.#QNAN: their # does not begin a comment.
_COMMENT = re.compile(rb"#(?!(?<=[0-9]\.#)(?:INF|IND|QNAN|SNAN))[^\r\n]*")


def plain(content: bytes) -> bytes:
    """Text in UTF-8, also if it is in UTF-16 or UTF-32, without byte order and end marks."""
    code = json.detect_encoding(content)  # by the mark, or by where the first zeros are
    if code not in ("utf-8", "utf-8-sig"):
        content = content.decode(code, "replace").removeprefix("\ufeff").encode()
    return content.removeprefix(b"\xef\xbb\xbf").rstrip(b"\0\x1a")


def without_comments(text: bytes) -> bytes:
    """Text without comments, from # to the end of the line; line breaks stay."""
    return _COMMENT.sub(b"", text)


def floats(words: Sequence[bytes]) -> FloatArray:
    """The numbers that words spell; ValueError if one is no number."""
    return np.fromiter(map(float, _checked(words)), np.float64, len(words))


def integers(words: Sequence[bytes]) -> IntArray:
    """The integers that words spell; ValueError or OverflowError if one is no int64."""
    return np.fromiter(map(int, _checked(words)), np.int64, len(words))


def _checked(words: Sequence[bytes]) -> Sequence[bytes]:
    if b"_" in b"".join(words):  # Python allows it within a number
        raise ValueError
    return words
