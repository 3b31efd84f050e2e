# SPDX-License-Identifier: GPL-3.0-or-later
"""What was looked up in each view layer: two windows may show two scenes."""

from __future__ import annotations

from typing import Generic, TypeVar

State = tuple[tuple[int, int], int]
"""Of a view layer: the state of its scene, and the number of the last change of landmarks."""

_MOST = 8

_Value = TypeVar("_Value")


class ByViewLayer(Generic[_Value]):
    """A value for each view layer, and the state that it was looked up in."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[State, _Value]] = {}

    def at(self, state: State) -> _Value | None:
        """What was looked up in a state; None where that is another by now."""
        known = self._held.get(_layer(state))
        return known[1] if known is not None and known[0] == state else None

    def last(self, state: State) -> _Value | None:
        """What was last looked up in the same view layer; None for nothing."""
        known = self._held.get(_layer(state))
        return None if known is None else known[1]

    def keep(self, state: State, value: _Value) -> _Value:
        """Keep what was looked up in a state, and return it."""
        if _layer(state) not in self._held and len(self._held) >= _MOST:
            self._held.clear()
        self._held[_layer(state)] = state, value
        return value

    def values(self) -> list[_Value]:
        """What was last looked up, in all view layers."""
        return [value for _, value in self._held.values()]

    def clear(self) -> None:
        """Forget all."""
        self._held.clear()


def _layer(state: State) -> int:
    """The address of the depsgraph of a view layer."""
    return state[0][1]
