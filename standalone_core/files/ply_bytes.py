# SPDX-License-Identifier: MIT
"""The rows of PLY files that are bytes."""

from collections.abc import Collection
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..errors import MeshFileError
from .ply_header import Element, Property, Rows

_TOO_SHORT = "the PLY file is damaged: it ends too soon"


class ByteReader:
    """Reads one element after the other; `order` is that of NumPy's types, "<" or ">"."""

    def __init__(self, content: bytes, place: int, order: str) -> None:
        self._content, self._place, self._order = content, place, order
        self._bytes = np.frombuffer(content, np.uint8)

    def read(self, element: Element, wanted: Collection[str]) -> Rows:
        """The properties that are `wanted` of the next element."""
        least = sum((each.length or each.kind).itemsize for each in element.properties)
        if element.rows * least > len(self._content) - self._place:
            raise MeshFileError(_TOO_SHORT)
        if any(each.length is not None for each in element.properties):
            return self._lists(element, wanted)
        return self._single(element, wanted)

    def _single(self, element: Element, wanted: Collection[str]) -> Rows:
        fields = [(each.name, self._type(each)) for each in element.properties]
        if not fields:
            return Rows()
        table = np.frombuffer(self._content, np.dtype(fields), element.rows, self._place)
        self._place += table.nbytes
        return Rows({name: table[name] for name, _ in fields if name in wanted})

    def _lists(self, element: Element, wanted: Collection[str]) -> Rows:
        """Find where each list begins, row after row; then take all numbers at once."""
        content, place, end = self._content, self._place, len(self._content)
        order: Literal["little", "big"] = "little" if self._order == "<" else "big"
        columns = [
            (each.kind.itemsize, each.length and each.length.itemsize, _is_signed(each))
            for each in element.properties
        ]
        starts: list[list[int]] = [[] for _ in columns]
        counts: list[list[int]] = [[] for _ in columns]
        for _ in range(element.rows):
            for column, (size, count_size, is_signed) in enumerate(columns):
                count = 1
                if count_size:
                    raw = content[place : place + count_size]
                    count = int.from_bytes(raw, order, signed=is_signed)
                    place += count_size
                starts[column].append(place)
                counts[column].append(count)
                place += count * size
                if count < 0 or place > end:
                    raise MeshFileError(_TOO_SHORT)
        self._place, found = place, Rows()
        for each, first, length in zip(element.properties, starts, counts, strict=True):
            if each.name in wanted:
                lengths = np.array(length, np.int64)
                values = self._gathered(np.array(first, np.int64), lengths, self._type(each))
                if each.length is None:
                    found.single[each.name] = values
                else:
                    found.lists[each.name] = values, lengths
        return found

    def _gathered(
        self, starts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], kind: np.dtype[Any]
    ) -> npt.NDArray[Any]:
        """The numbers of all lists, of which each begins at any byte."""
        before = np.cumsum(counts) - counts
        step = np.arange(counts.sum()) - np.repeat(before, counts)
        places = np.repeat(starts, counts) + step * kind.itemsize
        raw = np.empty((len(places), kind.itemsize), np.uint8)
        for byte in range(kind.itemsize):
            raw[:, byte] = self._bytes[places + byte]
        return raw.view(kind)[:, 0]

    def _type(self, each: Property) -> np.dtype[Any]:
        return each.kind.newbyteorder(self._order)  # type: ignore[arg-type]


def _is_signed(each: Property) -> bool:
    return each.length is not None and each.length.kind == "i"
