# SPDX-License-Identifier: GPL-3.0-or-later
"""The ray casters that Raypick is compared with, as far as this machine has them."""

from collections.abc import Callable
from typing import Any

import numpy as np

import standalone_core as sc
from checkout import say

from . import meshes
from .contestant import ENDS, Contestant, Raypick, Rows, float32
from .meshes import Shape, noisy_icosphere
from .timing import cores


class BlenderTree(Contestant):
    """Blender's BVHTree, from an object, the fastest way to make one; batches are a Python loop."""

    name = "BVHTree"
    package = "bpy"

    def __init__(self) -> None:
        import bpy
        from mathutils import Vector
        from mathutils.bvhtree import BVHTree

        from .in_blender.scenes import mesh_of

        self.bpy, self.vector, self.factory, self.mesh_of = bpy, Vector, BVHTree, mesh_of

    def prepare(self, shape: Shape) -> None:
        self.release()
        mesh = self.mesh_of(shape.name, float32(shape.vertices), shape.triangles)
        self.object = self.bpy.data.objects.new(shape.name, mesh)
        self.bpy.context.scene.collection.objects.link(self.object)

    def release(self) -> None:
        self.tree = self.graph = self.object = None
        self.bpy.ops.wm.read_factory_settings(use_empty=True)

    def forget(self) -> None:
        self.tree = None
        self.object.data.update()
        self.graph = self.bpy.context.evaluated_depsgraph_get()
        self.graph.update()

    def construct(self) -> None:
        self.tree = self.factory.FromObject(self.object, self.graph)

    def rays(self, origins: np.ndarray, directions: np.ndarray) -> Rows:
        pairs = zip(origins.tolist(), directions.tolist(), strict=True)
        return [(self.vector(origin), self.vector(direction)) for origin, direction in pairs]

    def distance(self, picked: tuple) -> float | None:
        return picked[3]

    def points(self, points: np.ndarray) -> Rows:
        return [(self.vector(point),) for point in points.tolist()]

    def closest_finder(self) -> Callable[..., Any]:
        return self.tree.find_nearest


def _batch_of_tensors(method: str, *limits: float) -> Callable[..., Callable[[], Any]]:
    """Return a `batch`; limits are shares of the directions, which are as long as segments then."""

    def batch(self: "Open3D", origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        rays = self.tensor(self._packed(origins, directions))
        return lambda: getattr(self.tree, method)(rays, *limits)

    return batch


class Open3D(Contestant):
    """Open3D's RaycastingScene: Embree on all cores."""

    name = "Open3D"
    package = "open3d"
    threads = cores()
    batch = batch_of_columns = _batch_of_tensors("cast_rays")
    batch_of_all = _batch_of_tensors("list_intersections")
    batch_of_any = _batch_of_tensors("test_occlusions")
    batch_of_counts = _batch_of_tensors("count_intersections")
    _between = _batch_of_tensors("test_occlusions", ENDS, 1 - ENDS)

    def __init__(self) -> None:
        import open3d

        self.scene = open3d.t.geometry.RaycastingScene
        self.tensor = open3d.core.Tensor.from_numpy

    def prepare(self, shape: Shape) -> None:
        self.vertices = self.tensor(float32(shape.vertices))
        self.triangles = self.tensor(shape.triangles.astype(np.uint32))

    def construct(self) -> None:
        self.tree = self.scene()
        self.tree.add_triangles(self.vertices, self.triangles)

    def build(self) -> None:
        self.tree.cast_rays(self.tensor(np.ones((1, 6), dtype=np.float32)))

    def rays(self, origins: np.ndarray, directions: np.ndarray) -> Rows:
        rows = self._packed(origins, directions)
        return [(self.tensor(rows[i : i + 1]),) for i in range(len(rows))]

    def picker(self) -> Callable[..., Any]:
        def pick(ray: Any) -> tuple[int, float]:
            found = self.tree.cast_rays(ray)
            return found["primitive_ids"].item(), found["t_hit"].item()

        return pick

    def distance(self, picked: tuple[int, float]) -> float | None:
        return picked[1] if np.isfinite(picked[1]) else None

    def batch_between(self, starts: np.ndarray, ends: np.ndarray) -> Callable[[], Any]:
        """Cast rays that go on for ever: `cast_rays` has no limits."""
        return self.batch(starts, ends - starts)

    def batch_of_any_between(self, starts: np.ndarray, ends: np.ndarray) -> Callable[[], Any]:
        return self._between(starts, ends - starts)

    def batch_of_closest(self, points: np.ndarray) -> Callable[[], Any]:
        queries = self.tensor(float32(points))
        return lambda: self.tree.compute_closest_points(queries)

    def _packed(self, origins: np.ndarray, directions: np.ndarray) -> np.ndarray:
        return float32(np.concatenate([origins, directions], axis=1))


class Embree(Contestant):
    """Embree itself, as embreex binds it: one thread."""

    name = package = "embreex"
    real = np.float32

    def __init__(self) -> None:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        self.scene, self.mesh = EmbreeScene, TriangleMesh

    def construct(self) -> None:
        self.tree = self.scene()
        self.mesh(self.tree, self.vertices, self.triangles)

    def build(self) -> None:
        one = np.ones((1, 3), dtype=np.float32)
        self.tree.run(one, one)

    def rays(self, origins: np.ndarray, directions: np.ndarray) -> Rows:
        return super().rays(float32(origins), float32(directions))

    def picker(self) -> Callable[..., Any]:
        def pick(origin: np.ndarray, direction: np.ndarray) -> tuple[int, float]:
            found = self.tree.run(origin, direction, output=1)
            return found["primID"].item(), found["tfar"].item()

        return pick

    def distance(self, picked: tuple[int, float]) -> float | None:
        return picked[1] if picked[0] >= 0 else None

    def batch(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        o, d = float32(origins), float32(directions)
        return lambda: self.tree.run(o, d, output=1)


class Trimesh(Contestant):
    """trimesh's intersector on top of embreex."""

    name = package = "trimesh"
    whole = np.int64

    def __init__(self) -> None:
        import trimesh
        from trimesh.ray.ray_pyembree import RayMeshIntersector

        self.mesh, self.intersector = trimesh.Trimesh, RayMeshIntersector

    def construct(self) -> None:
        mesh = self.mesh(self.vertices, self.triangles, process=False, validate=False)
        self.tree = self.intersector(mesh)

    def build(self) -> None:
        self.picker()(np.ones((1, 3)), np.ones((1, 3)))

    def picker(self) -> Callable[..., Any]:
        def pick(origin: np.ndarray, direction: np.ndarray) -> tuple[int, float] | None:
            points, _, triangles = self.tree.intersects_location(
                origin, direction, multiple_hits=False
            )
            if not len(triangles):
                return None
            return triangles.item(), float((points[0] - origin[0]) @ direction[0])

        return pick

    def batch(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        return lambda: self.tree.intersects_location(origins, directions, multiple_hits=False)

    def batch_of_all(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        return lambda: self.tree.intersects_location(origins, directions, multiple_hits=True)


class StaticLocator(Contestant):
    """VTK's vtkStaticCellLocator; batches are a Python loop."""

    name = "VTK"
    package = "vtk"
    real = np.float32

    def __init__(self) -> None:
        from vtkmodules import vtkCommonCore, vtkCommonDataModel
        from vtkmodules.util.numpy_support import numpy_to_vtk

        self.core, self.data, self.array = vtkCommonCore, vtkCommonDataModel, numpy_to_vtk

    def prepare(self, shape: Shape) -> None:
        super().prepare(shape)
        self.starts = np.arange(0, 3 * len(shape) + 1, 3, dtype=np.int32)
        self.reach = 4 * float(np.linalg.norm(np.diff(shape.corners, axis=0)))

    def release(self) -> None:
        super().release()
        self.surface = self.starts = None

    def construct(self) -> None:
        points, cells = self.core.vtkPoints(), self.data.vtkCellArray()
        points.SetData(self.array(self.vertices))
        cells.SetData(self.array(self.starts), self.array(self.triangles.ravel()))
        self.surface = self.data.vtkPolyData()
        self.surface.SetPoints(points)
        self.surface.SetPolys(cells)
        self.tree = self.data.vtkStaticCellLocator()
        self.tree.SetDataSet(self.surface)
        self.tree.BuildLocator()

    def rays(self, origins: np.ndarray, directions: np.ndarray) -> Rows:
        ends = (origins + self.reach * directions).tolist()
        return list(zip(origins.tolist(), ends, strict=True))

    def picker(self) -> Callable[..., Any]:
        mutable = self.core.mutable
        along, part, cell = mutable(0.0), mutable(0), mutable(0)
        point, weights, generic = [0.0] * 3, [0.0] * 3, self.data.vtkGenericCell()

        def pick(start: list, end: list) -> tuple[int, float] | None:
            met = self.tree.IntersectWithLine(
                start, end, 0.0, along, point, weights, part, cell, generic
            )
            return (int(cell), float(along) * self.reach) if met else None

        return pick

    def batch_of_all(self, origins: np.ndarray, directions: np.ndarray) -> Callable[[], Any]:
        rays = self.rays(origins, directions)
        points, cells = self.core.vtkPoints(), self.core.vtkIdList()

        def loop() -> None:
            for start, end in rays:
                self.tree.IntersectWithLine(start, end, 0.0, points, cells)

        return loop


MAKERS: dict[str, Callable[[], Contestant]] = {
    "raypick numpy": lambda: Raypick("numpy"),
    "raypick numba": lambda: Raypick("numba"),
    "BVHTree": BlenderTree,
    "Open3D": Open3D,
    "embreex": Embree,
    "trimesh": Trimesh,
    "VTK": StaticLocator,
}


def gather() -> tuple[list[Contestant], list[str]]:
    """Import and warm up all contestants; return them, and why others are absent."""
    present, absent = [], []
    for name, make in MAKERS.items():
        try:
            contestant = make()
            warm_up(contestant)
        except Exception as error:  # a library may raise anything
            if name.startswith("raypick") and not isinstance(error, sc.errors.EngineError):
                raise
            absent.append(f"without {name}: {error or type(error).__name__}")
            say(absent[-1])
        else:
            present.append(contestant)
    return present, absent


def warm_up(contestant: Contestant) -> None:
    """Do once all that will be measured: load libraries, compile, start threads; keep nothing."""
    shape = noisy_icosphere("warm-up", 1280, seed=0)
    contestant.prepare(shape)
    contestant.forget()
    origins, directions = meshes.incoherent_rays(shape.corners, 5000, np.random.default_rng(0))
    few = contestant.rays(origins[:8], directions[:8])
    casts: list[Callable[[], object]] = [lambda: [contestant.picker()(*ray) for ray in few]]
    for method in ("batch", "batch_of_all", "batch_of_any", "batch_of_counts"):
        if contestant.offers(method):
            casts.append(getattr(contestant, method)(origins, directions))
    if contestant.offers("batch_of_closest"):
        casts.append(contestant.batch_of_closest(origins))
    if isinstance(contestant, Raypick):
        casts.append(lambda: contestant.tree.refit(shape.vertices))
    for cast in casts:
        contestant.construct()
        cast()
        contestant.build()
        cast()
    contestant.release()
