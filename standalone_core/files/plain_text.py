# SPDX-License-Identifier: MIT
"""The text of files, and the numbers in it."""

import json
import re
from collections.abc import Sequence

import numpy as np

from ..numerics.arrays import FloatArray, IntArray

# Microsoft's C writes 1.#INF, 1.#IND and 1.#QNAN: they are no 1, with a comment behind it.
_COMMENT = re.compile(rb"#(?!(?<=[0-9]\.#)(?:INF|IND|QNAN|SNAN))[^\r\n]*")


def plain(content: bytes) -> bytes:
    """Text in which ASCII is ASCII, without marks at its ends: UTF-16 and UTF-32 become UTF-8."""
    code = json.detect_encoding(content)  # by the mark, or by where the first zeros are
    if code not in ("utf-8", "utf-8-sig"):
        content = content.decode(code, "replace").removeprefix("\ufeff").encode()
    return content.removeprefix(b"\xef\xbb\xbf").rstrip(b"\0\x1a")


def without_comments(text: bytes) -> bytes:
    """Text without what follows a # in its lines, whose ends stay."""
    return _COMMENT.sub(b"", text)


def floats(words: Sequence[bytes]) -> FloatArray:
    """The numbers that words say; ValueError if one says none."""
    return np.fromiter(map(float, _checked(words)), np.float64, len(words))


def integers(words: Sequence[bytes]) -> IntArray:
    """The whole numbers that words say; ValueError or OverflowError if one says none of int64."""
    return np.fromiter(map(int, _checked(words)), np.int64, len(words))


def _checked(words: Sequence[bytes]) -> Sequence[bytes]:
    if b"_" in b"".join(words):  # which Python takes for part of a number
        raise ValueError
    return words
