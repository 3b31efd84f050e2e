# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that nothing else has yet."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """Names that are taken; each that is given out is taken from then on."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*taken}
        self._following: dict[str, int] = {}  # by stem: all numbers before are taken

    def copy(self) -> Names:
        """The same names, of which others may be given out."""
        made = Names(self._taken)
        made._following = {**self._following}
        return made

    def free(self, wanted: str) -> str:
        """The name that is wanted, or, where it is taken, the next one with a number."""
        if wanted in self._taken:
            return self.numbered(wanted)
        self._taken.add(wanted)
        return wanted

    def numbered(self, stem: str) -> str:
        """The first of stem.001, stem.002 ... that is not taken, as in Blender."""
        number = self._following.get(stem, 1)
        while (name := f"{stem}.{number:03d}") in self._taken:
            number += 1
        self._following[stem] = number + 1
        self._taken.add(name)
        return name


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """The name that is wanted, or, where it is taken, the next one with a number."""
    return Names(taken).free(wanted)
