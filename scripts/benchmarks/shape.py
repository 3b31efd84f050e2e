# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh that is measured."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Shape:
    """A mesh by its arrays, as a program holds it: float64 vertices, int32 triangles."""

    name: str
    vertices: np.ndarray
    triangles: np.ndarray
    group: str = ""  # whose ratios are summed up together

    def __len__(self) -> int:
        return len(self.triangles)

    @property
    def corners(self) -> np.ndarray:
        """Lower and upper corner (2, 3) around all vertices."""
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])


def save(shape: Shape, folder: Path) -> None:
    """Write a shape for another process to :func:`read`."""
    np.save(folder / "vertices.npy", shape.vertices)
    np.save(folder / "triangles.npy", shape.triangles)


def read(folder: Path) -> Shape:
    """Read what :func:`save` wrote."""
    return Shape("", np.load(folder / "vertices.npy"), np.load(folder / "triangles.npy"))
