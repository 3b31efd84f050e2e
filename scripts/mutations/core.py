# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants of the core as NumPy runs it."""

from __future__ import annotations

from .mutant import Mutant


def _mutant(file: str, old: str, new: str, tests: str) -> Mutant:
    """One in a file of the core, judged by tests of the core without compiled code."""
    paths = " ".join(f"tests/core/{test}" for test in tests.split())
    return Mutant(f"standalone_core/{file}", old, new, f"{paths} --without-numba")


_CAMERA = (
    _mutant(
        "camera.py",
        "p1 - ndc_y[..., None] * p3",
        "p1 + ndc_y[..., None] * p3",
        "test_camera.py",
    ),
    _mutant(
        "camera.py",
        "forward = -forward if self._near == 1.0 else forward",
        "forward = -forward",
        "test_camera.py test_direct3d.py",
    ),
    _mutant(
        "camera.py",
        "w = np.where(clip[..., 3:] == 0.0, np.nan, clip[..., 3:])",
        "w = clip[..., 3:]",
        "test_camera_conventions.py",
    ),
    _mutant(
        "camera.py",
        "length(step) * 2.0 / self.width",
        "length(step) * 2.0 / self.height",
        "test_camera_depth.py",
    ),
)

_REGION = (
    _mutant(
        "cast/in_region.py",
        "_ROUNDING = 32 * EPS",
        "_ROUNDING = 0.0 * EPS",
        "test_region.py::test_what_is_inside_by_less_than_the_rounding_is_named",
    ),
    _mutant(
        "cast/in_region.py",
        "[np.minimum(normals, 0.0), np.maximum(normals, 0.0)]",
        "[np.maximum(normals, 0.0), np.minimum(normals, 0.0)]",
        "test_region.py",
    ),
    _mutant("cast/in_region.py", "finite & (shared == 0)", "shared == 0", "test_region.py"),
    _mutant(
        "near_pixel/around_pixel.py",
        "reach = radius * _WIDENING + _LEAST_REACH",
        "reach = radius * 0.99",
        "test_region.py",
    ),
    _mutant(
        "near_pixel/around_pixel.py",
        "[at_start, at_end], [0.0, 1.0], foot",
        "[at_start, at_end], [1.0, 0.0], foot",
        "near_pixel/test_nearest_visible.py",
    ),
    _mutant(
        "near_pixel/nearest_visible.py",
        "inside = value >= 0.0",
        "inside = value <= 0.0",
        "near_pixel/test_nearest_visible.py",
    ),
    _mutant(
        "near_pixel/nearest_visible.py",
        "depth = np.where(tied, dot(places, depths[:, None]), np.inf)",
        "depth = np.where(tied, -dot(places, depths[:, None]), np.inf)",
        "near_pixel/test_nearest_visible.py",
    ),
    _mutant(
        "near_pixel/nearest_visible.py",
        "(place[:, 0] > 0.0) & (place[:, 1:] >= 0.0).all(axis=1)",
        "place[:, 0] > 0.0",
        "near_pixel/test_nearest_visible.py",
    ),
)

_SCENE = (
    _mutant(
        "scene.py",
        "matrix=m, inverse=inverse)\n            self._index = None",
        "matrix=m, inverse=inverse)",
        "test_scene_instances.py",
    ),
    _mutant(
        "scene.py",
        "ids = range(self._next_id, self._next_id + len(instances))",
        "ids = range(len(self._instances), len(self._instances) + len(instances))",
        "test_scene_instances.py",
    ),
    _mutant(
        "scene.py",
        "key=lambda hit: (hit.distance, hit.instance, hit.triangle)",
        "key=lambda hit: (hit.distance, hit.triangle, hit.instance)",
        "test_scene_instances.py",
    ),
    _mutant(
        "instancing/instance.py",
        "normal=normalized(_apply(instance.inverse.T, hits.normal))",
        "normal=normalized(_apply(instance.matrix[:3, :3], hits.normal))",
        "test_scene_instances.py test_scene.py",
    ),
    _mutant(
        "instancing/instance.py",
        "columns = instance.inverse.T.tolist()",
        "columns = instance.inverse.tolist()",
        "test_scene.py",
    ),
    _mutant(
        "instancing/index.py",
        "mesh.revision != known for mesh",
        "mesh.revision < known for mesh",
        "instancing/test_index.py test_scene_instances.py",
    ),
    _mutant(
        "instancing/index.py",
        "reach = (size @ half[..., None])[..., 0]",
        "reach = np.abs(linear @ half[..., None])[..., 0]",
        "instancing/test_index.py",
    ),
    _mutant(
        "instancing/index.py",
        "reach += 8 * EPS * rounding",
        "reach += 0 * EPS * rounding",
        "instancing/test_index.py",
    ),
)

_MESH = (
    _mutant(
        "mesh.py",
        "if old.tree is not None and len(old.tree.order) == len(self.triangles):",
        "if old.tree is not None:",
        "test_mesh_refit.py",
    ),
    _mutant(
        "mesh.py",
        "if self._state is state:  # else refit() came in between",
        "if True:",
        "test_mesh_refit.py",
    ),
    _mutant("mesh.py", "self._revision += 1", "self._revision += 0", "test_mesh_refit.py"),
    _mutant("bvh/refit.py", "np.nextafter(*way)", "way[0].copy()", "bvh/test_refit.py"),
    _mutant(
        "bvh/approach.py",
        "REACH = 2.75",
        "REACH = 2.0",
        "files/test_hostile_mesh_files.py::test_a_tree_whose_boxes_reach_to_2_lost_hits",
    ),
    _mutant(
        "polygon_mesh.py",
        'triangle = arguments.row(triangle, self.triangle_count, "triangle")',
        "pass",
        "test_mended.py::test_true_as_the_number_of_a_triangle_was_taken_for_a_mask",
    ),
    _mutant(
        "bvh/refit.py",
        "upper[:, unknown] = -np.inf, np.inf",
        "upper[:, unknown] = np.inf, -np.inf",
        "bvh/test_refit.py",
    ),
    _mutant(
        "bvh/boxes.py",
        "np.maximum(np.maximum(first, second), third, out=upper[axis])",
        "np.maximum(first, second, out=upper[axis])",
        "bvh/test_boxes.py",
    ),
    _mutant(
        "bvh/approach.py",
        "* (1 + 1e-6) + 1e-6",
        "* (1 - 1e-6)",
        "bvh/test_approach.py",
    ),
    _mutant(
        "files/mesh_file.py",
        "if (finite & ~held).any():",
        "if (finite & ~held).all():",
        "files/test_mesh_file.py",
    ),
    _mutant(
        "files/mesh_file.py",
        "if np.count_nonzero(held) != len(order):",
        "if np.count_nonzero(held) > len(order):",
        "files/test_mesh_file.py",
    ),
    _mutant(
        "building/policy.py",
        "(rays - 1) * rent",
        "rays * rent",
        "building/test_policy.py test_mesh_paths.py",
    ),
)

_TRIANGLES = (
    _mutant(
        "numerics/ray_triangle.py",
        "SIDE_MARGIN = 32 * EPS",
        "SIDE_MARGIN = 0.25 * EPS",
        "numerics/test_ray_triangle.py",
    ),
    _mutant(
        "numerics/ray_triangle.py",
        "determinant2(dx, ex, dz, ez)",
        "determinant2(ex, dx, ez, dz)",
        "numerics/test_ray_triangle.py triangle/test_watertight.py",
    ),
    _mutant("cast/one_ray.py", "cull_sign == -side:", "cull_sign == side:", "cast/test_one_ray.py"),
    _mutant("cast/one_ray.py", "_SHORTER = 1.0 - 16 * EPS", "_SHORTER = 1.1", "test_mesh_paths.py"),
    _mutant(
        "cast/ray_pairs.py",
        "(distance <= rays.limits[row])",
        "(distance < rays.limits[row])",
        "cast/test_ray_pairs.py",
    ),
    _mutant(
        "polygons/quad_split.py",
        "unflipped = (product < -rounding) & (product < least - far)",
        "unflipped = product < 0.0",
        "polygons/test_quad_split.py",
    ),
    _mutant(
        "closest/on_triangle.py",
        "np.maximum(np.maximum(_dot(r, e1), _dot(r, e2)), 0.0)",
        "np.maximum(_dot(r, e1), 0.0)",
        "closest/test_search.py",
    ),
    _mutant(
        "closest/in_tree.py",
        "np.minimum(x, boxes[:, 3:], out=x)",
        "np.minimum(x, boxes[:, :3], out=x)",
        "closest/test_search.py",
    ),
)

IN_CORE = (*_CAMERA, *_REGION, *_SCENE, *_MESH, *_TRIANGLES)
