# SPDX-License-Identifier: MIT
"""Exact picking: rays, triangles, meshes and scenes in NumPy alone.

    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> hit = mesh.ray_cast(origin=(0.25, 0.25, 1), direction=(0, 0, -1))
    >>> hit.triangle, hit.distance
    (0, 1.0)

Coordinates are float64, spaces are named in the docstrings, directions may have any length, and
distances are lengths in the caller's space.
"""

from typing import TYPE_CHECKING, Any

from . import bvh, compiled, errors, triangle, types
from .box import Box
from .building.buildable import MeshStats, TreeBuild
from .camera import Camera
from .closest.places import ClosestPoint, ClosestPoints
from .compiled import compile
from .concurrency.forks import imported as _imported
from .concurrency.threads import set_threads, thread_count
from .engines import EngineWarning
from .errors import RaypickError
from .geodesic.path import SurfacePath
from .hit import Hit, RayHits
from .instancing.instance import Instance, Placeable
from .mesh import Mesh
from .places.places import Places
from .places.thickness import Thickness
from .plane import Plane
from .polygon_mesh import PolygonMesh
from .ray import Ray, Rays
from .region import Region, Triangles
from .scene import Scene
from .sphere import Sphere
from .triangle import TriangleHit

if TYPE_CHECKING:
    from . import distributed, tables
    from .scene_file import load_mesh, load_scene, save_scene

__version__ = "0.2.0"  # of the core and of the extension: both manifests take it from here

# Geometry
__all__ = ["Box", "Camera", "Plane", "Ray", "Rays", "Region", "Sphere"]
# Meshes, and scenes of them
__all__ += ["Instance", "Mesh", "MeshStats", "Placeable", "PolygonMesh", "Scene", "TreeBuild"]
__all__ += ["load_mesh", "load_scene", "save_scene"]
# Results
__all__ += ["ClosestPoint", "ClosestPoints", "Hit", "RayHits", "TriangleHit", "Triangles"]
# Places on meshes, and measures there
__all__ += ["Places", "SurfacePath", "Thickness"]
# Threads and compiled code
__all__ += ["compile", "compiled", "set_threads", "thread_count"]
# Many machines
__all__ += ["distributed"]
# Errors, and public modules
__all__ += ["EngineWarning", "RaypickError", "bvh", "errors", "tables", "triangle", "types"]

# The modules that are imported when they are first asked for, with the names in __all__ from them.
_LATER = {"distributed": (), "scene_file": ("load_mesh", "load_scene", "save_scene"), "tables": ()}


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name == module or name in names:
            found = _imported(f"{__name__}.{module}")
            return found if name == module else getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
