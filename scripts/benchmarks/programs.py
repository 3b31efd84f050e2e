# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are timed as whole processes, each as a user would write it.

    python -m benchmarks.programs QUERY CONTESTANT PATH

They import what they need and no more. The queries "closest" and "nearest" take a folder of arrays
in .npy files, "obj" takes an OBJ file, and "import" only measures the import of the core.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

QUERIES = {"closest": ("points",), "nearest": ("origins", "directions"), "obj": ()}
"""The arrays of each query."""

MESH = ("vertices", "triangles")
ORIGIN, DIRECTION = (0.1, 0.2, 9.0), (0.0, 0.0, -1.0)
"""The ray that is cast at an OBJ file."""


def raypick(query: str, path: str, engine: str = "auto") -> float:
    import standalone_core as sc

    if query == "obj":
        hit = sc.load_mesh(path, engine=engine).ray_cast(ORIGIN, DIRECTION)
        return float("inf") if hit is None else hit.distance
    import numpy as np

    vertices, triangles, *columns = (np.load(Path(path, f"{name}.npy")) for name in arrays(query))
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    found = mesh.closest_point(*columns) if query == "closest" else mesh.cast_rays(*columns)
    return float(found.distance[found.triangle.argmax()])


def numpy_alone(query: str, path: str) -> float:
    return raypick(query, path, "numpy")


def open3d(query: str, path: str) -> float:
    import numpy as np
    import open3d as o3d

    scene, tensor = o3d.t.geometry.RaycastingScene(), o3d.core.Tensor.from_numpy
    if query == "obj":
        scene.add_triangles(o3d.t.io.read_triangle_mesh(path))
        rays = np.array([[*ORIGIN, *DIRECTION]], dtype=np.float32)
        return scene.cast_rays(tensor(rays))["t_hit"].item()
    vertices, triangles, *columns = (np.load(Path(path, f"{name}.npy")) for name in arrays(query))
    scene.add_triangles(tensor(vertices.astype(np.float32)), tensor(triangles.astype(np.uint32)))
    asked = tensor(np.concatenate(columns, axis=1).astype(np.float32))
    if query == "closest":
        return float(scene.compute_closest_points(asked)["points"][0, 0].item())
    return float(scene.cast_rays(asked)["t_hit"][0].item())


def trimesh(_query: str, path: str) -> float:
    import trimesh as tm

    mesh = tm.load_mesh(path, process=False)
    points, _, _ = mesh.ray.intersects_location([ORIGIN], [DIRECTION], multiple_hits=False)
    return float(ORIGIN[2] - points[0][2])


def seconds_and_modules() -> tuple[float, int]:
    """How long the import of the core takes after that of NumPy, and how many modules it loads."""
    import numpy  # noqa: F401

    before, start = len(sys.modules), time.perf_counter()
    import standalone_core  # noqa: F401

    return time.perf_counter() - start, len(sys.modules) - before


def arrays(query: str) -> tuple[str, ...]:
    return MESH + QUERIES[query]


_ANY = {"raypick numba": raypick, "Open3D": open3d}  # numba comes by itself
_BATCHES: dict[str, Callable[[str, str], float]] = {**_ANY, "raypick numpy": numpy_alone}
PROGRAMS = {"closest": _BATCHES, "nearest": _BATCHES, "obj": {**_ANY, "trimesh": trimesh}}
"""By query and contestant."""

if __name__ == "__main__":
    query, *rest = sys.argv[1:]
    if query == "import":
        print(*seconds_and_modules())
    else:
        name, path = rest
        print(PROGRAMS[query][name](query, path))
