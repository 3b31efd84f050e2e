# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs as people write them for Open3D's RaycastingScene, each with its own habits.

Each is given Open3D and a class in the place of its ``RaycastingScene``, and returns arrays.
"""

import numpy as np

UP = [0.0, 0.0, 1.0]


def meshes(o3d):
    """A box, a torus and a ball beside each other, none of them along the axes."""
    legacy = o3d.geometry.TriangleMesh
    box = legacy.create_box(1.1, 0.9, 1.3).translate([-0.4, -0.5, -0.6])
    torus = legacy.create_torus(0.8, 0.3, 14, 9).translate([0.1, 2.2, 0.15])
    ball = legacy.create_sphere(0.7, 9).translate([-1.9, 0.7, 0.3])
    turn = legacy.get_rotation_matrix_from_xyz((0.3, 0.5, 0.2))
    made = [each.rotate(turn, center=each.get_center()) for each in (box, torus, ball)]
    return [o3d.t.geometry.TriangleMesh.from_legacy(each) for each in made]


def filled(o3d, scene_class, **options):
    """A scene of these meshes, and the meshes."""
    scene, parts = scene_class(**options), meshes(o3d)
    assert [scene.add_triangles(mesh) for mesh in parts] == [0, 1, 2]
    return scene, parts


def grid(low, high, n):
    """Points (n, n, n, 3) of float32, off the axes."""
    axes = np.linspace(low, high, n).T
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).astype(np.float32)


def view_as_point_cloud(o3d, scene_class):
    """A camera's picture, and what it sees as a point cloud."""
    scene, _ = filled(o3d, scene_class)
    rays = scene_class.create_rays_pinhole(
        fov_deg=70, center=[-0.3, 0.9, 0.1], eye=[3, -2, 2.2], up=UP, width_px=40, height_px=30
    )
    ans = scene.cast_rays(rays)
    hit = ans["t_hit"].isfinite()
    points = rays[hit][:, :3] + rays[hit][:, 3:] * ans["t_hit"][hit].reshape((-1, 1))
    cloud = o3d.t.geometry.PointCloud(points)
    cloud.point.normals = ans["primitive_normals"][hit]
    cloud.transform(np.diag([2.0, 2, 2, 1]))
    assert np.asarray(cloud.to_legacy().points).shape == tuple(points.shape)
    images = [ans["t_hit"].numpy(), np.abs(ans["primitive_normals"].numpy())]
    return [
        *images,
        ans["geometry_ids"].numpy(),
        cloud.point.positions.numpy(),
        cloud.point.normals.numpy(),
    ]


def signed_distances(o3d, scene_class):
    """Distances of points and a grid, once by the scene and once by counting crossings."""
    scene, parts = filled(o3d, scene_class)
    point = o3d.core.Tensor([[0.1, 0.2, 0.3], [10, 10, 10]], dtype=o3d.core.Dtype.Float32)
    low = np.min([part.vertex.positions.min(0).numpy() for part in parts], axis=0) - 0.13
    high = np.max([part.vertex.positions.max(0).numpy() for part in parts], axis=0) + 0.17
    query = grid(low, high, 9)
    closest = scene.compute_closest_points(query)
    distance = np.linalg.norm(query - closest["points"].numpy(), axis=-1)
    way = np.broadcast_to(np.float32([0.31, 0.17, 0.93]), query.shape)
    counts = scene.count_intersections(np.concatenate([query, way], axis=-1)).numpy()
    distance[counts % 2 == 1] *= -1
    names = {0: "box", 1: "torus", 2: "ball"}
    nearest = scene.compute_closest_points(point)["geometry_ids"]
    return [
        scene.compute_distance(point).numpy(),
        scene.compute_signed_distance(point).numpy(),
        scene.compute_occupancy(point).numpy(),
        scene.compute_signed_distance(query, nsamples=3).numpy(),
        distance,
        closest["geometry_ids"].numpy(),
        np.array([names[nearest[i].item()] for i in range(2)]),
    ]


def depth_image(o3d, scene_class):
    """A depth image of a calibrated camera, and the points of that image in the world."""
    scene, _ = filled(o3d, scene_class)
    core = o3d.core
    intrinsic = core.Tensor([[30.0, 0, 16], [0, 30, 12], [0, 0, 1]], dtype=core.float32)
    pose = np.eye(4)
    pose[:3, :3] = [[0, 0, 1], [-1, 0, 0], [0, -1, 0]]
    pose[:3, 3] = -4.1, 0.7, 0.2
    extrinsic = core.Tensor(np.linalg.inv(pose), dtype=core.float32)
    rays = scene.create_rays_pinhole(intrinsic, extrinsic, 32, 24)
    assert rays.dtype == core.float32
    depth = scene.cast_rays(rays)["t_hit"]
    depth[depth.isinf()] = 0.0  # directions have a depth of 1
    image = o3d.t.geometry.Image(depth.reshape((24, 32, 1)))
    cloud = o3d.t.geometry.PointCloud.create_from_depth_image(
        image, intrinsic, extrinsic, depth_scale=1.0, depth_max=100.0
    )
    assert len(cloud.point.positions) == np.count_nonzero(depth.numpy())
    in_any_order = np.sort(cloud.point.positions.numpy(), axis=0)  # as its threads end
    return [depth.numpy(), in_any_order]


def visible_vertices(o3d, scene_class):
    """The vertices that an eye sees, and a mesh of the faces between them."""
    scene, (_, torus, _) = filled(o3d, scene_class)
    vertices = torus.vertex.positions.numpy()
    eye = np.float32([2.3, -1.1, 2.9])
    rays = np.hstack([np.broadcast_to(eye, vertices.shape), vertices - eye])
    hidden = scene.test_occlusions(o3d.core.Tensor(rays), tnear=0.0, tfar=1 - 1e-3)
    by_hits = scene.cast_rays(rays)["t_hit"].numpy() < 1 - 1e-3
    seen = hidden.logical_not()
    faces = torus.triangle.indices.numpy()
    kept = seen.numpy()[faces].all(axis=1)
    torus.vertex.colors = seen.to(o3d.core.float32).reshape((-1, 1)) * o3d.core.Tensor.ones(
        (1, 3), o3d.core.float32
    )
    return [hidden.numpy(), by_hits, faces[kept], torus.vertex.colors.numpy()]


def occupancy_grid(o3d, scene_class):
    """Which cells of a grid are filled, their volume and the middle of each part."""
    scene, _ = filled(o3d, scene_class)
    centers = grid([-2.71, -1.13, -1.37], [1.27, 3.49, 1.61], 11)
    filling = scene.compute_occupancy(o3d.core.Tensor(centers), nsamples=5)
    cell = np.prod((centers[-1, -1, -1] - centers[0, 0, 0]) / 10)
    index = filling.to(o3d.core.bool).nonzero(as_tuple=True).numpy()
    points = centers[filling.numpy() == 1]
    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points))
    nearest = scene.compute_closest_points(points)["geometry_ids"].numpy()
    middles = [points[nearest == i].mean(axis=0) for i in range(3)]
    volume = filling.sum().item() * cell
    return [filling.numpy(), index, np.asarray(cloud.points), np.array(middles), np.array(volume)]


def offset_surface(o3d, scene_class):
    """The surface at a distance of the mesh, by marching cubes."""
    scene, _ = filled(o3d, scene_class)
    query = grid([-3.1, -1.6, -1.7], [1.7, 3.9, 2.1], 13)
    distance = scene.compute_signed_distance(query, nsamples=3)
    shell = o3d.t.geometry.TriangleMesh.create_isosurfaces(distance - 0.25, [0.0])
    assert shell.triangle.indices.shape[0] > 100
    around = scene.compute_distance(query).min().item()
    return [shell.vertex.positions.numpy(), shell.triangle.indices.numpy(), np.array(around)]


def all_crossings(o3d, scene_class):
    """Every crossing of parallel rays, as a table a ray, and how much of each is inside."""
    scene, _ = filled(o3d, scene_class, device=o3d.core.Device("CPU:0"))
    y, z = np.meshgrid(np.linspace(-0.83, 3.21, 9), np.linspace(-0.71, 1.17, 8))
    rays = np.zeros((*y.shape, 6), dtype=np.float32)
    rays[..., 0], rays[..., 1], rays[..., 2], rays[..., 3] = -5, y, z, 1
    found = scene.list_intersections(o3d.core.Tensor(rays.reshape(-1, 6)))
    splits = found["ray_splits"].numpy()
    table = {}
    for i in range(len(found["ray_ids"])):
        ray = found["ray_ids"][i].item()
        where = float(found["t_hit"][i].numpy())
        table.setdefault(ray, []).append((where, found["primitive_ids"][i].item()))
    lengths = np.zeros(len(splits) - 1)
    for ray, crossings in table.items():
        assert splits[ray + 1] - splits[ray] == len(crossings)
        places = sorted(place for place, _ in crossings)
        lengths[ray] = np.subtract(places[1::2], places[::2]).sum()
    counts = scene.count_intersections(rays)
    triangles = sorted((ray, *sorted(i for _, i in table[ray])) for ray in table)
    flat = np.concatenate([np.array(each) for each in triangles])
    assert counts.max().item() >= 4
    return [splits, lengths, flat, counts.numpy(), np.array(found["t_hit"].numpy().sum())]


def colors_from_vertices(o3d, scene_class):
    """A picture of colours at the vertices, through the weights of the hits."""
    scene, parts = filled(o3d, scene_class)
    ball = parts[2]
    positions, faces = ball.vertex.positions.numpy(), ball.triangle.indices.numpy()
    colors = (positions - positions.min(0)) / np.ptp(positions, axis=0)
    rays = scene.create_rays_pinhole(50, [-1.9, 0.7, 0.3], [-4.3, 0.1, 1.2], UP, 24, 18)
    ans = scene.cast_rays(rays)
    is_ball = (ans["geometry_ids"] == 2) & (ans["geometry_ids"] != scene_class.INVALID_ID)
    mask = is_ball.numpy()
    u, v = ans["primitive_uvs"].numpy()[mask].T[..., None]
    corners = colors[faces[ans["primitive_ids"].numpy()[mask]]]
    picture = np.zeros((18, 24, 3), dtype=np.float32)
    picture[mask] = (1 - u - v) * corners[:, 0] + u * corners[:, 1] + v * corners[:, 2]
    image = o3d.geometry.Image((picture * 255).astype(np.uint8))
    assert np.asarray(image).any()
    return [mask, picture]


def light_and_shadow(o3d, scene_class):
    """What a lamp reaches, and where its mirror image goes: rays that begin at hits."""
    scene, _ = filled(o3d, scene_class)
    core = o3d.core
    rays = scene.create_rays_pinhole(60, [-0.2, 0.8, 0.1], [2.7, -1.9, 1.8], UP, 28, 20)
    rays = rays.reshape((-1, 6))
    ans = scene.cast_rays(rays)
    hit = ans["t_hit"].isfinite()
    way, normal = rays[hit][:, 3:], ans["primitive_normals"][hit]
    place = rays[hit][:, :3] + ans["t_hit"][hit].reshape((-1, 1)) * way
    facing = (way * normal).sum(dim=1, keepdim=True)
    normal[(facing > 0).flatten()] = -normal[(facing > 0).flatten()]
    place += 1e-3 * normal
    lamp = core.Tensor([[3.0, 2.0, 4.0]], dtype=core.float32)
    shadow = scene.test_occlusions(core.concatenate([place, lamp - place], 1), tfar=1.0)
    away = way - 2 * (way * normal).sum(1, True) * normal
    bounced = scene.cast_rays(core.concatenate([place, away], axis=1))
    shade = (normal * (lamp - place)).sum(1).clip(0, 10) * shadow.logical_not().to(core.float32)
    assert 0 < shadow.to(core.float32).mean().item() < 1
    return [
        *(place.numpy(), shadow.numpy(), shade.numpy()),
        *(bounced["geometry_ids"].numpy(), bounced["t_hit"].isinf().numpy()),
    ]


def deviation_of_a_scan(o3d, scene_class):
    """A scan's deviation from the model, where it is near, and moved onto the model."""
    scene, parts = filled(o3d, scene_class)
    noise = np.random.default_rng(5).normal(0, 0.05, (60, 3))
    scan = o3d.t.geometry.PointCloud(
        o3d.core.Tensor(parts[1].vertex.positions.numpy()[:60] + noise, dtype=o3d.core.float32)
    )
    found = scene.compute_closest_points(scan.point.positions)
    offset = scan.point.positions - found["points"]
    signed = scene.compute_signed_distance(scan.point.positions, nsamples=3)
    scan.point["deviation"] = signed.reshape((-1, 1))
    near = scan.select_by_mask(signed.abs() < 0.06)
    scan.point.positions -= offset
    rest = scene.compute_distance(scan.point.positions)
    assert (rest < 1e-4).all()
    assert not signed.allclose(rest)
    length = np.linalg.norm(offset.numpy(), axis=1)
    return [length, signed.numpy(), near.point["deviation"].numpy(), scan.point.positions.numpy()]


def space_carving(o3d, scene_class):
    """The voxels that no view sees to be empty."""
    scene, _ = filled(o3d, scene_class)
    voxels = grid([-2.73, -1.17, -1.33], [1.31, 3.43, 1.57], 10).reshape(-1, 3)
    kept = np.ones(len(voxels), dtype=bool)
    for eye in ([5, 0.4, 1], [-5, -1, 2], [0.3, 6, 1], [-0.2, 1.1, 7], [0.7, -6, -2]):
        eye = np.float32(eye)
        rays = np.concatenate([np.tile(eye, (len(voxels), 1)), voxels - eye], axis=1)
        t_hit = scene.cast_rays(o3d.core.Tensor.from_numpy(rays))["t_hit"].cpu().numpy()
        kept &= t_hit <= 1
    cloud = o3d.geometry.PointCloud()
    cloud.points = o3d.utility.Vector3dVector(voxels[kept])
    voxel_grid = o3d.geometry.VoxelGrid.create_from_point_cloud(cloud, voxel_size=0.46)
    return [kept, np.array(len(voxel_grid.get_voxels()))]


def laser_scanner(o3d, scene_class):
    """Distances within a scanner's reach, with the name of what it sees, from a mesh's arrays."""
    scene, names = scene_class(nthreads=2), {}
    for name, mesh in zip(("box", "torus", "ball"), meshes(o3d), strict=True):
        old = mesh.to_legacy()
        vertices = np.asarray(old.vertices, dtype=np.float32)
        names[scene.add_triangles(vertices, np.asarray(old.triangles, dtype=np.uint32))] = name
    angle = np.linspace(0, 2 * np.pi, 73)[:-1]
    ways = np.stack([np.cos(angle), np.sin(angle), 0.07 + 0 * angle], axis=-1)
    rays = np.concatenate([np.tile([1.3, 1.2, 0.1], (72, 1)), ways], axis=-1).astype(np.float32)
    ans = scene.cast_rays(rays, nthreads=1)
    reach = ans["t_hit"].numpy()
    reach[reach > 2.5] = 2.5
    seen = [names.get(i, "") for i in ans["geometry_ids"].numpy()]
    points = rays[:, :3] + rays[:, 3:] * reach[:, None]
    nothing = [i.item() == scene.INVALID_ID for i in ans["geometry_ids"]]
    assert len(set(seen)) == 4
    return [reach, np.array(seen), points, np.array(nothing)]


def arrays_in_types_of_open3d(o3d, scene_class):
    """A script that gives arrays of NumPy throughout, and computes with types of Open3D."""
    core, scene = o3d.core, scene_class()
    for mesh in meshes(o3d):
        triangles = mesh.triangle.indices.numpy().astype(np.uint32)
        scene.add_triangles(mesh.vertex.positions.numpy(), triangles)
    rays = scene.create_rays_pinhole(64, [-0.3, 0.9, 0.1], [3, -2, 2.2], UP, 26, 20)
    answer = scene.cast_rays(rays.numpy())
    t_hit, ids = answer["t_hit"], answer["geometry_ids"]
    assert t_hit.dtype == rays.dtype == core.float32
    assert ids.dtype == core.uint32
    assert t_hit.num_elements() == 26 * 20
    depth = core.Tensor.zeros(t_hit.shape, t_hit.dtype)
    hit = ids != scene_class.INVALID_ID
    depth[hit] = t_hit[hit]
    shades = ids.to(rays.dtype) * hit.to(rays.dtype) / core.Tensor([3], rays.dtype)
    query = grid([-2.71, -1.13, -1.37], [1.27, 3.49, 1.61], 6)
    near = scene.compute_closest_points(query)
    away = (core.Tensor(query) - near["points"]).reshape((-1, 3))
    squared = (away * away).sum(1)
    assert squared.dtype == scene.compute_distance(query).dtype
    inside = scene.compute_occupancy(query, nsamples=3).to(core.bool)
    blocked = scene.test_occlusions(rays.numpy(), tfar=3.0)
    counts = scene.count_intersections(rays.numpy()).to(core.float32) + depth
    picture = o3d.t.geometry.Image(depth.reshape((20, 26, 1)))
    return [
        *(picture.as_tensor().numpy(), shades.numpy(), squared.numpy(), inside.numpy()),
        *(blocked.logical_and(hit).numpy(), counts.numpy()),
    ]


PROGRAMS = [
    *(view_as_point_cloud, signed_distances, depth_image, visible_vertices, occupancy_grid),
    *(offset_surface, all_crossings, colors_from_vertices, light_and_shadow),
    *(deviation_of_a_scan, space_carving, laser_scanner, arrays_in_types_of_open3d),
]
