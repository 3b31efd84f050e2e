# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of things in a list, some of which are moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

Way = Literal["UP", "DOWN", "TOP", "BOTTOM"]

_Item = TypeVar("_Item")


def moved(items: Sequence[_Item], is_moved: Callable[[_Item], bool], way: Way) -> tuple[_Item, ...]:
    """The items with some moved by one place, or to an end; they stay in their own order."""
    if way in ("TOP", "BOTTOM"):
        return tuple(sorted(items, key=lambda item: is_moved(item) == (way == "BOTTOM")))
    order = [*items] if way == "UP" else [*reversed(items)]
    for i in range(1, len(order)):
        if is_moved(order[i]) and not is_moved(order[i - 1]):
            order[i - 1], order[i] = order[i], order[i - 1]
    return tuple(order if way == "UP" else reversed(order))
