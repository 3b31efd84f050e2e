# SPDX-License-Identifier: GPL-3.0-or-later
"""Many places on one mesh, and what finds values there."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from ...model.scene_hits import Column
from ...standalone_core import RayHits
from ...standalone_core.extension import FloatArray, IndexArray


class Places(NamedTuple):
    """Hits at one mesh."""

    hits: RayHits  # (N,)
    matrices: FloatArray  # (N, 4, 4), local to world space
    corners: IndexArray  # (N, 3), the face corners of the triangles
    vertices: IndexArray  # (N, 3)


ValuesAt: TypeAlias = Callable[[Places], Column]
