# SPDX-License-Identifier: GPL-3.0-or-later
"""Which landmarks are selected, and what a click in their list does to that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count
from typing import Literal

from .document import Document
from .landmark import Landmark
from .landmark_set import LandmarkSet

Extend = Literal["SET", "RANGE", "TOGGLE"]
"""What a click does: it selects one alone, all from the active one on, or changes one."""


def with_selected(document: Document, is_selected: Callable[[Landmark], bool]) -> Document:
    """The document with those landmarks selected and no others, new ones after the others."""
    numbers = count(1 + max((each.order for each in document.landmarks), default=0))

    def changed(landmark: Landmark) -> Landmark:
        selected = is_selected(landmark)
        if landmark.selected == selected:
            return landmark
        return replace(landmark, selected=selected, order=next(numbers) if selected else 0)

    found = document.changed(changed)
    return document if found == document else found


def in_order(landmarks: Iterable[Landmark]) -> list[Landmark]:
    """Selected landmarks of one object as they were selected, one after the other."""
    return sorted(landmarks, key=lambda each: each.order)


def clicked(document: Document, landmark: str, extend: Extend) -> Document:
    """The document after a click at the landmark of an id, which becomes the active one."""
    found = document.find(landmark)
    if found is None:
        return document
    of, one = found
    document = document.with_set(of.with_landmark(one))
    if extend == "TOGGLE":
        return with_selected(document, lambda each: each.selected != (each.id == landmark))
    wanted = _between(of, one) if extend == "RANGE" else {landmark}
    return with_selected(document, lambda each: each.id in wanted)


def _between(of: LandmarkSet, one: Landmark) -> set[str]:
    """The ids from the active landmark of a set to another one."""
    first, last = sorted((min(of.active, len(of.landmarks) - 1), of.landmarks.index(one)))
    return {each.id for each in of.landmarks[first : last + 1]}
