# SPDX-License-Identifier: MIT
"""The rows of PLY files that are text."""

from collections.abc import Collection

import numpy as np

from ..errors import MeshFileError
from .plain_text import floats
from .ply_header import Element, Rows

_TOO_SHORT = "the PLY file is damaged: it ends too soon"


class TextReader:
    """Reads one element after the other."""

    def __init__(self, content: bytes) -> None:
        if b"_" in content:  # which Python takes for part of a number
            raise MeshFileError("the PLY file has an underscore where its numbers are")
        self._words, self._place = content.split(), 0

    def read(self, element: Element, wanted: Collection[str]) -> Rows:
        """The properties that are `wanted` of the next element."""
        if element.rows * len(element.properties) > len(self._words) - self._place:
            raise MeshFileError(_TOO_SHORT)
        try:
            if any(each.length is not None for each in element.properties):
                return self._lists(element, wanted)
            return self._single(element, wanted)
        except MeshFileError:
            raise
        except (ValueError, OverflowError):
            raise MeshFileError(
                f"an element {element.name!r} of the PLY file is not all numbers"
            ) from None

    def _single(self, element: Element, wanted: Collection[str]) -> Rows:
        found, width = Rows(), len(element.properties)
        words = self._words[self._place : self._place + element.rows * width]
        for column, each in enumerate(element.properties):
            if each.name in wanted:
                found.single[each.name] = floats(words[column::width])
        self._place += len(words)
        return found

    def _lists(self, element: Element, wanted: Collection[str]) -> Rows:
        words, place = self._words, self._place
        columns = [(each.length is not None, each.name in wanted) for each in element.properties]
        taken: list[list[bytes]] = [[] for _ in columns]
        counts: list[list[int]] = [[] for _ in columns]
        for _ in range(element.rows if columns else 0):
            for column, (is_list, is_wanted) in enumerate(columns):
                if place >= len(words):
                    raise MeshFileError(_TOO_SHORT)
                count = int(words[place]) if is_list else 1
                place += is_list
                if not 0 <= count <= len(words) - place:
                    raise MeshFileError(_TOO_SHORT)
                if is_wanted:
                    taken[column] += words[place : place + count]
                    counts[column].append(count)
                place += count
        self._place, found = place, Rows()
        for each, values, lengths in zip(element.properties, taken, counts, strict=True):
            if each.name in wanted and each.length is None:
                found.single[each.name] = floats(values)
            elif each.name in wanted:
                found.lists[each.name] = floats(values), np.array(lengths, np.int64)
        return found
