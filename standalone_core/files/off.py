# SPDX-License-Identifier: MIT
"""OFF files in text: their vertices and faces; normals, colors and the like are passed over."""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, product
from typing import IO

import numpy as np

from ..errors import MeshFileError
from ..numerics.arrays import IntArray
from .meshes import Faces
from .plain_text import floats, integers, plain, without_comments

# The keyword may be missing, and some files have no blank between it and the first count.
_KEYWORD = re.compile(rb"\s*(?:((?:ST|C|N)*)OFF(?![A-Z])|off|(?=\d+\s))")
_NUMBERS = {b"N": 3, b"C": 3, b"ST": 2}
"""How many numbers, at least, each of these before OFF adds to a vertex."""


def read(file: IO[bytes]) -> Faces:
    """The faces of a file; MeshFileError if it is damaged, or of a kind that is not read."""
    text = without_comments(plain(file.read()))
    keyword = _KEYWORD.match(text)
    if keyword is None or text[keyword.end() :].split(None, 1)[:1] == [b"BINARY"]:
        first = b" ".join(text[:60].split()[:2]).decode("utf-8", "replace")
        raise MeshFileError(f"the file is no OFF file of a kind that is read: it begins {first!r}")
    lines = [words for line in text[keyword.end() :].splitlines() if (words := line.split())]
    words = [word for line in lines for word in line]
    try:
        vertices, faces = integers(b" ".join(words[:2])).tolist()
    except (ValueError, OverflowError):
        raise MeshFileError("the OFF file is damaged: it does not say what it holds") from None
    ends = [end for end, line in zip(accumulate(map(len, lines)), lines, strict=True) for _ in line]
    usual: Faces | None = None
    for way, place, width in product(
        ("lines", "words"),
        {2: (2, 3), 3: (3,)}.get(len(lines[0]), (3, 2)),  # the number of edges is often left out
        list(_widths(lines[1 : max(vertices, 0) + 1], re.findall(rb"ST|C|N", keyword[1] or b""))),
    ):
        with suppress(ValueError, OverflowError, IndexError):
            end = place + vertices * width
            axes = [floats(b" ".join(words[place + axis : end : width])) for axis in range(3)]
            points = np.stack(axes, axis=1).reshape(vertices, 3)
            corners, counts = _corners(words, end, faces, way, ends)
            found = Faces(points, corners, counts)
            if ((corners >= 0) & (corners < vertices)).all() and (counts >= 3).all():
                return found
            if way == "lines":  # used if nothing fits; fans() then judges its corners
                usual = usual or found
    if usual is not None:
        return usual
    raise MeshFileError(
        f"the OFF file is damaged: it does not hold the {vertices} vertices and {faces} faces "
        "that it says, and no more"
    )


def _widths(lines: list[list[bytes]], letters: list[bytes]) -> Iterator[int]:
    """How many numbers a vertex may have: as many as each line has, or as the keyword says."""
    least = 3 + sum(_NUMBERS[letter] for letter in letters)
    found = {len(line) for line in lines}
    if len(found) == 1 and max(found) >= least:
        yield found.pop()
    yield least + (b"C" in letters)  # a color has an alpha, where lines do not tell


def _corners(
    words: list[bytes], place: int, faces: int, way: str, ends: list[int]
) -> tuple[IntArray, IntArray]:
    """Corners and counts of faces; ValueError if the rest of the file is anything else.

    By "lines", a face is a line, which may end with a color; `ends` has the end of each word's
    line. By "words", lines do not matter, and there are no colors.
    """
    corners: list[bytes] = []
    counts: list[int] = []
    is_line = way == "lines"
    if is_line and ends[place - 1] != place:
        raise ValueError
    while place < len(words) and len(counts) < faces:
        count = int(words[place])
        last = place + count
        if count < 0 or last >= (ends[place] if is_line else len(words)):
            raise ValueError
        corners += words[place + 1 : last + 1]
        counts.append(count)
        place = ends[last] if is_line else last + 1
    if place != len(words) or len(counts) != faces:
        raise ValueError
    return integers(b" ".join(corners)), np.array(counts, np.int64)
