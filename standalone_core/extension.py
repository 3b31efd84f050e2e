# SPDX-License-Identifier: MIT
"""Names for applications that extend the core, beside the public names of the package.

A subclass of :class:`.Placeable` has to answer a :class:`LoneRay` and a :class:`RayBatch`. The
other names read arguments, do arithmetic, search near a pixel, and write files as the core does.
"""

from . import console
from .arguments import (
    Border,
    Cull,
    cull_sign,
    distance,
    finite,
    floats,
    indices,
    instance_of,
    is_one_of,
    points_together,
)
from .box import inverse_direction, slab_interval
from .cast.hits import scattered
from .cast.rays import LoneRay, RayBatch
from .closest.surface import Rule
from .concurrency.forks import cached, imported
from .copies import by_fields, of_this_copy
from .engines import Engine, engine_now
from .engines.numba import kernel_cache
from .engines.numba.compiling import explain_missing
from .errors import ArgumentError, DegenerateError, EngineError, IndexRangeError, OpenMeshError
from .files.whole_file import TakenFiles, atomic_write, check_writable, stamp_of
from .frame_ranges import frames_of
from .instancing.instance import instance_triangles, to_scene, to_scene_many
from .matrices import affine_inverse, affine_inverses, matrix4
from .near_pixel import TIE, AroundPixel, connected_to, nearest_shares, nearest_visible, pixels_away
from .numerics.arrays import (
    EPS,
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    SingleArray,
    cross,
    dot,
    finite_bounds,
    length,
    moved,
    normalized,
)
from .numerics.columns import alike, concatenated, runs
from .numerics.ray_triangle import cross3, dot3
from .numerics.reading import described, iterable
from .numerics.vectors import is_finite
from .numerics.vectors import normalized as unit_vector
from .tables import RayTable, Table, read_rays, write_exr, write_table
from .tables.answers import is_answer, write_answer, write_picture_answer
from .tables.formats import check_can_write
from .types import Integers, ManyPoints, OnePoint, Reals

# Reading of arguments
__all__ = ["ArgumentError", "Border", "Cull", "DegenerateError", "EngineError", "IndexRangeError"]
__all__ += ["Integers", "ManyPoints", "OnePoint", "OpenMeshError", "Reals", "Rule"]
__all__ += ["affine_inverse", "affine_inverses", "by_fields", "cull_sign", "described"]
__all__ += ["distance", "finite", "floats", "indices", "instance_of", "is_one_of", "iterable"]
__all__ += ["matrix4", "of_this_copy", "points_together"]
# Arithmetic
__all__ += ["EPS", "BoolArray", "FloatArray", "IndexArray", "IntArray", "SingleArray", "cross"]
__all__ += ["cross3", "dot", "dot3", "finite_bounds", "inverse_direction", "is_finite", "length"]
__all__ += ["moved", "normalized", "slab_interval", "unit_vector"]
# Meshes, and scenes of them
__all__ += ["Engine", "LoneRay", "RayBatch", "alike", "concatenated", "engine_now"]
__all__ += ["explain_missing", "instance_triangles", "kernel_cache", "runs", "scattered"]
__all__ += ["to_scene", "to_scene_many"]
# Near a pixel
__all__ += ["TIE", "AroundPixel", "connected_to", "nearest_shares", "nearest_visible"]
__all__ += ["pixels_away"]
# Files
__all__ += ["RayTable", "Table", "TakenFiles", "atomic_write", "check_can_write"]
__all__ += ["check_writable", "is_answer", "read_rays", "stamp_of", "write_answer"]
__all__ += ["write_exr", "write_picture_answer", "write_table"]
# Cached values and imports that are safe in a forked child
__all__ += ["cached", "imported"]
# Shell commands: exit codes, one-line errors, progress, reports, frames
__all__ += ["console", "frames_of"]
