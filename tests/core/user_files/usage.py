# SPDX-License-Identifier: GPL-3.0-or-later
"""What users write, in the forms that they have it in, with the types of all answers."""

from typing import Any, TypeAlias, assert_type

import numpy as np
import numpy.typing as npt

import standalone_core as sc
from standalone_core.adapters.open3d import RaycastingScene, Tensor
from standalone_core.adapters.trimesh import RayMeshIntersector

Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]

corners = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
mesh = sc.Mesh(corners, np.array([(0, 1, 2)]), border="closed")
sc.Mesh([(0, 0, 0), (1, 0.5, 0), (0, 1, 0)], [[0, 1, 2]])
sc.Mesh([[[0, 0, 0], [1, 0.5, 0], [0, 1, 0]]])
sc.Mesh(corners.astype(np.float32), np.array([[0, 1, 2]], dtype=np.uint32))
polygons = sc.PolygonMesh(corners, [0, 1, 2], 3)
scene = sc.Scene()
scene.add(mesh, np.eye(4))
scene.add(polygons, name="polygons")

hit = mesh.ray_cast((0, 0, 1), [0, 0, -1.0], cull="back")
assert_type(hit, sc.Hit | None)
if hit is not None:
    assert_type(hit.triangle, int)
    assert_type(hit.point, Floats)
assert_type(mesh.ray_cast_all([0, 0, 1, 0, 0, -1]), list[sc.Hit])

origins = [(0.25, 0.25, 1.0), (9.0, 9.0, 1.0)]
hits = mesh.cast_rays(origins, (0, 0, -1), max_distance=[1, 2.5], cull=["back"], only=[True])
assert_type(hits, sc.RayHits)
assert_type(hits.distance, Floats)
assert_type(hits.triangle, Counts)
assert_type(hits[0], sc.Hit | None)
assert_type(hits[0, 1], sc.Hit | None)
assert_type(hits[np.argmin(hits.distance)], sc.Hit | None)
assert_type(hits[1:], sc.RayHits)
assert_type(hits[:, 0], sc.RayHits)
assert_type(hits[::-1, ..., 0], sc.RayHits)
assert_type(hits[hits.hit], sc.RayHits)
assert_type(hits[[0, 1]], sc.RayHits)
assert_type(hits.reshape(2, 1), sc.RayHits)
for each in hits:
    assert_type(each, sc.Hit | None)
print(hits["distance"].min())

assert_type(mesh.any_hit((0, 0, 1), (0, 0, -1)), bool)
assert_type(mesh.any_hit(sc.Ray((0, 0, 1), (0, 0, -1))), bool)
assert_type(mesh.any_hit(origins, (0, 0, -1), exclude={0}), Bools)
assert_type(mesh.any_hit((0, 0, 1), corners, 5.0), Bools)
assert_type(scene.any_hit(np.zeros((4, 5, 6))), Bools)
assert_type(scene.count_hits((0, 0, 1), (0, 0, -1)), int)
assert_type(scene.count_hits(corners, (0, 0, -1)), Counts)
assert_type(mesh.contains((0, 0, 1)), bool)
assert_type(mesh.contains(corners), Bools)
assert_type(scene.signed_distance([0, 0, 1]), float)
assert_type(mesh.signed_distance([[0, 0, 1]]), Floats)
near = scene.closest_point(origins, max_distance=2)
assert_type(near, sc.ClosestPoints)
assert_type(near[0], sc.ClosestPoint | None)

places = mesh.places(hits.triangle, hits.barycentric)
assert_type(places[0], sc.Places)
assert_type(places.points(corners), Floats)

camera = sc.Camera.look_at((0, -5, 0), (0, 0, 0), 640, 480, fov=1)
assert_type(scene.cast_rays(camera.rays()), sc.RayHits)
assert_type(scene.any_hit(camera.rays()), Bools)
x, y, depth = camera.project(hits.point)
assert_type(depth, Floats)
assert_type(camera.project((0, 0, 0)), tuple[float, float, float])
assert_type(camera.pixel_size((0, 0, 0)), float)
assert_type(camera.is_in_front(corners), Bools)
assert_type(sc.Box((0, 0, 0), (1, 1, 1)).contains((0, 0, 0)), bool)
assert_type(sc.Sphere((0, 0, 0), 1).distance(corners), Floats)
assert_type(sc.Plane((0, 0, 1), 0).side(corners), Counts)
assert_type(sc.triangle.contains_barycentric(corners, *3 * [(0, 0, 0)]), Bools)


class Surface:
    vertices, faces = corners, [(0, 1, 2)]


ray = RayMeshIntersector(Surface())
assert_type(ray.intersects_id(corners, corners), tuple[Counts, Counts])
assert_type(ray.intersects_id(corners, corners, multiple_hits=False), tuple[Counts, Counts])
assert_type(ray.intersects_id(corners, corners, return_locations=False), tuple[Counts, Counts])
index_tri, index_ray, locations = ray.intersects_id(corners, corners, return_locations=True)
assert_type(locations, Floats)
with_locations = bool(len(index_tri))
found = ray.intersects_id(corners, corners, return_locations=with_locations, max_hits=2)
assert_type(found, tuple[Counts, Counts] | tuple[Counts, Counts, Floats])

answer = RaycastingScene().cast_rays(np.zeros((1, 6), dtype=np.float32))
t = answer["t_hit"]
assert_type(t, Tensor)
for computed in (t * 2 + 1, 1 - t, 2 * t, t / t, t @ t.T(), -t, abs(t), t**2, t // 2, t % 2):
    assert_type(computed.numpy(), npt.NDArray[Any])
for told in (t > 1, t <= 1, t == t, t != 1, (t < 1) & (t > 0), (t < 1) | ~(t > 0)):
    print(told.logical_not(), told.numpy())
t *= 2
t += t
for shaped in (t.reshape((-1, 1)), t.flatten(), t.T, t.T(), t.clone().T(), t.T.clone(), t[0]):
    print(shaped.numpy(), shaped.to(np.float64).cpu().clone().contiguous().num_elements())
print(t.round().numpy(), t.clip(0, 1).numpy(), t.max(dim=0).numpy(), t.T[0].item())
assert_type(t.clone(), Tensor)


def heights(terrain: sc.Mesh, points: sc.types.Reals, rows: sc.types.Integers) -> Floats:
    """A function of the user's own, of arguments in any form."""
    hits = terrain.cast_rays(points, (0, 0, -1)).take(rows)
    return hits.distance
