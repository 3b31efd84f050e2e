# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of each ray: the passes of the command line, and the columns of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ..bridge.batch.columns import ATTRIBUTE
from ..model.scene_hits import SceneHits

PASSES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": ("object", "instance"),
        "face": ("face", "triangle"),
        "weights": ("barycentric",),
        "original": ("original_face",),
        "point": ("point",),
        "normal": ("normal",),
        "smooth": ("smooth_normal",),
        "uv": ("uv",),
        "depth": ("depth",),
        "distance": ("distance",),
        "front": ("front",),
        "material": ("material",),
        "vertices": ("vertices",),
    }
)
"""The columns of each pass; ``attribute:Name`` is a pass too."""

USUAL_CAST = ("id", "face", "weights", "point", "normal", "distance", "front")
USUAL_SURVEY = ("id", "face", "weights", "depth")


def read_passes(text: str) -> tuple[str, ...]:
    """Read names of passes, separated by commas; ValueError names one that there is not."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in PASSES and not (name.startswith(ATTRIBUTE) and name != ATTRIBUTE):
            known = ", ".join(PASSES)
            raise ValueError(f"passes are {known} and {ATTRIBUTE}NAME, not {name!r}")
    return names


def columns_of(passes: Sequence[str]) -> tuple[str, ...]:
    """The columns of passes, without those of attributes, in their order."""
    return tuple(column for name in passes for column in PASSES.get(name, ()))


def unknown_attributes(hits: SceneHits) -> set[str]:
    """The attributes among columns that nothing which was hit has; none where nothing was hit."""
    if not hits.hit.any():
        return set()
    named = {name.removeprefix(ATTRIBUTE): name for name in hits if name.startswith(ATTRIBUTE)}
    return {name for name, column in named.items() if np.isnan(hits[column]).all()}


def attributes_of(passes: Sequence[str], others: Sequence[str] = ()) -> tuple[str, ...]:
    """The names of the attributes among passes, and of others, each once."""
    named = [name.removeprefix(ATTRIBUTE) for name in passes if name.startswith(ATTRIBUTE)]
    return tuple(dict.fromkeys([*named, *others]))
