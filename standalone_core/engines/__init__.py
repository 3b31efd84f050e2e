# SPDX-License-Identifier: MIT
"""The engines that build trees and cast rays, with the same answers to the last bit."""

import warnings
from typing import Any, Literal, Protocol, cast

from ..arguments import is_one_of
from ..bvh import Tree
from ..cast.rays import Geometry, LoneRay, Measured, RayBatch
from ..closest.places import ClosestPoints
from ..concurrency.threads import Progress
from ..errors import EngineError
from ..hit import Hit, RayHits
from ..numerics.arrays import BoolArray, FloatArray, IndexArray, IntArray
from ..numerics.reading import described
from . import numpy_engine
from .numba import compiling
from .timed_engine import TimedEngine

Engine = Literal["auto", "numpy", "numba"]


class EngineWarning(RuntimeWarning):
    """NumPy answers, more slowly, instead of the engine that was asked for.

    Examples
    --------
    >>> import warnings
    >>> import standalone_core as sc
    >>> warnings.simplefilter("error", sc.EngineWarning)   # rather stop than be slow
    >>> warnings.simplefilter("default", sc.EngineWarning)
    """


class EngineModule(Protocol):
    """The functions of an engine; all coordinates are in the space of the geometry."""

    def build(
        self, geometry: Geometry, center: FloatArray, scale: float, progress: Progress
    ) -> Tree:
        """A tree over the finite triangles, in units of `scale`; errors of `progress` end it."""

    def refit(
        self, geometry: Geometry, order: IndexArray, center: FloatArray, scale: float
    ) -> Tree:
        """A tree with its boxes around the triangles, which are in a given order."""

    def improve(self, geometry: Geometry, tree: Tree, progress: Progress) -> None:
        """Make later casts at a tree faster; an error of `progress` ends the work."""

    def scan(self, geometry: Geometry, ray: LoneRay, extent: float) -> list[Hit]:
        """The hits of one ray, the nearest first, found without a tree.

        `extent` is the largest absolute value of a finite coordinate of the vertices.
        """

    def cast(self, geometry: Geometry, tree: Tree, ray: LoneRay) -> list[Hit]:
        """The hits of one ray, the nearest first."""

    def met_boxes(
        self, tree: Tree, lower: FloatArray, upper: FloatArray, margin: float, ray: LoneRay
    ) -> tuple[IntArray, FloatArray]:
        """Boxes (M,) that one ray meets, and the distances there (M,), the nearest first.

        The tree is over boxes with the corners (N, 3), which grow by the margin; the distances may
        be too small by as much.
        """

    def cast_many(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> tuple[IntArray, RayHits]:
        """The ray of each hit (N,), and the hits, sorted by ray and distance."""

    def cast_nearest(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> RayHits:
        """The nearest hit of each ray, misses included."""

    def any_hit(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> BoolArray:
        """Whether each ray hits anything, (R,)."""

    def count_hits(self, geometry: Geometry, tree: Tree, rays: RayBatch) -> IntArray:
        """The number of hits of each ray, (R,)."""

    def closest(
        self,
        geometry: Geometry,
        tree: Tree,
        points: FloatArray,
        limits: FloatArray,
        excluded: BoolArray | None,
    ) -> ClosestPoints:
        """The nearest places on the triangles to finite points (N, 3).

        Places further away than the limits (N,) do not count, nor do excluded triangles (T,).
        """

    def winding(
        self,
        geometry: Geometry,
        tree: Tree,
        points: FloatArray,
        tolerances: FloatArray,
        excluded: BoolArray | None,
    ) -> FloatArray:
        """The winding numbers of finite points (N, 3), see :func:`.winding_numbers`."""


class LoneCaster(Protocol):
    """Casts single rays at one mesh; for ordinary rays see :func:`.measure`."""

    def nearest(
        self, x: float, y: float, z: float, dx: float, dy: float, dz: float, limit: float
    ) -> Any:
        """The nearest hit of the ray (x, y, z), (dx, dy, dz), or None.

        NotImplemented if the ray is not ordinary.
        """


def check_engine(name: str) -> None:
    """Raise EngineError if there is no engine of that name, or it cannot be used here."""
    if not is_one_of(name, "auto", "numpy", "numba"):
        raise EngineError(f'engine must be "auto", "numpy" or "numba", not {described(name)}')
    why = compiling.reason() if name == "numba" else None
    if why is not None:
        raise EngineError(f'engine "numba" cannot be used: {why}')


def engine_named(name: str) -> EngineModule:
    """The engine of a name, which must be valid.

    ``"auto"`` takes NumPy until compiled code is ready. ``"numba"`` waits for that; if loading
    fails, an :class:`EngineWarning` says that NumPy answers.
    """
    if name == "numpy":
        return numpy_engine
    engine = compiling.engine(wait=name == "numba")
    if engine is not None:
        return engine
    why = compiling.reason()
    if name == "numba":
        message = f'NumPy answers instead of the engine "numba": {why or "the process ends"}'
        warnings.warn(message, EngineWarning, stacklevel=3)
    elif why is None:
        return cast(EngineModule, _timed_numpy)
    return numpy_engine


def measured(name: Engine, origins: FloatArray, directions: FloatArray) -> Measured | None:
    """The directions (R, 3) of rays, measured; None if one is of unusual length, or without numba.

    The origins are (R, 3) or (3,).
    """
    engine = _compiled(name)
    if engine is None or directions.ndim < 2:
        return None
    found: Measured | None = engine.measured(origins, directions)
    return found


def lone_caster_of(name: Engine, geometry: Geometry, tree: Tree) -> LoneCaster | None:
    """A caster of single rays with little Python for each, or None without compiled code."""
    engine = _compiled(name)
    return None if engine is None else engine.lone_caster(geometry, tree)


def engine_now(name: Engine) -> Literal["numpy", "numba"]:
    """The engine that answers now if `name` is asked for."""
    return "numpy" if _compiled(name) is None else "numba"


def _compiled(name: Engine) -> Any:
    """The compiled engine if it is there and may be used, else None."""
    return None if name == "numpy" else compiling.engine(wait=False)


_timed_numpy = TimedEngine(numpy_engine, compiling.engine_after)
