# SPDX-License-Identifier: MIT
"""Cameras: from pixels to the world and back, by any invertible projection."""

from __future__ import annotations

import math
from typing import Any, Self, overload

import numpy as np

from . import arguments, matrices, viewport
from .concurrency.threads import on_all_cores
from .errors import ArgumentError, ShapeError
from .matrices import Convention
from .numerics.arrays import (
    BoolArray,
    FloatArray,
    as_vectors,
    cross,
    dot,
    length,
    moved,
    normalized,
    pieces,
)
from .numerics.ray_triangle import cross3
from .numerics.reading import described_shape
from .numerics.values import Value
from .numerics.vectors import matmul, matrix_rank, solve
from .plane import Plane
from .ray import Ray, Rays
from .types import ManyPoints, OnePoint, Reals
from .viewport import Viewport

_BLOCK = 1 << 16

Pixel = tuple[float, float, float]
"""x, y and the depth of one point."""

Pixels = tuple[FloatArray, FloatArray, FloatArray]
"""x, y and depths (...) of many."""
"""Pixels in a block, whose numbers stay in the cache."""


class Camera(Value):
    """A view of the world: two matrices, a viewport and a convention.

    Cameras made of the same arguments are equal.

    Parameters
    ----------
    view : array_like (4, 4)
        World to view space. Affine.
    projection : array_like (4, 4)
        View to clip space: perspective, off-centre (lens shift) or orthographic.
    width, height : float
        Size of the viewport in pixels, above 0.
    convention : {"opengl", "direct3d"}
        - ``"opengl"`` (Blender's): matrices multiply column vectors, p' = M p; depth runs from
          -1 (near) to 1 (far); pixels count from the bottom left corner, y up.
        - ``"direct3d"``: matrices multiply row vectors, p' = p M; depth runs from 0 (near) to 1
          (far); pixels count from the top left corner, y down.

        Either takes left-handed and right-handed matrices.
    offset : (float, float)
        The pixel of the viewport's corner in its window, X and Y of a D3DVIEWPORT9.
    depth_range : (float, float), optional
        The depths of the two ends of the clip space: MinZ and MaxZ of a D3DVIEWPORT9, the arguments
        of ``glDepthRange``. By default depths stay those of the clip space.
    reversed_z : bool, optional
        Whether the large depth is near and the small one far. Only orthographic rays depend on it.
        True by default if everything visible would otherwise be behind the origin of view space;
        pass it if the clip planes are on both sides of that origin.

    Attributes
    ----------
    convention : {"opengl", "direct3d"}
        The one that the camera was made with.
    view : ndarray (4, 4)
        World to view space, for column vectors; read-only.
    projection : ndarray (4, 4)
        View to clip space, for column vectors; read-only.

    Raises
    ------
    SingularMatrixError, NonFiniteError, ShapeError, ArgumentError
        If a matrix cannot be inverted, or the viewport has no area.

    Notes
    -----
    Positions are real numbers: the corner of the viewport is at `offset`. Pixel i spans i to i + 1,
    its center is i + 0.5, and the ray through the whole pixel (i, j) is ``ray(i + 0.5, j + 0.5)``.

    The points seen at (x, y) lie on the two planes (P0 - X P3) . p = 0 and (P1 - Y P3) . p = 0,
    where P0 ... P3 are the rows of the projection and X, Y the position in [-1, 1]. The pick ray is
    their intersection. The depth row P2 takes no part, so a far clip plane costs no precision. (The
    tutorials' px = (2x/W - 1) / P00, py = (1 - 2y/H) / P11 is the case of a centred perspective.)

    Examples
    --------
    >>> import numpy as np
    >>> camera = Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 100, 100)  # orthographic
    >>> camera.ray(50, 50).direction.tolist()
    [0.0, 0.0, -1.0]
    >>> [round(float(x), 12) for x in camera.project((0.5, 0, -5))]
    [75.0, 50.0, 0.5]
    """

    __slots__ = ("_near", "_view_eye", "_viewport", "_world", "convention", "projection", "view")

    convention: Convention
    _viewport: Viewport
    view: FloatArray
    projection: FloatArray
    _view_eye: FloatArray | None
    _world: FloatArray  # view space to world space
    _near: float  # the depth in clip space where orthographic rays start

    @np.errstate(all="ignore")
    def __init__(
        self,
        view: Reals,
        projection: Reals,
        width: float,
        height: float,
        convention: Convention = "opengl",
        *,
        offset: Reals = (0.0, 0.0),
        depth_range: Reals | None = None,
        reversed_z: bool | None = None,
    ) -> None:
        matrices.check_convention(convention)
        v = matrices.matrix4(view, "view", convention)
        p = arguments.finite_floats(projection, "projection", (4, 4))
        p = p if convention == "opengl" else p.T
        if _divides_by_z(p[:, 3]) and not _divides_by_z(p[3]) and not p[3, [0, 1, 3]].any():
            matrices.refuse_transposed("projection", "a perspective", convention)
        matrices.inverse(p, "projection", convention)
        eye = _center_of_projection(p)
        if eye is not None:
            arguments.finite(eye, "the eye of projection")
        world = matrices.affine_inverse(v, "view", convention)
        arguments.finite(world, "the inverse of view")
        viewport = Viewport.read(width, height, convention, offset, depth_range)
        if reversed_z is None:
            # If the small depth were near, all that is visible would be behind the origin.
            reversed_z = eye is None and bool(p[2, 3] / p[3, 3] >= 1.0)
        else:
            reversed_z = arguments.flag(reversed_z, "reversed_z")
        self._hold(convention=convention, _viewport=viewport)
        self._hold(view=v, projection=p, _view_eye=eye, _world=world)
        self._hold(_near=1.0 if reversed_z else viewport.low)

    @classmethod
    def look_at(
        cls,
        eye: Reals,
        target: Reals,
        width: float,
        height: float,
        fov: float,
        up: Reals = (0.0, 0.0, 1.0),
        convention: Convention = "opengl",
        *,
        near: float = 0.1,
        far: float = 1000.0,
    ) -> Self:
        """A perspective camera at one point, looking at another.

        Parameters
        ----------
        eye, target : array_like (3,)
            In world space. The target is in the middle of the picture.
        width, height : float
            Size of the picture in pixels, which are square.
        fov : float
            Angle from its lower to its upper edge, in radians.
        up : array_like (3,)
            The direction that is up in the picture, as far as possible.
        convention : {"opengl", "direct3d"}
            Of pixels and depths: ``"opengl"`` counts pixels from the bottom left corner.
        near, far : float
            Distances of the clip planes from the eye, which get the first and the last depth. Rays
            do not depend on them.

        Raises
        ------
        DegenerateError
            If the eye is at the target, or looks along `up`; the message says which.

        Examples
        --------
        >>> import math
        >>> camera = Camera.look_at((0, -5, 0), (0, 0, 0), 640, 480, math.radians(40))
        >>> camera.ray(320, 240).direction.round(12).tolist()
        [0.0, 1.0, 0.0]
        """
        low = -1.0 if matrices.check_convention(convention) == "opengl" else 0.0
        size = Viewport.read(width, height, convention, (0.0, 0.0), None)
        projection = viewport.perspective(fov, size.width / size.height, near, far, low)
        view = viewport.looking(eye, target, up)
        if convention == "direct3d":
            view, projection = view.T, projection.T
        return cls(view, projection, width, height, convention)

    @classmethod
    def pinhole(
        cls,
        intrinsic: Reals,
        width: float,
        height: float,
        extrinsic: Reals | None = None,
        *,
        near: float = 0.1,
        far: float = 1000.0,
    ) -> Self:
        """The camera of an intrinsic matrix of computer vision: x right, y down, z forward.

        Its convention is ``"direct3d"``: pixels count from the top left corner.

        Parameters
        ----------
        intrinsic : array_like (3, 3)
            Camera space to pixels: focal lengths, skew, principal point. A pixel i spans i to
            i + 1; add 0.5 to a principal point counted from the first center, as in OpenCV.
        width, height : float
            Size of the picture in pixels.
        extrinsic : array_like (4, 4), optional
            World to camera space, affine, for column vectors; the identity by default.
        near, far : float
            As for :meth:`look_at`.

        Examples
        --------
        >>> camera = Camera.pinhole([[500, 0, 320], [0, 500, 240], [0, 0, 1]], 640, 480)
        >>> [round(float(x), 9) for x in camera.project((1, 0.5, 5))[:2]]
        [420.0, 290.0]
        """
        size = Viewport.read(width, height, "direct3d", (0.0, 0.0), None)
        projection = viewport.pinhole(intrinsic, size.width, size.height, near, far)
        given = np.eye(4) if extrinsic is None else extrinsic
        view = matrices.matrix4(given, "extrinsic", takes_convention=False)
        matrices.affine_inverse(view, "extrinsic")
        return cls(view.T, projection.T, width, height, "direct3d")

    def __raypick__(self) -> tuple[str, dict[str, Any]]:
        seen = self._viewport
        is_flipped = self.convention == "direct3d"
        return "Camera", {
            "view": self.view.T if is_flipped else self.view,
            "projection": self.projection.T if is_flipped else self.projection,
            "width": seen.width,
            "height": seen.height,
            "convention": self.convention,
            "offset": (seen.x, seen.y),
            "depth_range": (seen.start, seen.end),
            "reversed_z": self._near != seen.low,
        }

    @property
    def width(self) -> float:
        """Width of the viewport in pixels."""
        return self._viewport.width

    @property
    def height(self) -> float:
        """Height of the viewport in pixels."""
        return self._viewport.height

    @property
    def is_perspective(self) -> bool:
        """Whether rays spread from an eye; False where they are parallel (orthographic)."""
        return self._view_eye is not None

    @property
    def eye(self) -> FloatArray | None:
        """The point (3,) in the world that all rays come from, or None if they are parallel."""
        return None if self._view_eye is None else self._to_world(self._view_eye)

    def ray(self, x: Reals, y: float | None = None) -> Ray:
        """The pick ray through the pixel (x, y), in world space.

        It starts at the eye, or on the near clip plane of an orthographic view, and goes
        forward. Pixels outside of the viewport are allowed.

        Parameters
        ----------
        x, y : float
            The pixel; or `x` alone, an array (2,) of both numbers.

        Examples
        --------
        >>> import numpy as np
        >>> camera = Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 100, 100)
        >>> camera.ray(75, 50)
        Ray([0.5, 0.0, 10.0], [0.0, 0.0, -1.0])
        """
        px, py = _pixels(x, y)
        return Ray(*self.rays(arguments.number(px, "x"), arguments.number(py, "y")))

    @np.errstate(all="ignore")
    def rays(self, x: Reals | None = None, y: Reals | None = None) -> Rays:
        """Pick rays through many pixels, in world space, each as by :meth:`ray`.

        Parameters
        ----------
        x, y : array_like (...), optional
            Pixels, broadcast against each other; or `x` alone, an array (..., 2) of both. By
            default the centers of all pixels that begin in the viewport, (H, W): row j has the
            pixels (i, j), counted by the convention.

        Returns
        -------
        Rays
            It unpacks as ``origins, directions``, and goes as it is into :meth:`.Mesh.cast_rays`.
            The directions have length 1.

        Examples
        --------
        >>> import numpy as np
        >>> camera = Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 640, 480)
        >>> camera.rays().origins.shape
        (480, 640, 3)
        """
        px, py = self._viewport.pixels() if x is None and y is None else _pixels(x, y)
        shape = px.shape if px.shape == py.shape else np.broadcast_shapes(px.shape, py.shape)
        planes = self._pixel_planes(px, py)
        origins, directions = np.empty((*shape, 3)), np.empty((*shape, 3))
        count = math.prod(shape)
        if count <= _BLOCK:
            self._fill(origins, directions, *planes)
            return Rays(origins, directions)
        x_planes, y_planes = (np.broadcast_to(each, (*shape, 4)) for each in planes)

        def fill(rows: slice) -> None:
            self._fill(origins[rows], directions[rows], x_planes[rows], y_planes[rows])

        on_all_cores(fill, pieces(shape[0], max(_BLOCK * shape[0] // count, 1)), count)
        return Rays(origins, directions)

    @overload
    def project(self, point: OnePoint, world: Reals | None = ...) -> Pixel: ...

    @overload
    def project(self, point: ManyPoints, world: Reals | None = ...) -> Pixels: ...

    @np.errstate(all="ignore")
    def project(self, point: Reals, world: Reals | None = None) -> Pixel | Pixels:
        """Where points are seen: x, y in pixels, and the depth by the convention.

        Parameters
        ----------
        point : array_like (..., 3)
            In world space, or in an object's own space if `world` is given.
        world : array_like (4, 4), optional
            An object's space to world space, affine, in the camera's convention: what
            D3DXVec3Project takes.

        Returns
        -------
        x, y, depth : float or ndarray (...)
            NaN for a point in the plane of the eye. A point behind the eye is projected through
            it, and has a depth outside of the range from near to far.

        Examples
        --------
        >>> import numpy as np
        >>> camera = Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 100, 100)
        >>> x, y, depth = camera.project([(0.5, 0, -5), (0, -1, 0)])
        >>> x.tolist(), y.tolist(), depth.tolist()
        ([75.0, 50.0], [50.0, 0.0], [0.5, 0.0])
        """
        p = arguments.points(point, "point")
        if world is not None:
            p = moved(p, self._placed(world)[:3])
        clip = self._to_clip(p)
        w = np.where(clip[..., 3:] == 0.0, np.nan, clip[..., 3:])
        ndc = clip[..., :3] / w
        x, y = self._viewport.from_clip(ndc[..., 0], ndc[..., 1])
        z = self._viewport.depth_from_clip(ndc[..., 2])
        return (x, y, z) if x.ndim else (float(x), float(y), float(z))

    @overload
    def is_in_front(self, point: OnePoint) -> bool: ...

    @overload
    def is_in_front(self, point: ManyPoints) -> BoolArray: ...

    @np.errstate(all="ignore")
    def is_in_front(self, point: Reals) -> bool | BoolArray:
        """Whether world points lie in front of the eye.

        Parameters
        ----------
        point : array_like (..., 3)

        Returns
        -------
        bool or ndarray (...) of bool
            Clip planes and the viewport do not matter. False in the plane of the eye; True for all
            points in an orthographic view.

        Examples
        --------
        >>> import numpy as np
        >>> projection = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, -1], [0, 0, -1, 0]]
        >>> Camera(np.eye(4), projection, 100, 100).is_in_front([(0, 0, -5), (0, 0, 5)]).tolist()
        [True, False]
        """
        w = self._weights(arguments.points(point, "point"))
        in_front = w > 0.0 if self.is_perspective else np.ones(w.shape, dtype=np.bool_)
        return in_front if in_front.ndim else bool(in_front)

    @overload
    def pixel_size(self, point: OnePoint) -> float: ...

    @overload
    def pixel_size(self, point: ManyPoints) -> FloatArray: ...

    @np.errstate(all="ignore")
    def pixel_size(self, point: Reals) -> float | FloatArray:
        """The width of a pixel in world space, at the depth of world points.

        Parameters
        ----------
        point : array_like (..., 3)

        Returns
        -------
        float or ndarray (...)
            How far a point moves in world space when it moves by one pixel to the side and keeps
            its depth. View and projection may be scaled or off-centre. 0 in the plane of the eye,
            above 0 on both sides of it, and the same everywhere in an orthographic view.

        Examples
        --------
        A perspective of 90 degrees, 100 pixels wide: it shows a width of 10 at the depth 5.

        >>> import numpy as np
        >>> projection = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, -1], [0, 0, -1, 0]]
        >>> camera = Camera(np.eye(4), projection, 100, 100)
        >>> round(float(camera.pixel_size((2, 0, -5))), 12)
        0.1
        """
        w = self._weights(arguments.points(point, "point"))
        p0, p1, p2, p3 = self.projection[:, :3]
        across = cross(p1, p3 if self.is_perspective else p2)
        step = matmul(self._world[:3, :3], across / dot(across, p0))
        sizes = np.asarray(np.abs(w * length(step) * 2.0 / self.width))
        return sizes if sizes.ndim else float(sizes)

    @np.errstate(all="ignore")
    def unproject(self, x: Reals, y: Reals, depth: Reals, world: Reals | None = None) -> FloatArray:
        """The points (..., 3) seen at pixels x, y and a depth; the inverse of `project`.

        Parameters
        ----------
        x, y, depth : array_like (...)
            Broadcast against each other; depth by the convention, as `project` returns it.
        world : array_like (4, 4), optional
            As for :meth:`project`; the points are then in the object's own space.

        Returns
        -------
        ndarray (..., 3)
            If the depth is that of infinity (0 for a reversed projection without a far plane), the
            components that grow without bound are infinite.

        Examples
        --------
        >>> import numpy as np
        >>> camera = Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 100, 100)
        >>> camera.unproject(75, 50, 0.5).tolist()
        [0.5, 0.0, -5.0]
        """
        given = {"x": x, "y": y, "depth": depth}
        px, py, z = arguments.broadcast(
            **{name: arguments.finite_floats(value, name) for name, value in given.items()}
        )
        planes = self._pixel_planes(px, py)
        origins = self._view_starts(*planes)
        directions = self._view_directions(*planes, origins)
        clip_z = self._viewport.depth_to_clip(z)[..., None]
        plane_z = self.projection[2] - clip_z * self.projection[3]
        back = self._world
        if world is not None:
            placed = self._placed(world)
            back = matmul(matrices.affine_inverse(placed, "world", self.convention), back)
        start = dot(plane_z[..., :3], origins) + plane_z[..., 3]
        along = dot(plane_z[..., :3], directions)
        t = np.where((along == 0.0) & (start != 0.0), np.inf, -start / along)[..., None]
        there = moved(origins + t * directions, back[:3])
        ways = _turned(directions, back)
        endless = moved(origins, back[:3]) + np.where(ways == 0.0, 0.0, t * ways)
        return np.where(np.isinf(t), endless, there)

    def point_on_plane(self, x: float, y: float, plane: Plane) -> FloatArray | None:
        """The point (3,) of a world plane that is seen at the pixel (x, y), or None.

        None where the ray is parallel to the plane, or the plane is behind the ray's origin.

        Examples
        --------
        >>> import numpy as np
        >>> camera = Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 100, 100)
        >>> camera.point_on_plane(75, 50, Plane((0, 0, 1), 4)).tolist()
        [0.5, 0.0, -4.0]
        """
        ray = self.ray(x, y)
        t = arguments.instance_of(plane, Plane, "plane").intersect_ray(ray)
        return None if t is None else ray.at(t)

    def _placed(self, world: Reals) -> FloatArray:
        m = matrices.matrix4(world, "world", self.convention, takes_convention=False)
        matrices.affine_inverse(m, "world", self.convention)
        return m

    def _pixel_planes(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The planes (..., 4) in view space that are seen as a pixel's column and as its row."""
        ndc_x, ndc_y = self._viewport.to_clip(x, y)
        p0, p1, _, p3 = self.projection
        return _minus(p0, ndc_x, p3), _minus(p1, ndc_y, p3)

    @np.errstate(all="ignore")
    def _fill(
        self,
        origins: FloatArray,
        directions: FloatArray,
        x_planes: FloatArray,
        y_planes: FloatArray,
    ) -> None:
        """Write the rays (..., 3) in world space that are seen where these planes (..., 4) meet."""
        starts = self._view_starts(x_planes, y_planes)
        ways = self._view_directions(x_planes, y_planes, starts)
        directions[...] = normalized(_turned(ways, self._world))
        origins[...] = self._to_world(starts)

    def _view_starts(self, x_planes: FloatArray, y_planes: FloatArray) -> FloatArray:
        """The origins (..., 3) of rays in view space; a perspective has one, (3,)."""
        if self._view_eye is not None:
            return self._view_eye
        near = self.projection[2] - self._near * self.projection[3]
        rows = np.stack(np.broadcast_arrays(x_planes, y_planes, near), axis=-2)
        return np.asarray(solve(rows[..., :3], -rows[..., 3:])[..., 0])

    def _view_directions(
        self, x_planes: FloatArray, y_planes: FloatArray, starts: FloatArray
    ) -> FloatArray:
        """The unit directions (..., 3) of rays in view space."""
        (a, b, c), (d, e, f) = (
            [planes[..., i] for i in range(3)] for planes in (x_planes, y_planes)
        )
        directions = normalized(as_vectors(cross3((a, b, c), (d, e, f))))
        p2, p3 = self.projection[2], self.projection[3]
        if self.is_perspective:
            forward = dot(directions, p3[:3])
        else:
            forward = dot(directions, p2[:3]) * (dot(starts, p3[:3]) + p3[3])
            forward = -forward if self._near == 1.0 else forward
        is_backward = forward < 0.0
        if is_backward.any():  # mostly none or all
            np.negative(directions, out=directions, where=is_backward[..., None])
        return directions

    def _weights(self, points: FloatArray) -> FloatArray:
        """The clip coordinate w (...) of world points (..., 3)."""
        w: FloatArray = moved(moved(points, self.view[:3]), self.projection[3:])[..., 0]
        return w

    def _to_clip(self, points: FloatArray) -> FloatArray:
        """Clip coordinates (..., 4) of world points; far ones may be scaled to be finite."""
        clip = moved(moved(points, self.view[:3]), self.projection)
        lost = np.isfinite(points).all(axis=-1) & ~np.isfinite(clip).all(axis=-1)
        if lost.any():
            whole = np.insert(points[lost], 3, 1.0, axis=-1) * 2.0**-600
            clip[lost] = matmul(whole, matmul(self.projection, self.view).T)
        return clip

    def _to_world(self, points: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(matmul(points, self._world[:3, :3].T) + self._world[:3, 3])

    def __repr__(self) -> str:
        kind = "perspective" if self.is_perspective else "orthographic"
        return f"<Camera {kind} {self.width:g} x {self.height:g} {self.convention}>"


def _divides_by_z(row: FloatArray) -> bool:
    """Whether a row is the last of a perspective of graphics libraries: 0, 0, +-1, 0."""
    return bool((np.abs(row) == (0.0, 0.0, 1.0, 0.0)).all())


def _center_of_projection(projection: FloatArray) -> FloatArray | None:
    """The point (3,) in view space where x, y and w vanish; None where it is at infinity."""
    rows = projection[[0, 1, 3]]
    if matrix_rank(rows[:, :3]) < 3:
        return None
    return np.asarray(solve(rows[:, :3], -rows[:, 3]), dtype=np.float64)


def _minus(plane: FloatArray, factors: FloatArray, other: FloatArray) -> FloatArray:
    """A plane (4,) minus another one times each factor (...), (..., 4), by components."""
    rows = np.multiply.outer(other, factors)
    np.subtract(plane.reshape(4, *[1] * factors.ndim), rows, out=rows)
    return rows.transpose(*range(1, rows.ndim), 0)


def _turned(directions: FloatArray, matrix: FloatArray) -> FloatArray:
    """Directions (..., 3) times a matrix; each gets the same bits as if it were alone."""
    turned = as_vectors([dot(directions, row) for row in matrix[:3, :3]])
    turned += 0.0  # no -0.0
    return turned


def _pixels(x: Reals | None, y: Reals | None) -> tuple[FloatArray, ...]:
    """Read pixels: x and y, which must broadcast, or both as one array (..., 2)."""
    if x is None:
        raise ArgumentError("y is given without x")
    if y is None:
        both = arguments.finite_floats(x, "x")
        if both.ndim == 0 or both.shape[-1] != 2:
            given = described_shape(both.shape)
            raise ShapeError(f"without y, x must be pixels of shape (..., 2), not {given}")
        return both[..., 0], both[..., 1]
    columns, rows = arguments.finite_floats(x, "x"), arguments.finite_floats(y, "y")
    arguments.broadcast(x=columns, y=rows)
    return columns, rows  # not broadcast: a grid then needs few planes
