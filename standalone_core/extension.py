# SPDX-License-Identifier: MIT
"""What an application that extends the core may use of it, beside the public names of the package.

A subclass of :class:`.Placeable` has to answer a :class:`LoneRay` and a :class:`RayBatch`. The rest
reads arguments, does arithmetic and looks near a pixel as the core does.
"""

from .arguments import (
    Cull,
    affine_inverse,
    cull_sign,
    distance,
    finite,
    floats,
    instance_of,
    is_one_of,
    iterable,
    matrix4,
)
from .cast.rays import LoneRay, RayBatch
from .engines import Engine, cache_folder, engine_now
from .errors import ArgumentError, DegenerateError, EngineError, IndexRangeError
from .files.whole_file import atomic_write
from .near_pixel.around_pixel import AroundPixel, nearest_shares, pixels_away
from .near_pixel.connected import connected_to
from .near_pixel.nearest_visible import TIE, nearest_visible
from .numerics.arrays import (
    EPS,
    BoolArray,
    FloatArray,
    IntArray,
    cross,
    dot,
    length,
    moved,
    normalized,
)
from .numerics.bounds import finite_bounds
from .numerics.reading import described
from .polygons.polygons import Polygons, runs

__all__ = [
    "EPS",
    "TIE",
    "ArgumentError",
    "AroundPixel",
    "BoolArray",
    "Cull",
    "DegenerateError",
    "Engine",
    "EngineError",
    "FloatArray",
    "IndexRangeError",
    "IntArray",
    "LoneRay",
    "Polygons",
    "RayBatch",
    "affine_inverse",
    "atomic_write",
    "cache_folder",
    "connected_to",
    "cross",
    "cull_sign",
    "described",
    "distance",
    "dot",
    "engine_now",
    "finite",
    "finite_bounds",
    "floats",
    "instance_of",
    "is_one_of",
    "iterable",
    "length",
    "matrix4",
    "moved",
    "nearest_shares",
    "nearest_visible",
    "normalized",
    "pixels_away",
    "runs",
]
