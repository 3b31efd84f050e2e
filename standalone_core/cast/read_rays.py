# SPDX-License-Identifier: MIT
"""Read callers' rays, one or many, for casts."""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from .. import arguments
from ..arguments import Invalid
from ..copies import of_this_copy
from ..errors import ArgumentError, DtypeError, ShapeError
from ..hit import FaultArray
from ..numerics.arrays import FloatArray, repeated
from ..numerics.reading import check_rows, kind_of, kinds_within
from ..numerics.vectors import is_finite
from ..ray import Ray, Rays
from ..types import Reals
from .rays import (
    LoneRay,
    Measured,
    Query,
    RayBatch,
    lengthened,
    lengthened_many,
    ordinary,
    ordinary_many,
)

OneRay: TypeAlias = Ray | Reals
ManyRays: TypeAlias = Rays | Ray | Sequence[Ray] | Reals

# Faults of rays, see :data:`.FAULTS`.
_ORIGIN, _DIRECTION, _NO_LENGTH, _MAX_DISTANCE, _MIN_DISTANCE = range(1, 6)

_HAS_DIRECTION = "{} must stand alone, without a direction: pass max_distance and others by name"


def one_ray(
    origin: OneRay, direction: Reals | None, max_distance: Any, min_distance: Any, query: Query
) -> LoneRay:
    """Read one ray; an error if it is invalid."""
    if isinstance(origin, Ray):
        if direction is not None:
            raise ArgumentError(_HAS_DIRECTION.format("a Ray"))
        direction, origin = origin.direction, origin.origin
    elif direction is None:
        ray = of_this_copy(origin, Ray)
        if isinstance(ray, Ray):
            origin, direction = ray.origin, ray.direction
        else:
            both = _sixes(origin)
            if both is None or both.ndim != 1:
                raise ArgumentError(
                    "a ray is an origin and a direction, or a Ray alone, or the six numbers of "
                    f"both: {_named(origin)} is none of these"
                )
            origin, direction = both[:3], both[3:]
    o = arguments.three_floats(origin, "origin")
    if not is_finite(o):
        arguments.point(origin, "origin")
    d = arguments.three_floats(direction, "direction")
    limit = math.inf if max_distance is math.inf else arguments.distance(max_distance)
    start = 0.0 if min_distance is None else arguments.distance(min_distance, "min_distance")
    way, length = ordinary(d)
    if not 0.0 < length < math.inf:
        arguments.unit_directions(np.array(d), "direction")
    way, length = lengthened(way, length)
    return LoneRay(o, way, length, start, limit, query)


def many_rays(
    origins: ManyRays,
    directions: Reals | None,
    max_distance: Any,
    min_distance: Any,
    query: Query,
    invalid: Invalid,
    measured: Callable[[FloatArray, FloatArray], Measured | None],
) -> tuple[RayBatch, tuple[int, ...], FaultArray | None]:
    """Read rays of any shape: R rays, that shape (...), and their faults (R,), if there are any.

    Invalid rays get a limit below 0, or raise. If all rays are of ordinary lengths, `measured` may
    return their directions as :func:`.lengthened_many` makes them.
    """
    arguments.one_of(invalid, "invalid", "miss", "raise")
    if directions is None:
        origins, directions = _parts_of_many(origins)
    elif isinstance(origins, (Ray, Rays)) or Ray in kinds_within(origins):
        raise ArgumentError(_HAS_DIRECTION.format("rays"))
    o, d = arguments.points(origins, "origins"), arguments.points(directions, "directions")
    given_o, given_d = o, d
    shape = o.shape[:-1] if o.shape == d.shape else _common_shape(o, d)
    count = math.prod(shape)
    check_rows(count, "rays")
    o, d = _flat(o, shape), _flat(d, shape)
    least = 0.0 if min_distance is None else min_distance
    starts, bad_starts = arguments.distances(least, "min_distance", shape, invalid)
    limits, bad_limits = arguments.distances(max_distance, "max_distance", shape, invalid)
    known, faults = measured(o, d), None
    if known is None or bad_starts is not None or bad_limits is not None:
        if invalid == "raise":
            arguments.finite(given_o, "origins")
            ordinary_directions(given_d)
        o, d, lengths, faults = _ordinary_rays(o, d)
        for bad, fault in ((bad_limits, _MAX_DISTANCE), (bad_starts, _MIN_DISTANCE)):
            if bad is not None:
                faults = np.where(bad & (faults == 0), np.uint8(fault), faults)
        faults = np.broadcast_to(faults, count)
        limits = np.where(faults > 0, -1.0, limits)
    else:
        d, lengths = known
    if d.ndim == 1:
        d, lengths = repeated(d, count), repeated(np.asarray(lengths), count)
    if o.ndim == 1:
        o = repeated(o, count)
    rays = RayBatch(o, d, lengths, starts, limits, query)
    return rays, shape, faults if faults is not None and faults.any() else None


def _named(value: Any) -> str:
    return f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else kind_of(value)


def _parts_of_many(rays: ManyRays) -> tuple[Reals, Reals]:
    if isinstance(rays, Ray):
        return rays.origin, rays.direction
    if isinstance(rays, Rays):
        return rays
    if isinstance(rays, (list, tuple)) and all(isinstance(each, Ray) for each in rays):
        return [each.origin for each in rays], [each.direction for each in rays]
    own = _of_this_copy(rays)
    if own is not rays:
        return _parts_of_many(own)
    both = _sixes(rays)
    if both is not None:
        return both[..., :3], both[..., 3:]
    got = _named(rays)
    if isinstance(rays, (list, tuple)):
        row = next(i for i, each in enumerate(rays) if not isinstance(each, Ray))
        got = f"{got} with {kind_of(rays[row])} at {row}"
    raise ArgumentError(
        "rays are origins and directions, or alone a Ray, a list of Ray, Rays as a camera makes "
        f"them, or numbers (..., 6), the origin's before the direction's: {got} is none of these"
    )


def _sixes(rays: Any) -> FloatArray | None:
    """Origins and directions in one array (..., 6); None for anything else."""
    if hasattr(type(rays), "__raypick__"):
        return None
    try:
        array = arguments.floats(rays, "rays")
    except (DtypeError, ShapeError):
        if hasattr(type(rays), "__dlpack__") and not isinstance(rays, np.ndarray):
            raise  # an array of another library: the error says why it cannot be read
        return None
    return array if array.ndim and array.shape[-1] == 6 else None


def _of_this_copy(rays: Any) -> Any:
    """Rays of another copy of this package as those of this one, or the same object."""
    found = of_this_copy(of_this_copy(rays, Rays), Ray)
    if found is not rays or not isinstance(rays, (list, tuple)):
        return found
    each = [of_this_copy(ray, Ray) for ray in rays]
    return each if all(isinstance(ray, Ray) for ray in each) else rays


def _common_shape(origins: FloatArray, directions: FloatArray) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(origins.shape[:-1], directions.shape[:-1])
    except ValueError:
        raise ShapeError(
            f"origins of shape {origins.shape} and directions of shape {directions.shape} "
            "do not fit each other"
        ) from None


def _flat(points: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Broadcast points (..., 3) to a shape, as (R, 3), contiguous; a single one for all as (3,)."""
    if points.shape[:-1] != shape:
        if points.size == 3:
            return points.reshape(3)
        points = np.broadcast_to(points, (*shape, 3))
    return points.reshape(-1, 3)


def _ordinary_rays(o: FloatArray, d: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, Any]:
    """Origins, directions, their lengths, and faults; rays with a fault get harmless numbers.

    A single origin or direction (3,) may stand for all rays.
    """
    good_o, good_d = (np.asarray(np.isfinite(x).all(axis=-1)) for x in (o, d))
    if not good_o.all():
        o = np.where(good_o[..., None], o, 0.0)
    d, square, _ = ordinary_many(d)
    has_length = (square > 0.0) & (square < np.inf)
    if not has_length.all():
        d = np.where(has_length[..., None], d, 1.0)
        square = np.where(has_length, square, 3.0)
    fault = np.where(has_length, 0, np.where(good_d, _NO_LENGTH, _DIRECTION))
    faults = np.where(good_o, fault, _ORIGIN).astype(np.uint8)
    d, lengths = lengthened_many(d, np.sqrt(square))
    return o, d, lengths, faults


def ordinary_directions(d: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Checked directions (..., 3) of ordinary length, and those lengths (...)."""
    result, square, _ = ordinary_many(d)
    if not ((square > 0.0) & (square < np.inf)).all():
        arguments.unit_directions(d, "directions")
    return result, np.sqrt(square)
