# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks as keypoints of pictures, in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .columns import Columns

Box: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right and top, in pixels from the bottom left of a picture."""


_KINDS = {
    "frame": np.int64,
    **dict.fromkeys(("camera", "object", "set", "name"), np.str_),
    **dict.fromkeys(("x", "y", "depth"), np.float64),
    **dict.fromkeys(("inside", "visible"), np.bool_),
    **dict.fromkeys(("hidden_by", "hidden_by_instancer"), np.str_),
}


class Picture(NamedTuple):
    """A camera at a frame, and the size of its picture in pixels."""

    frame: float
    camera: str  # the name of the camera object; "" for a camera of the core
    width: int
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class Keypoints(Columns):
    """Landmarks in pictures, as columns by name: ``keypoints["x"]``.

        keypoints["x"][keypoints["visible"]]
        keypoints["x"].reshape(keypoints.shape)  # (pictures, landmarks)
        pandas.DataFrame(dict(keypoints))

    Each column (R,) has a row for each frame, camera and landmark: frame after frame, camera after
    camera, and the landmarks object after object, set after set.

    Attributes
    ----------
    columns : dict of str to ndarray (R,)
        - `frame`: of int64, or of float64 if one is between two whole frames.
        - `camera`, `object`, `set`, `name`: texts. A camera of the core has no name.
        - `x`, `y`: pixels from the bottom left of the picture; pixel (0, 0) is from 0 to 1. NaN if
          the place is not known, or behind a camera with perspective.
        - `depth`: how far away the landmark is along the viewing direction, from the camera's own
          place; NaN if that is not known.
        - `inside`: whether the landmark is in the picture, within its border, and between the
          camera's clip start and end.
        - `visible`: whether it is inside, and nothing hides it.
        - `hidden_by`: the object that is seen there instead, if it is inside; else "".
        - `hidden_by_instancer`: what makes that object, if it is an instance; else "".
    pictures : tuple of Picture
        The `frame`, `camera`, `width` and `height` of each picture, in the order of the rows.
    """

    pictures: tuple[Picture, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """The number of pictures, and of landmarks in each."""
        count = len(self.pictures)
        return count, len(self) // count if count else 0

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.columns["x"])

    def __repr__(self) -> str:
        pictures, landmarks = self.shape
        visible = np.count_nonzero(self.columns["visible"])
        return f"<Keypoints {pictures} pictures, {landmarks} landmarks, {visible} visible>"


def joined(parts: Sequence[Keypoints]) -> Keypoints:
    """Keypoints of the same landmarks in several pictures."""
    columns = {
        name: np.concatenate([np.empty(0, kind), *(each[name] for each in parts)])
        for name, kind in _KINDS.items()
    }
    return Keypoints(columns, tuple(picture for each in parts for picture in each.pictures))


def without_nan(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Columns of Python's values, with None for NaN."""
    return {
        name: [None if value != value else value for value in column]
        for name, column in columns.items()
    }
