# SPDX-License-Identifier: MIT
"""Exact answers behind trimesh's ``mesh.ray``, ``mesh.nearest`` and ``mesh.contains``.

    install()

From then on every mesh of the process answers by these classes: those that exist and those to
come, copies, parts and primitives, with Embree or without, and so do trimesh's functions that ask
them, such as ``trimesh.proximity.thickness`` and ``trimesh.sample.volume_mesh``. :func:`uninstall`
ends that. For a single mesh, or without trimesh, there are the classes themselves:

    mesh.ray = RayMeshIntersector(mesh)
    mesh.nearest = ProximityQuery(mesh)

Copies and parts of such a mesh have trimesh's own classes again. Any object with `vertices` and
`faces` like trimesh's meshes will do. What a mesh is asked through any of these shares one tree.

Tested with trimesh 5.2; 3.23, 4.0, 4.4 and 4.12 have the same classes, and answer alike.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import wraps
from types import ModuleType
from typing import Any, Literal, overload

import numpy as np

from .. import arguments
from ..arguments import Border
from ..cast.hits import joined
from ..concurrency.forks import changing, imported
from ..errors import ArgumentError, MissingPackageError
from ..hit import RayHits
from ..mesh import Mesh
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from ..numerics.reading import described
from ..types import Reals
from .proximity import ProximityQuery
from .reading import MeshFollower, MeshLike, forget_followed, inside, point_rows

__all__ = ["ProximityQuery", "RayMeshIntersector", "install", "uninstall"]


class RayMeshIntersector:
    """An exact replacement of ``trimesh.Trimesh.ray``.

    Takes the arguments of both of trimesh's classes of this name, those after the rays by keyword,
    as the two have them in different orders. Keywords that trimesh ignores are ignored. Changes of
    the mesh are followed: moved vertices refit the tree, other faces build another.

    Parameters
    ----------
    geometry : trimesh.Trimesh
        The mesh; `mesh` is another name for it.
    scale_to_box : bool
        Ignored; it is in trimesh's signature. Answers are as good at any scale.
    border : {"open", "closed"}
        Whether a ray exactly through an edge or a corner where the surface ends hits there even if
        it hits something else too, as for :class:`.Mesh`.

    Notes
    -----
    A ray hits each triangle that it goes through; through an edge, it hits one of the triangles
    that share it, so nothing is missed or counted twice. A ray that goes through no triangle, but
    exactly touches an edge or a corner, hits there. A hit at the origin itself counts. All hits
    are found, unless `max_hits` is given, and sorted by ray and distance. Directions may have any
    length; invalid rays, such as those with NaN, hit nothing.

    Examples
    --------
    With trimesh: ``mesh.ray = RayMeshIntersector(mesh)``. With any object like its meshes:

    >>> class Triangle:
    ...     vertices, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]
    >>> ray = RayMeshIntersector(Triangle())
    >>> locations, index_ray, index_tri = ray.intersects_location(
    ...     [[5, 5, 1], [0.25, 0.5, 1]], [[0, 0, -1], [0, 0, -1]]
    ... )
    >>> locations.tolist(), index_ray.tolist(), index_tri.tolist()
    ([[0.25, 0.5, 0.0]], [1], [0])
    """

    def __init__(
        self,
        geometry: MeshLike | None = None,
        scale_to_box: bool = True,
        *,
        mesh: MeshLike | None = None,
        border: Border = "open",
    ) -> None:
        del scale_to_box
        given = [each for each in (geometry, mesh) if each is not None]
        if len(given) != 1:
            raise ArgumentError("one mesh is needed: geometry, or the same by the name mesh")
        self._follower = MeshFollower(given[0], border)

    @property
    def mesh(self) -> MeshLike:
        """The mesh of trimesh."""
        return self._follower.mesh

    @property
    def exact(self) -> Mesh:
        """The :class:`.Mesh` that answers, for queries that trimesh does not have."""
        return self._follower.exact

    @overload
    def intersects_id(
        self,
        ray_origins: Reals,
        ray_directions: Reals,
        *,
        return_locations: Literal[False] = ...,
        multiple_hits: bool = ...,
        max_hits: int | None = ...,
        **ignored: object,
    ) -> tuple[IntArray, IntArray]: ...

    @overload
    def intersects_id(
        self,
        ray_origins: Reals,
        ray_directions: Reals,
        *,
        return_locations: Literal[True],
        multiple_hits: bool = ...,
        max_hits: int | None = ...,
        **ignored: object,
    ) -> tuple[IntArray, IntArray, FloatArray]: ...

    @overload
    def intersects_id(
        self,
        ray_origins: Reals,
        ray_directions: Reals,
        *,
        return_locations: bool,
        multiple_hits: bool = ...,
        max_hits: int | None = ...,
        **ignored: object,
    ) -> tuple[IntArray, IntArray] | tuple[IntArray, IntArray, FloatArray]: ...

    def intersects_id(
        self,
        ray_origins: Reals,
        ray_directions: Reals,
        *,
        return_locations: bool = False,
        multiple_hits: bool = True,
        max_hits: int | None = None,
        **ignored: object,
    ) -> tuple[IntArray, IntArray] | tuple[IntArray, IntArray, FloatArray]:
        """Which triangles are hit.

        Parameters
        ----------
        ray_origins, ray_directions : array_like (R, 3)
        return_locations : bool
            Whether to return the places too.
        multiple_hits : bool
            All hits, or only the first of each ray.
        max_hits : int, optional
            How many hits of each ray to find at most, the nearest ones.
        **ignored
            Other keywords, which trimesh ignores too.

        Returns
        -------
        index_tri, index_ray : ndarray (N,) of int64
            Faces, and the rays that hit them.
        locations : ndarray (N, 3)
            With `return_locations`.
        """
        del ignored
        with_places = arguments.flag(return_locations, "return_locations")
        found = self._hits(*_rays(ray_origins, ray_directions), multiple_hits, max_hits)
        return found if with_places else found[:2]

    def intersects_location(
        self,
        ray_origins: Reals,
        ray_directions: Reals,
        multiple_hits: bool = True,
        *,
        max_hits: int | None = None,
        **ignored: object,
    ) -> tuple[FloatArray, IntArray, IntArray]:
        """The places (N, 3) of hits, with their rays (N,) and faces (N,).

        Parameters are those of :meth:`intersects_id`; `multiple_hits` may be positional.
        """
        del ignored
        rays = _rays(ray_origins, ray_directions)
        triangle, row, location = self._hits(*rays, multiple_hits, max_hits)
        return location, row, triangle

    def intersects_first(
        self, ray_origins: Reals, ray_directions: Reals, **ignored: object
    ) -> IntArray:
        """The face that each ray hits first, (R,) of int64; -1 where it hits nothing."""
        del ignored
        o, d = _rays(ray_origins, ray_directions)
        triangle, row, _ = self._hits(o, d, False, None)
        result = np.full(len(o), -1)
        result[row] = triangle
        return result

    def intersects_any(
        self, ray_origins: Reals, ray_directions: Reals, **ignored: object
    ) -> BoolArray:
        """Whether each ray hits anything, (R,)."""
        del ignored
        o, d = _rays(ray_origins, ray_directions)
        hit: BoolArray = self.exact.any_hit(o, d)
        hit[self._touched(o, d, hit, 1)[0]] = True
        return hit

    def contains_points(self, points: Reals) -> BoolArray:
        """Whether each point (N, 3) is inside of the mesh, (N,); one point (3,) makes one row.

        For a closed mesh the answer is that of :meth:`.Mesh.contains`. An open one has no inside,
        but, as in trimesh, points from which rays in two opposite directions both go through it an
        odd number of times count.
        """
        return _inside(self.exact, point_rows(points))

    def __repr__(self) -> str:
        return f"<RayMeshIntersector of {described(self.mesh)}>"

    def _hits(
        self, origins: FloatArray, directions: FloatArray, multiple_hits: bool, max_hits: int | None
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Face, ray and place of all hits and touches of rays (R, 3), by ray and distance."""
        most = arguments.most(max_hits, "max_hits")
        most = most if arguments.flag(multiple_hits, "multiple_hits") else 1
        hits, splits = self.exact.cast_rays_all(origins, directions, max_hits=most)
        count = np.diff(splits)
        hit_row = np.repeat(np.arange(len(origins)), count)
        row, hits = joined([(hit_row, hits), self._touched(origins, directions, count, most)])
        order = np.argsort(row, kind="stable")
        return hits.triangle[order], row[order], hits.point[order]

    def _touched(
        self,
        origins: FloatArray,
        directions: FloatArray,
        found: IntArray | BoolArray,
        most: int | None,
    ) -> tuple[IntArray, RayHits]:
        """The rows of rays (R, 3) without hits that touch the mesh, and where they do."""
        missed = np.flatnonzero(found == 0)
        row, hits = self._follower.touched(origins[missed], directions[missed], most)
        return missed[row], hits


def _inside(mesh: Mesh, points: FloatArray) -> BoolArray:
    result = inside(mesh, points)
    found = np.flatnonzero(result)
    both = inside(mesh, points[found], opposite=True)
    if not (both.all() or mesh.is_closed):  # at places on a closed one the two may differ
        result[found] = both
    return result


def _rays(origins: Reals, directions: Reals) -> tuple[FloatArray, FloatArray]:
    o, d = arguments.points_together(ray_origins=origins, ray_directions=directions)
    return o.reshape(-1, 3), d.reshape(-1, 3)


_installed = ExitStack()


def install(border: Border = "open") -> None:
    """Let all meshes of trimesh answer by these classes, until :func:`uninstall`.

    The methods of trimesh's two classes `RayMeshIntersector`, of its `ProximityQuery`, and its
    functions `closest_point` and `signed_distance` are exchanged. Meshes themselves are not
    changed, so it does not matter when or how they were made, and pickles need nothing of ours.
    An object of another class that was assigned to ``mesh.ray`` or ``mesh.nearest`` stays. Until
    then ``mesh.ray.exact`` and ``mesh.nearest.exact`` are the :class:`.Mesh` that answers.

    Where Embree is not installed ``trimesh.ray.has_embree`` is True meanwhile, and
    ``trimesh.ray.ray_pyembree`` is there: what it lacks is not needed. So PyVista's
    `multi_ray_trace` works. Neither rtree nor SciPy is needed.

    Parameters
    ----------
    border : {"open", "closed"}
        As for :class:`RayMeshIntersector`.

    Raises
    ------
    MissingPackageError
        If trimesh is not installed.

    Notes
    -----
    Another call only changes the `border`. Processes that are forked have it installed; others,
    such as those that are spawned, call it themselves. Functions that were imported by name before,
    as by ``from trimesh.proximity import closest_point``, are still trimesh's. So are the functions
    that take trees or arrays: `nearby_faces`, `closest_point_naive` and `ray_triangle_id`.

    Examples
    --------
    >>> import trimesh  # doctest: +SKIP
    >>> install()  # doctest: +SKIP
    >>> trimesh.creation.box().contains([[0, 0, 0], [0, 0, 1]])  # doctest: +SKIP
    array([ True, False])
    """
    border = arguments.one_of(border, "border", "open", "closed")
    try:
        trimesh = imported("trimesh")
    except ImportError:
        raise MissingPackageError("the drop-in needs trimesh (pip install trimesh)") from None
    with changing.here, ExitStack() as exchanged:
        _installed.close()
        for owner, name, value in _exchanges(trimesh, border):
            _exchange(exchanged, owner, name, value)
        if not trimesh.ray.has_embree:
            _take_the_place_of_embree(exchanged, trimesh.ray)
        _installed.push(exchanged.pop_all())


def uninstall() -> None:
    """Let trimesh answer again, for all meshes, those that were made meanwhile too.

    Without :func:`install` nothing happens.

    Examples
    --------
    >>> uninstall()
    """
    with changing.here:
        _installed.close()
    forget_followed()


def _exchanges(trimesh: Any, border: Border) -> Iterator[tuple[Any, str, Any]]:
    """What is exchanged: classes or modules, names in them, and what these stand for then."""

    def ray(theirs: Any) -> RayMeshIntersector:
        return RayMeshIntersector(theirs.mesh, border=border)

    def nearest(mesh: MeshLike) -> ProximityQuery:
        return ProximityQuery(mesh, border=border)

    def passed_on(name: str) -> Callable[..., Any]:
        return lambda self, *given, **named: getattr(ray(self), name)(*given, **named)

    # Trimesh's two classes have the arguments after the rays in different orders.
    def by_rtree(
        self: Any,
        ray_origins: Reals,
        ray_directions: Reals,
        return_locations: bool = False,
        multiple_hits: bool = True,
        **named: Any,
    ) -> Any:
        named |= {"return_locations": return_locations, "multiple_hits": multiple_hits}
        return ray(self).intersects_id(ray_origins, ray_directions, **named)

    def by_embree(
        self: Any,
        ray_origins: Reals,
        ray_directions: Reals,
        multiple_hits: bool = True,
        max_hits: int | None = None,
        return_locations: bool = False,
        **named: Any,
    ) -> Any:
        named |= {"multiple_hits": multiple_hits, "max_hits": max_hits}
        return by_rtree(self, ray_origins, ray_directions, return_locations, **named)

    modules: dict[str, Callable[..., Any]] = {"ray_triangle": by_rtree}
    if trimesh.ray.has_embree:
        modules["ray_pyembree"] = by_embree
    for name_of_module, intersects_id in modules.items():
        kind = getattr(trimesh.ray, name_of_module).RayMeshIntersector
        yield kind, "exact", property(lambda self: ray(self).exact)
        yield kind, "intersects_id", intersects_id
        for name in ("location", "first", "any"):
            yield kind, f"intersects_{name}", passed_on(f"intersects_{name}")
        yield kind, "contains_points", passed_on("contains_points")
    module = trimesh.proximity  # its class asks these functions, but for the vertices
    yield module, "closest_point", lambda mesh, points: nearest(mesh).on_surface(points)
    yield module, "signed_distance", lambda mesh, points: nearest(mesh).signed_distance(points)
    kind = module.ProximityQuery
    yield kind, "exact", property(lambda self: nearest(self._mesh).exact)
    yield kind, "vertex", lambda self, points: nearest(self._mesh).vertex(points)


def _exchange(exchanged: ExitStack, owner: Any, name: str, value: Any) -> None:
    """Set an attribute, until `exchanged` is closed."""
    if name in vars(owner):
        before = vars(owner)[name]
        value = wraps(before)(value) if callable(value) else value
        exchanged.callback(setattr, owner, name, before)
    else:
        exchanged.callback(delattr, owner, name)
    setattr(owner, name, value)


def _take_the_place_of_embree(exchanged: ExitStack, ray: Any) -> None:
    """Let trimesh's other class be the one for Embree too, with the arguments of both."""
    kind = ray.ray_triangle.RayMeshIntersector
    init = kind.__init__

    def with_both(
        self: Any, mesh: Any = None, scale_to_box: bool = True, *, geometry: Any = None
    ) -> None:
        del scale_to_box
        init(self, geometry if mesh is None else mesh)

    module = ModuleType(f"{ray.__name__}.ray_pyembree")
    module.RayMeshIntersector = kind  # type: ignore[attr-defined]
    _exchange(exchanged, kind, "__init__", with_both)
    _exchange(exchanged, ray, "ray_pyembree", module)
    _exchange(exchanged, ray, "has_embree", True)
    sys.modules[module.__name__] = module
    exchanged.callback(sys.modules.pop, module.__name__, None)


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
