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
from .box import inverse_direction, slab_interval
from .cast.rays import LoneRay, RayBatch
from .engines import Engine, cache_folder, engine_now
from .errors import ArgumentError, DegenerateError, EngineError, IndexRangeError
from .files.whole_file import atomic_write
from .near_pixel.around_pixel import AroundPixel, nearest_shares, pixels_away
from .near_pixel.connected import connected_to
from .near_pixel.nearest_visible import TIE, nearest_visible
from .numerics import vectors
from .numerics.arrays import (
    EPS,
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    SingleArray,
    cross,
    dot,
    length,
    moved,
    normalized,
)
from .numerics.bounds import finite_bounds
from .numerics.ray_triangle import cross3, dot3
from .numerics.reading import described

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
    "IndexArray",
    "IndexRangeError",
    "IntArray",
    "LoneRay",
    "RayBatch",
    "SingleArray",
    "affine_inverse",
    "atomic_write",
    "cache_folder",
    "connected_to",
    "cross",
    "cross3",
    "cull_sign",
    "described",
    "distance",
    "dot",
    "dot3",
    "engine_now",
    "finite",
    "finite_bounds",
    "floats",
    "instance_of",
    "inverse_direction",
    "is_one_of",
    "iterable",
    "length",
    "matrix4",
    "moved",
    "nearest_shares",
    "nearest_visible",
    "normalized",
    "pixels_away",
    "slab_interval",
    "vectors",
]
