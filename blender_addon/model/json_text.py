# SPDX-License-Identifier: GPL-3.0-or-later
"""Read untrusted JSON value by value, in bounded time and memory, and write it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

MOST_CHARACTERS = 1 << 20  # of a value that is read as a whole
_OVERHEAD = 400  # about the memory overhead of a short text, in characters

_VERSION = re.compile(r'\s*\{\s*"version"\s*:\s*([1-9][0-9]{0,8})\b')
_SPACE = re.compile(r"[ \t\n\r]*")


class UnreadableError(ValueError):
    """A text is no JSON, or has an unexpected form."""


class TooLargeError(ValueError):
    """A text is larger than allowed."""


def version_of(text: str) -> int | None:
    """The version that a text begins with, without reading the rest; None if there is none."""
    found = _VERSION.match(text[:1000])
    return None if found is None else int(found[1])


def written(values: Any) -> str:
    """A value as JSON in ASCII; TooLargeError if readers would refuse it."""
    text = json.dumps(values)
    if len(text) > MOST_CHARACTERS:
        raise TooLargeError("a value is too long to be read again")
    return text


def enclosed(begin: str, rows: Iterable[str], end: str) -> list[str]:
    """Rows to join by commas, with `begin` put before the first and `end` after the last."""
    every = [*rows] or [""]
    every[0] = begin + every[0]
    every[-1] += end
    return every


class Reader:
    """Reads a text from its beginning; UnreadableError or TooLargeError where that fails.

    A value that is read as a whole may have `most` characters, and all texts of :meth:`leave_out`
    together `most_left_out`.
    """

    def __init__(
        self, text: str, most: int = MOST_CHARACTERS, most_left_out: int = 8 << 20
    ) -> None:
        self.text, self.place = text, 0
        self._most, self._left = most, most_left_out
        self._part, self._begin = "", 0  # the part that is parsed, and where it begins

    def value(self) -> Any:
        """The next value as a whole."""
        self.place = self._at()
        for _ in range(2):
            found, end = self._parsed(self.place - self._begin)
            if end:
                self.place = self._begin + end
                return found
            self._begin = self.place
            self._part = self.text[self.place : self.place + self._most]
        if self.place + self._most < len(self.text):
            raise TooLargeError("a value is too long, or broken")
        raise UnreadableError(f"there is no value at character {self.place}")

    def items(self) -> Iterator[None]:
        """Go through a list; the caller reads an item at each step."""
        return self._parts("[", "]")

    def members(self) -> Iterator[str]:
        """Yield the keys of an object. The caller reads the value after each key."""
        known: set[str] = set()
        for _ in self._parts("{", "}"):
            key = self.value()
            if not isinstance(key, str) or key in known:
                raise UnreadableError(f"no key, or one that is there twice: {key!r:.100}")
            known.add(key)
            self._need(":")
            yield key

    def _parts(self, begin: str, end: str) -> Iterator[None]:
        self._need(begin)
        if self._take(end):
            return
        yield
        while not self._take(end):
            self._need(",")
            yield

    def is_next(self, mark: str) -> bool:
        """Whether a list or an object is next, by its first character."""
        return self.text.startswith(mark, self._at())

    def leave_out(self, begin: int) -> str:
        """The text from `begin` up to here, not parsed by the caller; its size is limited."""
        self._left -= self.place - begin + _OVERHEAD
        if self._left < 0:
            raise TooLargeError("too much of the text is of no use")
        return self.text[begin : self.place].strip()

    def end(self) -> None:
        """Check that nothing follows."""
        if self._at() != len(self.text):
            raise UnreadableError("something follows the text")

    def _parsed(self, begin: int) -> tuple[Any, int]:
        """The value at a place of the part, and its end; 0 where it does not end in the part."""
        if not 0 <= begin < len(self._part):
            return None, 0
        try:
            found, end = _DECODER.raw_decode(self._part, begin)
        except (ValueError, RecursionError):
            return None, 0
        # The end of the part may cut a number, before ".5", "e5" or "e+5".
        is_cut = len(self._part) - 2 <= end and self._begin + len(self._part) < len(self.text)
        return found, 0 if is_cut else end

    def _at(self) -> int:
        """The place of the next character that is no space."""
        found = _SPACE.match(self.text, self.place)
        return found.end() if found else self.place

    def _take(self, mark: str) -> bool:
        """Pass a character if it is next, and tell whether it was."""
        is_next = self.is_next(mark)
        if is_next:
            self.place = self._at() + 1
        return is_next

    def _need(self, mark: str) -> None:
        if not self._take(mark):
            raise UnreadableError(f"there is no {mark} at character {self.place}")


def _unique(pairs: list[tuple[str, Any]]) -> Any:
    """The members of an object as a dictionary, or as pairs if a key is there twice."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else pairs


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)
