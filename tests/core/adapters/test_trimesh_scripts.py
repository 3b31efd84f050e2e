# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do with trimesh, with and without `install()` in the first line.

Each script is run by trimesh alone and by trimesh with the drop-in. Most results agree within
rounding. Where trimesh's own are wrong, or may be, ours are compared with what is known.
"""

import numpy as np
import pytest

from standalone_core.adapters import reading
from standalone_core.adapters import trimesh as adapter


def picture_of_depths(trimesh):
    """A picture of depths, by a ray for each pixel of the camera of a scene."""
    scene = bowl(trimesh).scene()
    scene.camera.resolution = (40, 30)
    scene.camera.fov = (60, 45)
    origins, directions, pixels = scene.camera_rays()
    mesh = scene.to_geometry()
    places, ray, _ = mesh.ray.intersects_location(origins, directions, multiple_hits=False)
    picture = np.zeros(scene.camera.resolution)
    picture[tuple(pixels[ray].T)] = np.einsum("ij,ij->i", places - origins[ray], directions[ray])
    return picture


def rays_at_a_sphere_as_paths(trimesh):
    """Rays, and where they hit, as paths and points to look at."""
    mesh = trimesh.primitives.Sphere()
    origins, directions = np.array([[0.1, 0.2, -5], [2, 2, -10]]), np.array([[0, 0, 1]] * 2)
    places, ray, face = mesh.ray.intersects_location(ray_origins=origins, ray_directions=directions)
    lines = np.hstack((origins[ray], places)).reshape(-1, 2, 3)
    scene = trimesh.Scene([mesh, trimesh.load_path(lines), trimesh.points.PointCloud(places)])
    order = np.argsort(places[:, 2])
    return scene.bounds, scene.extents, places[order], face[order]


def samples_of_signed_distances(trimesh):
    """Points near the surface and elsewhere, with signed distances, to learn a shape from."""
    mesh = bowl(trimesh)
    mesh.apply_translation(-mesh.bounding_box.centroid)
    mesh.apply_scale(1 / np.max(mesh.bounding_box.extents))
    surface, _ = trimesh.sample.sample_surface(mesh, 60, seed=1)
    rng = np.random.default_rng(1)
    points = np.concatenate(
        [surface + rng.normal(0, 0.05, surface.shape), rng.uniform(-1, 1, (60, 3))]
    )
    return points, -trimesh.proximity.signed_distance(mesh, points)


def what_is_seen_from_a_point(trimesh):
    """The vertices that are seen from a point: nothing is between."""
    mesh = bowl(trimesh)
    eye = np.array([0.7, 1.3, 4.1])
    to_eye = eye - mesh.vertices
    start = mesh.vertices + 1e-4 * trimesh.unitize(to_eye)
    return np.flatnonzero(~mesh.ray.intersects_any(start, to_eye))


def thickness_of_walls(trimesh):
    """How thick walls are, by rays and by spheres, and how much room there is outside."""
    mesh = bowl(trimesh)
    points, faces = mesh.triangles_center[::40], np.arange(len(mesh.faces))[::40]
    normals = mesh.face_normals[faces]
    measure = trimesh.proximity.thickness
    return (
        measure(mesh, points, normals=normals, method="ray"),
        measure(mesh, points, normals=normals, method="max_sphere"),
        measure(mesh, points, normals=normals, exterior=True, method="max_sphere"),
    )


def voxels_of_a_mesh(trimesh):
    """The surface and the inside as voxels, and the share of points inside."""
    mesh = trimesh.creation.icosphere(subdivisions=2).apply_scale([1.03, 0.91, 0.77])
    shell = mesh.voxelized(pitch=0.2).fill()
    rays = trimesh.voxel.creation.voxelize(mesh, pitch=0.2, method="ray")
    middles = shell.points[:: max(len(shell.points) // 100, 1)]
    return shell.matrix, rays.filled_count, mesh.contains(middles)


def objects_on_the_ground(trimesh):
    """Objects of a scene are put down onto a terrain, and the terrain's slope is read there."""
    x, y = np.meshgrid(np.arange(9.0), np.arange(9.0), indexing="ij")
    heights = np.column_stack([x.ravel(), y.ravel(), (0.3 * np.sin(x) + 0.2 * y).ravel()])
    corner = np.arange(81).reshape(9, 9)[:-1, :-1].ravel()
    faces = np.concatenate([corner[:, None] + [0, 9, 10], corner[:, None] + [0, 10, 1]])
    ground = trimesh.Trimesh(heights, faces, process=False)
    scene = trimesh.Scene()
    for i, place in enumerate([[1.3, 2.7, 9], [5.45, 6.2, 9], [7.15, 0.6, 9]]):
        scene.add_geometry(
            trimesh.creation.cylinder(0.2, 1.0),
            transform=trimesh.transformations.translation_matrix(place),
            node_name=f"post {i}",
        )
    feet, slopes = [], []
    for name in sorted(scene.graph.nodes_geometry):
        matrix, _ = scene.graph[name]
        place, _, face = ground.ray.intersects_location([matrix[:3, 3]], [[0, 0, -1]])
        feet.append(place[0])
        slopes.append(ground.face_normals[face[0]])
    return np.array(feet), np.array(slopes)


def values_at_the_nearest_place(trimesh):
    """Colours, normals and weights where a mesh is nearest to points, and its nearest vertices."""
    mesh = trimesh.creation.icosphere(subdivisions=2).submesh([np.arange(250)], append=True)
    points = np.random.default_rng(2).normal(0, 1.5, (40, 3))
    closest, distance, face = trimesh.proximity.closest_point(mesh, points)
    weights = trimesh.triangles.points_to_barycentric(mesh.triangles[face], closest)
    normals = np.einsum("ij,ijk->ik", weights, mesh.vertex_normals[mesh.faces[face]])
    return closest, distance, normals, *mesh.nearest.vertex(points), mesh.nearest.vertex(points[3])


def a_section_and_what_is_in_it(trimesh):
    """A section's outline, and points of its plane inside of the outline and of the mesh."""
    mesh = bowl(trimesh)
    outline = mesh.section(plane_origin=[0, 0, -0.4], plane_normal=[0, 0, 1])
    points = np.random.default_rng(4).uniform(-1.2, 1.2, (80, 3)) * [1, 1, 0] - [0, 0, 0.4]
    half = mesh.slice_plane([0, 0, -0.4], [0, 0, 1], cap=True)
    return outline.length, mesh.contains(points), half.contains(points + [0, 0, 0.2])


def light_from_the_sky(trimesh):
    """How much of the sky each face sees, in a scene with two objects."""
    ground = trimesh.creation.box(extents=[6, 6, 0.1]).subdivide()
    scene = trimesh.Scene([ground, trimesh.creation.icosphere(2).apply_translation([0, 0, 1.5])])
    mesh = scene.to_geometry()
    sky = trimesh.unitize(np.random.default_rng(6).normal(size=(12, 3)) + [0, 0, 1.1])
    up = np.repeat(mesh.triangles_center + 1e-4 * mesh.face_normals, len(sky), axis=0)
    free = ~mesh.ray.intersects_any(up, np.tile(sky, (len(mesh.faces), 1)))
    return free.reshape(-1, len(sky)).mean(axis=1)


def a_scan_is_fitted(trimesh):
    """A noisy scan is moved onto the shape that it is one of."""
    shape = bowl(trimesh)
    scan, _ = trimesh.sample.sample_surface(shape, 80, seed=3)
    scan = scan @ trimesh.transformations.euler_matrix(0.1, -0.05, 0.08)[:3, :3] + [0.1, 0, 0.05]
    matrix, moved, cost = trimesh.registration.icp(scan, shape, max_iterations=6)
    return matrix, moved, cost


def bowl(trimesh):
    """A thick bowl: a turned outline, closed, with no plane of its own in the way of rays."""
    angle = np.linspace(0.15, 1.5, 9)
    outer = np.column_stack([np.sin(angle), -np.cos(angle)]) * 1.1
    inner = np.column_stack([np.sin(angle), -np.cos(angle)])[::-1] * 0.9
    line = np.concatenate([[[0, -1.1]], outer, inner, [[0, -0.9]]])
    return trimesh.creation.revolve(line, sections=24)


ALIKE = [
    picture_of_depths,
    rays_at_a_sphere_as_paths,
    what_is_seen_from_a_point,
    thickness_of_walls,
    voxels_of_a_mesh,
    objects_on_the_ground,
    values_at_the_nearest_place,
    a_section_and_what_is_in_it,
    light_from_the_sky,
    a_scan_is_fitted,
]


@pytest.fixture
def asked(monkeypatch):
    """How often the drop-in was asked."""
    times = []
    exact = reading.MeshFollower.exact.fget
    monkeypatch.setattr(
        reading.MeshFollower, "exact", property(lambda self: times.append(1) or exact(self))
    )
    return times


@pytest.fixture
def with_ours(trimesh, asked):
    """Run a script with the drop-in."""

    def run(script):
        adapter.install()
        try:
            return script(trimesh)
        finally:
            adapter.uninstall()
            assert asked

    return run


def assert_alike(ours, theirs):
    if isinstance(ours, tuple):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_alike(a, b)
    else:
        assert (np.shape(ours), np.asarray(ours).dtype) == (
            np.shape(theirs),
            np.asarray(theirs).dtype,
        )
        # Of two places as near as 1e-8, by squares, trimesh takes the one that faces the point.
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("script", ALIKE)
def test_a_script_has_the_results_of_trimesh(trimesh, with_ours, asked, script):
    theirs = script(trimesh)
    assert not asked
    assert_alike(with_ours(script), theirs)


def windings(mesh, points):
    """How often a mesh winds around each point: the sum of its triangles' solid angles."""
    a, b, c = np.moveaxis(mesh.triangles[None] - points[:, None, None], 2, 0)
    la, lb, lc = (np.linalg.norm(each, axis=-1) for each in (a, b, c))
    ab, bc, ca = ((p * q).sum(axis=-1) for p, q in ((a, b), (b, c), (c, a)))
    volume = (a * np.cross(b, c)).sum(axis=-1)
    angles = 2 * np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
    return angles.sum(axis=1) / (4 * np.pi)


def test_signed_distances_are_those_of_the_nearest_triangle_and_the_windings(trimesh, with_ours):
    points, signed = with_ours(samples_of_signed_distances)
    mesh = bowl(trimesh)
    mesh.apply_translation(-mesh.bounding_box.centroid)
    mesh.apply_scale(1 / np.max(mesh.bounding_box.extents))
    inside = windings(mesh, points) > 0.5
    assert 10 < inside.sum() < 110
    np.testing.assert_array_equal(signed < 0, inside)
    away = trimesh.proximity.closest_point_naive(mesh, points)[1]
    np.testing.assert_allclose(np.abs(signed), away, rtol=1e-9)


def test_all_layers_are_found_however_near_they_are(with_ours):
    def layers(trimesh):
        planes = [trimesh.creation.box([1, 1, 0]).apply_translation([0, 0, z]) for z in heights]
        mesh = trimesh.util.concatenate(planes)
        places, *_ = mesh.ray.intersects_location([[0.1, 0.2, 9]], [[0, 0, -1]])
        return places[:, 2]

    heights = np.arange(10) * 1e-7
    found = with_ours(layers)
    assert found.tolist() == sorted(found.tolist(), reverse=True)
    np.testing.assert_allclose(found, np.repeat(heights[::-1], 2), rtol=1e-12)


def test_rays_through_edges_and_corners_hit_once_and_by_all_methods(with_ours):
    def from_the_middle(trimesh):
        small = trimesh.creation.box(extents=[40] * 3).subdivide_to_size(20)
        big = trimesh.creation.box(extents=[60] * 3).subdivide_to_size(20)
        rays = np.zeros_like(big.vertices), big.vertices
        places, ray, _ = small.ray.intersects_location(*rays)
        return ray, places * 1.5 - big.vertices[ray], small.ray.intersects_any(*rays)

    ray, difference, hit = with_ours(from_the_middle)
    assert ray.tolist() == list(range(len(hit)))
    assert hit.all()
    np.testing.assert_allclose(difference, 0, atol=1e-12)


def test_a_vertex_is_hit_from_in_front_of_it(trimesh, with_ours):
    def back_to_the_vertices(trimesh):
        mesh = trimesh.creation.icosphere(subdivisions=2)
        rays = mesh.vertices + 0.01 * mesh.vertex_normals, -mesh.vertex_normals
        return mesh.vertices, *mesh.ray.intersects_location(*rays, multiple_hits=False)

    vertices, places, ray, _ = with_ours(back_to_the_vertices)
    assert ray.tolist() == list(range(len(vertices)))
    np.testing.assert_allclose(places, vertices, atol=1e-12)


def test_points_of_a_grid_are_inside_of_a_box_whose_planes_they_share(with_ours):
    def inside(trimesh):
        axis = np.arange(-2, 3) / 2
        points = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
        box = trimesh.creation.box(extents=[1.5] * 3).subdivide().subdivide()
        return points, box.contains(points)

    points, found = with_ours(inside)
    assert found.tolist() == (np.abs(points) < 0.75).all(axis=1).tolist()
