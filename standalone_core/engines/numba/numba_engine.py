# SPDX-License-Identifier: MIT
"""Trees built and rays cast by compiled code; importing this imports numba."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ...bvh import LEAF, Tree
from ...bvh.build import ORDER_SHARE, order_finite, over_leaves
from ...cast.hits import FoundHits, empty_found, in_a_row, joined, put
from ...cast.one_ray import intersect
from ...cast.rays import Geometry, LoneRay, Measured, Query, RayBatch
from ...cast.scan import candidates
from ...closest.places import ClosestPoints, without_places
from ...closest.winding import clusters_of
from ...concurrency.forks import Lock
from ...concurrency.threads import (
    Progress,
    ThreadLimit,
    go_on,
    limit_here,
    on_all_cores,
    one_by_one,
    thread_count,
)
from ...errors import IndexRangeError
from ...hit import Hit, OwnVectors, RayHits, UnreadColumns
from ...numerics.arrays import BoolArray, FloatArray, IndexArray, IntArray, SingleArray
from ...numerics.columns import Records
from .. import numpy_engine
from . import (
    build_kernel,
    cast_kernel,
    closest_kernel,
    hit_kernel,
    one_ray,
    packing,
    ray_kernel,
    tree_kernel,
    winding_kernel,
)
from .block_kernel import UNSURE
from .build_kernel import halve, order, record
from .cast_kernel import ANY, COUNT, EVERY, NEAREST
from .hit_kernel import BARYCENTRIC, NORMAL, POINT
from .kernel_types import FoundColumns, TreeArrays
from .one_ray import LoneCaster, faces_of
from .ray_kernel import SHORT, UNUSUAL

# New columns have room for so many hits of each ray, on average.
_USUAL = 4

# The most hits of one ray; a ray with more is left to NumPy.
_MOST_HITS = 1 << 12

# Rays that a thread checks at a time, before they are cast.
_LENGTHS = 1 << 16

# Boxes of instances that one ray may meet before it is left to NumPy.
_BOXES = 256

# The fewest rays that a thread takes at a time, and the most if they need new columns.
_LEAST_CHUNK, _CHUNK = 1 << 9, 1 << 13

# Points that a thread takes at a time.
_POINTS = 1 << 10

# Hits whose vectors a thread computes at a time.
_VECTORS = 1 << 12

_COLUMNS = {"barycentric": BARYCENTRIC, "normal": NORMAL, "point": POINT}

# The work of a ray or a point, compared with that of an element of an array.
_WORK = 1 << 6

# Nodes and triangles that compiled code tests before it returns for interrupts: 0.1 s at most.
EFFORT = 1 << 18

_NO_ROWS = np.empty(0, dtype=np.int64)

NO_MASK = np.empty(0, dtype=np.bool_)
"""Instead of a mask, where nothing is excluded."""

# Trees never change, so these entries live as long as their trees.
_casters: WeakKeyDictionary[Tree, LoneCaster] = WeakKeyDictionary()
_packing = Lock()
_in_order: WeakKeyDictionary[Tree, tuple[TreeArrays, IndexArray]] = WeakKeyDictionary()


def nbytes(tree: Tree) -> int:
    """Memory that is kept beside a tree, in bytes."""
    caster, known = _casters.get(tree), _in_order.get(tree)
    beside = 0 if known is None else known[1].nbytes
    return beside + (0 if caster is None else caster.nbytes)


def build(geometry: Geometry, center: FloatArray, scale: float, progress: Progress) -> Tree:
    """A tree over the finite triangles, in units of `scale`; errors of `progress` end it."""
    progress(0.0)
    middles = np.empty((3, len(geometry.triangles)), dtype=np.float32)
    _on_parts(build_kernel.middles, len(middles[0]), 1, geometry, center, scale, middles)
    order = order_finite(middles, order_items, lambda done: progress(done * ORDER_SHARE))
    tree = refit(geometry, order, center, scale)
    progress(1.0)
    return tree


def refit(geometry: Geometry, order: IndexArray, center: FloatArray, scale: float) -> Tree:
    """A tree with its boxes around the triangles, which are in a given order."""
    count = -(-len(order) // LEAF)
    lower = np.empty((3, count), dtype=np.float32)
    upper = np.empty_like(lower)
    _on_parts(build_kernel.leaves, count, LEAF, geometry, center, scale, order, lower, upper)
    boxes = lower, upper, center, scale
    tree = over_leaves(order, *boxes) if count else Tree(center, scale, order, ())
    lone_caster(geometry, tree)  # Packs the tree now, so that no cast waits.
    return tree


def improve(geometry: Geometry, tree: Tree, progress: Progress) -> None:
    """Make later casts at a tree faster; an error of `progress` ends the work."""
    packed = packing.packed_by_area(checked(geometry), tree, progress)
    caster = _casters.setdefault(tree, LoneCaster(geometry, packed))
    caster.take(packed)


def scan(geometry: Geometry, ray: LoneRay, extent: float) -> list[Hit]:
    """The hits of one ray, the nearest first, found without a tree."""
    return intersect(geometry, ray, scan_candidates(geometry, ray, extent))


def scan_candidates(geometry: Geometry, ray: LoneRay, extent: float) -> IntArray:
    """The triangles that a ray can hit, and few others."""
    vertices, triangles, _ = checked(geometry)
    steps = one_ray.code_vertices, one_ray.not_outside
    return candidates(ray, vertices, triangles, extent, *steps)


def cast(geometry: Geometry, tree: Tree, ray: LoneRay) -> list[Hit]:
    """The hits of one ray, the nearest first."""
    hits = lone_caster(geometry, tree).cast(ray)
    return numpy_engine.cast(geometry, tree, ray) if hits is None else hits


def lone_caster(geometry: Geometry, tree: Tree) -> LoneCaster:
    """The caster of single rays at a tree, which takes a better packed tree once there is one."""
    caster = _casters.get(tree)
    if caster is None:
        with _packing.here:  # The first thread packs, others wait.
            caster = _casters.get(tree)
            if caster is None:
                packed = packing.packed_along(checked(geometry), tree)
                caster = _casters.setdefault(tree, LoneCaster(geometry, packed))
    return caster


def met_boxes(
    tree: Tree, lower: FloatArray, upper: FloatArray, margin: float, ray: LoneRay
) -> tuple[IntArray, FloatArray]:
    """Boxes that one ray meets, and the distances there, the nearest first."""
    places, distances = np.empty(_BOXES, dtype=np.int64), np.empty(_BOXES)
    count = tree_kernel.met_boxes(
        *tree_arrays(tree), lower, upper, margin, *ray[:3], ray.limit, places, distances
    )
    if count < 0:
        return numpy_engine.met_boxes(tree, lower, upper, margin, ray)
    return places[:count], distances[:count]


def measured(origins: FloatArray, directions: FloatArray) -> Measured | None:
    """The directions (R, 3) of rays, measured; None if one is of unusual length.

    The origins are (R, 3) or (3,); both are contiguous.
    """
    count = len(directions)
    lengths = np.empty(count)
    given = np.atleast_2d(origins), 3 * (origins.ndim - 1), directions

    def measure(begin: int) -> int:
        kind: int = ray_kernel.measure(*given, begin, min(begin + _LENGTHS, count), lengths)
        return kind

    parts = range(0, count, _LENGTHS)
    kinds = set(on_all_cores(measure, parts, count))
    if UNUSUAL in kinds:
        return None
    if SHORT not in kinds:
        return directions, lengths
    longer = np.empty_like(directions)

    def lengthen(begin: int) -> None:
        ray_kernel.lengthen(directions, begin, min(begin + _LENGTHS, count), longer, lengths)

    on_all_cores(lengthen, parts, count)
    return longer, lengths


def cast_nearest(geometry: Geometry, tree: Tree, rays: RayBatch) -> RayHits:
    """The nearest hit of each ray, misses included."""
    found = empty_found(len(rays))
    _, unsure, _ = _in_chunks(geometry, tree, rays, NEAREST, found)
    others: list[OwnVectors] = []
    if len(unsure):
        hits = numpy_engine.cast_nearest(geometry, tree, rays.take(unsure))
        for name in ("distance", "triangle", "front"):
            getattr(found, name)[unsure] = getattr(hits, name)
        others.append((unsure, {name: getattr(hits, name) for name in _COLUMNS}))
    return _hits(geometry, tree, found, [_starts(found, rays.origins), *others])


def _starts(found: FoundHits, origins: FloatArray, row: IntArray | None = None) -> OwnVectors:
    """The points of hits (N,) at their rays' origins, which are exact; `row` has the rays (N,)."""
    starts = np.flatnonzero(found.distance == 0.0)
    return starts, {"point": origins[starts if row is None else row[starts]] + 0.0}


def _hits(
    geometry: Geometry, tree: Tree, found: FoundHits, others: Sequence[OwnVectors]
) -> RayHits:
    """Hits as :class:`.RayHits`; see :class:`.UnreadColumns` for `others`."""
    # Not the geometry's: compiled code does not check them again.
    known = geometry._replace(triangles=lone_caster(geometry, tree).triangles)
    faces_of = None if geometry.faces is None else geometry.faces.take
    unread = UnreadColumns(
        found.weights,
        faces_of,
        partial(_vectors_of, known, limit_here()),
        tuple(own for own in others if len(own[0])),
    )
    columns = {"distance": found.distance, "triangle": found.triangle, "front": found.front}
    hits = RayHits._read_later(unread, **columns)
    if not geometry.is_constant:
        hits._columns()  # now, as the caller may change the arrays
    return hits


def _vectors_of(
    geometry: Geometry,
    threads: int | None,
    names: Sequence[str],
    triangle: IntArray,
    weights: FloatArray,
) -> FloatArray:
    """Columns (K, N, 3) of N hits, made by so many threads; see :class:`.UnreadColumns`."""
    count = len(triangle)
    if triangle.max(initial=-1) >= len(geometry.triangles):
        raise IndexRangeError("the triangles of hits were changed")
    columns = np.empty((len(names), count, 3))
    rows = map(np.ascontiguousarray, (triangle, weights))
    given = geometry.vertices, geometry.triangles, *rows

    def fill(begin: int) -> None:
        end = min(begin + _VECTORS, count)
        for name, column in zip(names, columns, strict=True):
            hit_kernel.fill_vectors(given, _COLUMNS[name], begin, end, column)

    if count <= _VECTORS:
        fill(0)
    else:
        with ThreadLimit(threads):
            on_all_cores(fill, range(0, count, _VECTORS), count * _WORK)
    return columns


def any_hit(geometry: Geometry, tree: Tree, rays: RayBatch) -> BoolArray:
    """Whether each ray hits anything, (R,)."""
    return _counts(geometry, tree, rays, ANY).astype(np.bool_)


def count_hits(geometry: Geometry, tree: Tree, rays: RayBatch) -> IntArray:
    """The number of hits of each ray, (R,)."""
    return _counts(geometry, tree, rays, COUNT)


def _counts(geometry: Geometry, tree: Tree, rays: RayBatch, goal: int) -> IntArray:
    """The hits counted for each ray, (R,), by NumPy if compiled code is unsure."""
    counts, unsure, _ = _in_chunks(geometry, tree, rays, goal, empty_found(0))
    if len(unsure):
        left = geometry, tree, rays.take(unsure)
        if goal == ANY:
            counts[unsure] = numpy_engine.any_hit(*left)
        else:
            counts[unsure] = numpy_engine.count_hits(*left)
    return counts


def cast_many(geometry: Geometry, tree: Tree, rays: RayBatch) -> tuple[IntArray, RayHits]:
    """The ray of each hit (N,), and the hits, sorted by ray and distance."""
    if not rays.query.every:
        nearest = cast_nearest(geometry, tree, rays)
        rows = np.flatnonzero(nearest.hit)
        return rows, nearest.take(rows)
    counts, unsure, parts = _in_chunks(geometry, tree, rays, EVERY, None)
    found = in_a_row(parts, empty_found)
    row = np.repeat(np.arange(len(rays)), _written(counts))
    hits = _hits(geometry, tree, found, [_starts(found, rays.origins, row)])
    if not len(unsure):
        return row, hits
    known = counts[row] >= 0
    others, more = numpy_engine.cast_many(geometry, tree, rays.take(unsure))
    row, hits = joined([(row[known], hits.take(known)), (unsure[others], more)])
    order = np.argsort(row, kind="stable")
    return row[order], hits.take(order)


def _written(counts: IntArray) -> IntArray:
    """How many rows each ray has, by its count."""
    rows: IntArray = np.where(counts < UNSURE, UNSURE - counts, np.maximum(counts, 0))
    return rows


Cast = tuple[IntArray, IntArray, list[Records]]
"""The number of hits of each ray (R,), the rays left to NumPy, and new columns."""


def _in_chunks(
    geometry: Geometry, tree: Tree, rays: RayBatch, goal: int, columns: FoundHits | None
) -> Cast[FoundHits]:
    """Cast rays at a mesh as :func:`cast_in_chunks` does."""
    origins, starts, limits = map(_rows, (rays.origins, rays.starts, rays.limits))
    directions, lengths = map(np.ascontiguousarray, (rays.directions, rays.lengths))
    given = *origins, directions, lengths, *starts, *limits
    most_hits = _MOST_HITS if goal == EVERY else 1
    lone_caster(geometry, tree)  # Here all threads can help to pack it.

    def cast(begin: int, end: int, row: int, counts: IntArray, columns: FoundHits) -> int:
        mesh = _mesh_of(geometry, tree, rays.query)  # Anew each time: a better tree may have come.
        work = rays.query.cull_sign, goal, begin, end, most_hits, row, EFFORT
        into = FoundColumns(*columns._columns())
        stopped: int = cast_kernel.cast_many(mesh, given, work, counts, into)
        return stopped

    return cast_in_chunks(cast, len(rays), most_hits, columns, empty_found)


def cast_in_chunks(
    cast: Callable[[int, int, int, IntArray, Records], int],
    count: int,
    most_hits: int,
    columns: Records | None,
    empty: Callable[[int], Records],
) -> Cast[Records]:
    """Cast rays on all processors, and write their hits to columns, or to new ones if None.

    ``cast(begin, end, row, counts, columns)`` casts some, and returns where it stopped. New columns
    come from ``empty(rows)``, and are filled from their first row on; if they lack room for the
    most hits of a ray, others follow.
    """
    counts = np.empty(count, dtype=np.int64)

    def cast_chunk(chunk: tuple[int, int]) -> list[Records]:
        begin, end = chunk
        parts: list[Records] = []
        found, row = room_for(end - begin) if columns is None else columns, 0
        while begin < end:
            go_on()
            first = begin
            begin = cast(first, end, row, counts, found)
            if columns is None:
                row += int(_written(counts[first:begin]).sum())
                if begin < end and row > len(found) - most_hits:
                    parts.append(found.take(slice(row)))
                    found, row = room_for(end - begin), 0
        return [*parts, found.take(slice(row))] if columns is None else parts

    def room_for(rays: int) -> Records:
        """Columns for all hits of so many rays, or of the first that fit."""
        return empty(rays * _USUAL + _MOST_HITS)

    chunks = _chunks(count, _CHUNK if columns is None else count, 2 * thread_count())
    parts = on_all_cores(cast_chunk, chunks, count * _WORK)
    unsure = np.flatnonzero(counts < 0) if counts.min(initial=0) < 0 else _NO_ROWS
    return counts, unsure, list(chain.from_iterable(parts))


def _chunks(count: int, most: int, shares: int) -> Iterator[tuple[int, int]]:
    """The begin and end of each chunk, at most `most` long; each thread takes the next one.

    A chunk is the rest divided by `shares`. The first chunks are long, so threads write far from
    each other: side by side they would ask for the same fresh pages of memory, which are then
    cleared twice. The last ones are short, so no thread waits long for another.
    """
    begin = 0
    while begin < count:
        end = min(begin + min(max((count - begin) // shares, _LEAST_CHUNK), most), count)
        yield begin, end
        begin = end


def _rows(array: FloatArray) -> tuple[FloatArray, int]:
    """A contiguous array, and the distance between its rows: 0 if one row stands for all."""
    if len(array) and array.strides[0] == 0:
        return np.ascontiguousarray(array[:1]), 0
    return np.ascontiguousarray(array), array[:1].size


def closest(
    geometry: Geometry,
    tree: Tree,
    points: FloatArray,
    limits: FloatArray,
    excluded: BoolArray | None,
) -> ClosestPoints:
    """The nearest places on the triangles to points (N, 3), within limits (N,)."""
    count = len(points)
    if not len(tree.order):
        return without_places(count)
    mask = NO_MASK if excluded is None else np.ascontiguousarray(excluded)
    arrays, triangles = _implied(geometry, tree)
    mesh = geometry.vertices, triangles, faces_of(geometry), mask
    given = tuple(arrays), mesh, np.ascontiguousarray(points), np.ascontiguousarray(limits)
    distance, triangle = np.empty(count), np.empty(count, dtype=np.int64)
    place, face, barycentric = np.empty((count, 3)), np.empty_like(triangle), np.empty((count, 3))
    columns = distance, place, triangle, face, barycentric

    def find_chunk(begin: int) -> None:
        end = min(begin + _POINTS, count)
        while begin < end:
            go_on()
            begin = closest_kernel.closest(*given, (begin, end, EFFORT), columns)

    on_all_cores(find_chunk, range(0, count, _POINTS), count * _WORK)
    found = ClosestPoints(*columns, instance=np.minimum(triangle, 0))
    unsure = np.flatnonzero(triangle == closest_kernel.UNKNOWN)
    if len(unsure):
        rest = numpy_engine.closest(geometry, tree, points[unsure], limits[unsure], excluded)
        put(found, unsure, rest)
    return found


def winding(
    geometry: Geometry,
    tree: Tree,
    points: FloatArray,
    tolerances: FloatArray,
    excluded: BoolArray | None,
) -> FloatArray:
    """The winding numbers of points (N, 3), see :func:`.winding_numbers`."""
    count = len(points)
    numbers = np.zeros(count)
    if not len(tree.order):
        return numbers
    clusters = clusters_of(checked(geometry), tree, excluded)
    around = geometry.vertices, clusters.triangles, clusters.fields.reshape(-1)
    asked = np.ascontiguousarray(points), np.ascontiguousarray(tolerances)
    given = tuple(tree_arrays(tree)), around, *asked

    def ask_chunk(begin: int) -> None:
        end = min(begin + _POINTS, count)
        while begin < end:
            go_on()
            begin = winding_kernel.winding(*given, (begin, end, EFFORT), numbers)

    on_all_cores(ask_chunk, range(0, count, _POINTS), count * _WORK)
    return numbers


def tree_arrays(tree: Tree) -> TreeArrays:
    """The arrays of a tree, for kernels that go through its implied nodes."""
    center = tuple(tree.center.tolist())
    return TreeArrays(tree.nodes.reshape(-1), tree.starts, tree.order, center, tree.scale)


def _mesh_of(geometry: Geometry, tree: Tree, query: Query) -> tuple[Any, ...]:
    """The fields of a :class:`.PackedMesh`."""
    mask = NO_MASK if query.excluded is None else np.ascontiguousarray(query.excluded)
    packed = lone_caster(geometry, tree).packed
    return tuple(packed), geometry.vertices, mask.view(np.uint8)


def _implied(geometry: Geometry, tree: Tree) -> tuple[TreeArrays, IndexArray]:
    """The arrays of a tree, and its triangles in order, padded to whole leaves."""
    known = _in_order.get(tree)
    if known is None:
        # Compiled code reads whole leaves.
        order = np.concatenate([tree.order, tree.order[:1].repeat(-len(tree.order) % LEAF)])
        triangles = checked(geometry).triangles.take(order, axis=0)
        known = _in_order[tree] = tree_arrays(tree), triangles
    return known


# Triangles whose boxes a thread makes at a time.
_PART = 1 << 15

# Runs of items at most so long are ordered by one thread each.
_BLOCK = 1 << 18


def order_items(middles: SingleArray, progress: Progress) -> IndexArray:
    """A compiled :func:`.order.order_items`; its order is another one, but as good."""
    count = middles.shape[1]
    records = np.empty((count, 4), dtype=np.int32)
    record(middles, records)
    runs, done = [(0, count)], 0

    def halved(run: tuple[int, int]) -> list[tuple[int, int]]:
        begin, end = run
        if end - begin <= _BLOCK:
            return [run]
        cut = halve(records, begin, end)
        return [(begin, cut), (cut, end)]

    while any(end - begin > _BLOCK for begin, end in runs):
        runs = list(chain.from_iterable(on_all_cores(halved, runs, count)))
        progress(0.0)

    def ordered(run: tuple[int, int]) -> int:
        order(records, *run)
        return run[1] - run[0]

    for length in one_by_one(ordered, runs, count):
        done += length
        progress(done / max(count, 1))
    return records[:, 3].copy()


def _on_parts(
    kernel: Callable[..., None],
    count: int,
    triangles_each: int,
    geometry: Geometry,
    center: FloatArray,
    scale: float,
    *columns: npt.NDArray[Any],
) -> None:
    """Run a kernel in threads, for `count` items that have so many triangles each."""
    vertices, triangles, _ = checked(geometry)
    part = _PART // triangles_each

    def run(begin: int) -> None:
        end = min(begin + part, count)
        units = tuple(center.tolist()), scale
        kernel(vertices, triangles, *units, begin, end, *columns)

    on_all_cores(run, range(0, count, part), count * triangles_each)


def checked(geometry: Geometry) -> Geometry:
    """The geometry, if its triangles still have valid vertices.

    The caller may have changed the array, and compiled code does not check indices.
    """
    triangles = geometry.triangles
    if triangles.size and triangles.view(np.uint32).max() >= len(geometry.vertices):
        raise IndexRangeError("the triangles were changed: they name vertices that do not exist")
    return geometry
