# SPDX-License-Identifier: GPL-3.0-or-later
"""Which landmarks are selected, and what a click in their list does to that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from .document import Document
from .landmark import Landmark
from .landmark_set import LandmarkSet

Extend = Literal["SET", "RANGE", "TOGGLE"]
"""What a click does: it selects one alone, all from the active one on, or changes one."""


def with_selected(document: Document, is_selected: Callable[[Landmark], bool]) -> Document:
    """The document with those landmarks selected and no others."""
    changed = document.changed(lambda each: _set(each, is_selected(each)))
    return document if changed == document else changed


def clicked(document: Document, landmark: str, extend: Extend) -> Document:
    """The document after a click at the landmark of an id, which becomes the active one."""
    found = document.find(landmark)
    if found is None:
        return document
    of, one = found
    document = document.with_set(of.with_landmark(one))
    if extend == "TOGGLE":
        return document.changed(
            lambda each: _set(each, not each.selected) if each.id == landmark else each
        )
    wanted = _between(of, one) if extend == "RANGE" else {landmark}
    return with_selected(document, lambda each: each.id in wanted)


def _between(of: LandmarkSet, one: Landmark) -> set[str]:
    """The ids from the active landmark of a set to another one."""
    first, last = sorted((min(of.active, len(of.landmarks) - 1), of.landmarks.index(one)))
    return {each.id for each in of.landmarks[first : last + 1]}


def _set(landmark: Landmark, selected: bool) -> Landmark:
    return landmark if landmark.selected == selected else replace(landmark, selected=selected)
