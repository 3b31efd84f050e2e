# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks on what modifiers make of faces are kept on the original mesh, and stay in place.

The oracle knows nothing of the order of faces: attributes that Blender itself carries through the
modifiers tell which face and which copy a place is on, and positions where it is.
"""

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Vector

from ...scenes import down, evaluated_mesh, mesh_object
from .oracle import hits_at, mark, reasons

SIZES = (3, 4, 5, 6, 7)


@pytest.fixture
def landmarks(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.landmarks")


def flat(name="Flat"):
    """Faces of 3 to 7 corners in a row, all convex, none regular, in the plane z = 1."""
    rng = np.random.default_rng(17)
    vertices, faces = [], []
    for place, size in enumerate(SIZES):
        angles = 2 * np.pi * (np.arange(size) + rng.uniform(-0.2, 0.2, size)) / size
        ring = np.stack(
            [np.cos(angles) + 3.0 * place + 2.0, np.sin(angles) + 2.0, 0 * angles + 1.0], 1
        )
        faces.append(tuple(range(len(vertices), len(vertices) + size)))
        vertices += ring.tolist()
    return mesh_object(name, vertices, faces)


def bent(name="Bent"):
    """A connected, bent patch of a triangle, quads, a pentagon and a hexagon."""
    height = lambda x, y: 0.2 * np.sin(1.3 * x + 0.7 * y)  # noqa: E731
    places = [(x, y) for y in range(4) for x in range(4)] + [(1.5, 3.6), (3.6, 1.5)]
    faces = [(0, 1, 5, 4), (1, 2, 5), (2, 6, 5), (2, 3, 7, 6), (4, 5, 9, 8), (5, 6, 10, 9)]
    faces += [(6, 7, 17, 11, 10), (8, 9, 13, 12), (9, 10, 11, 15, 14, 16, 13)]
    return mesh_object(name, [(x + 0.5, y + 0.5, 1.0 + height(x, y)) for x, y in places], faces)


def add(obj, kind, **settings):
    modifier = obj.modifiers.new(kind.title(), kind)
    for name, value in settings.items():
        setattr(modifier, name, value)
    bpy.context.view_layer.update()
    return modifier


def place(raypick, obj, count, seed):
    """Add landmarks at random places of all triangles of the evaluated mesh; where they are."""
    points = []
    for number, (hit, point) in enumerate(hits_at(raypick, obj, count, seed)):
        raypick.api.landmarks.add(bpy.context, hit, f"{number}")
        points.append(point)
    return np.array(points)


def now(raypick, obj):
    return raypick.api.landmarks.points(bpy.context, obj)


STACKS = {
    "subsurf 1": [("SUBSURF", {"levels": 1})],
    "subsurf 2": [("SUBSURF", {"levels": 2})],
    "subsurf 3": [("SUBSURF", {"levels": 3})],
    "subsurf twice": [("SUBSURF", {"levels": 1}), ("SUBSURF", {"levels": 2})],
    "mirror": [("MIRROR", {})],
    "mirror 3": [("MIRROR", {"use_axis": (True, True, True)})],
    "array": [
        ("ARRAY", {"count": 3, "relative_offset_displace": (0, 0, 1), "use_constant_offset": True})
    ],
    "array fit": [("ARRAY", {"fit_type": "FIT_LENGTH", "fit_length": 40.0})],
    "solid": [("SOLIDIFY", {"thickness": 0.2})],
    "mirror, subsurf": [("MIRROR", {}), ("SUBSURF", {"levels": 2})],
    "subsurf, mirror": [("SUBSURF", {"levels": 2}), ("MIRROR", {"use_axis": (True, True, False)})],
    "solid, mirror, subsurf": [
        ("SOLIDIFY", {"thickness": 0.2, "use_rim": False}),
        ("MIRROR", {}),
        ("SUBSURF", {"levels": 1}),
    ],
    "subsurf, solid": [("SUBSURF", {"levels": 1}), ("SOLIDIFY", {"thickness": 0.2})],
}


@pytest.mark.parametrize("make", [flat, bent], ids=lambda make: make.__name__)
@pytest.mark.parametrize("stack", STACKS)
def test_what_was_hit_on_modified_faces_is_where_it_was_hit(raypick, make, stack):
    obj = make()
    for kind, settings in STACKS[stack]:
        add(obj, kind, **settings)
    points = place(raypick, obj, 60, seed=1)
    kept = raypick.api.landmarks.of(obj)
    rims = [each for each in kept if each.evaluated]
    assert not rims or "solid" in stack
    assert len(rims) < len(kept)
    assert np.abs(now(raypick, obj) - points).max() < 1e-6


@pytest.mark.parametrize("stack", [name for name in STACKS if "subsurf" in name])
def test_with_other_levels_and_back_they_are_where_they_were(raypick, stack):
    obj = bent()
    for kind, settings in STACKS[stack]:
        add(obj, kind, **settings)
    points = place(raypick, obj, 60, seed=2)
    kept = [not each.evaluated for each in raypick.api.landmarks.of(obj)]
    subdivisions = [each for each in obj.modifiers if each.type == "SUBSURF"]
    before = [each.levels for each in subdivisions]
    for levels in (0, 1, 2, 3, 4):
        subdivisions[-1].levels = levels
        there = now(raypick, obj)[kept]
        surface = nearest_on(obj, there)
        assert np.abs(surface - there).max() < 1e-6
        # Catmull-Clark moves the surface, but no place farther than the faces are wide.
        assert np.linalg.norm(there - points[kept], axis=1).max() < 0.5
    subdivisions[0].show_viewport = False
    assert np.isfinite(now(raypick, obj)[kept]).all()
    subdivisions[0].show_viewport = True
    for each, levels in zip(subdivisions, before, strict=True):
        each.levels = levels
    back = now(raypick, obj)
    assert np.abs(back - points).max() < 1e-6
    # To the last digits: the same evaluated vertices, with the same weights.
    obj.update_tag()
    assert np.array_equal(now(raypick, obj), back)


def nearest_on(obj, points):
    """The nearest points on the evaluated surface, by Blender's own search."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    inverse = obj.matrix_world.inverted()
    return np.array(
        [obj.matrix_world @ evaluated.closest_point_on_mesh(inverse @ Vector(p))[1] for p in points]
    )


def regular(size):
    """One regular polygon, or the unit square, with its own coordinates as its UVs."""
    angles = 2 * np.pi * np.arange(size) / size
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], 1)
    if size == 4:
        ring = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
    obj = mesh_object("Regular", ring.tolist(), [tuple(range(size))])
    uvs = obj.data.uv_layers.new(name="UV")
    uvs.data.foreach_set("uv", ring[:, :2].astype(np.float32).ravel())
    return obj


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
@pytest.mark.parametrize("size", SIZES)
def test_vertices_of_divided_faces_come_from_where_blender_interpolates_uvs(raypick, size, levels):
    obj = regular(size)
    # Bent, so that no two places of the surface are near each other.
    modifier = add(obj, "SUBSURF", levels=levels, uv_smooth="NONE")
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    points, uvs = {}, mesh.uv_layers["UV"].uv
    for corner in mesh.loops:
        points[tuple(mesh.vertices[corner.vertex_index].co)] = tuple(uvs[corner.index].vector)
    mark(raypick, obj, [*points])
    modifier.show_viewport = False
    found = now(raypick, obj)
    assert np.abs(found[:, :2] - np.array([*points.values()])).max() < 1e-6


@pytest.mark.parametrize("levels", [1, 2, 5])
@pytest.mark.parametrize("size", SIZES)
def test_places_go_there_and_back_to_the_last_digits(raypick, size, levels):
    faces = importlib.import_module(f"{raypick.__name__}.bridge.original.faces")
    count, quads = 2000, (size if size != 4 else 4) * 4 ** (levels - 1)
    rng = np.random.default_rng(size)
    sizes, numbers = np.full(count, size), rng.integers(quads, size=count)
    at = rng.uniform(size=(count, 2))
    up = faces.united(sizes, numbers, at, levels)
    points = faces.PolygonPoints(np.zeros(count, int), sizes, up)
    there, back = faces.subdivided(points, levels)
    assert np.array_equal(there, numbers)
    assert np.abs(back - at).max() < 1e-12


def copy_of(points):
    """Which octant points are in."""
    return (points < 0).astype(int).tolist()


def test_on_a_mirror_image_they_stay_on_it_and_wait_while_it_is_away(raypick):
    obj = bent()
    mirror = add(obj, "MIRROR", use_axis=(True, True, False))
    subdivision = add(obj, "SUBSURF", levels=1)
    points = place(raypick, obj, 60, seed=3)
    assert not any(each.evaluated for each in raypick.api.landmarks.of(obj))
    sides = copy_of(points)
    assert {tuple(side[:2]) for side in sides} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    for levels in (0, 2, 3):
        subdivision.levels = levels
        assert copy_of(now(raypick, obj)) == sides
    away = [any(side) for side in sides]
    expected = ["The modifiers have changed the faces" if each else None for each in away]
    mirror.show_viewport = False
    assert reasons(raypick, obj) == expected
    subdivision.show_viewport = False  # now the faces are those of the original
    assert reasons(raypick, obj) == expected
    subdivision.show_viewport = True
    mirror.show_viewport = True
    mirror.use_axis[1] = False
    assert reasons(raypick, obj) == [expected[i] if sides[i][1] else None for i in range(60)]
    mirror.use_axis[1] = True
    subdivision.levels = 1
    assert np.abs(now(raypick, obj) - points).max() < 1e-6


def test_of_other_copies_of_the_same_number_they_know_nothing(raypick):
    obj = bent()
    mirror = add(obj, "MIRROR")
    points = place(raypick, obj, 30, seed=4)
    mirror.show_viewport = False
    add(obj, "ARRAY", count=4)
    assert [reason is None for reason in reasons(raypick, obj)] == (points[:, 0] > 0).tolist()


@pytest.mark.parametrize("merge", [True, False])
def test_at_the_seam_of_a_mirror_they_stay_on_their_side(raypick, merge):
    obj = bent()
    for vertex in obj.data.vertices:
        vertex.co.x -= 0.5
    add(obj, "MIRROR", use_mirror_merge=merge)
    subdivision = add(obj, "SUBSURF", levels=2)
    points = place(raypick, obj, 60, seed=5)
    assert not any(each.evaluated for each in raypick.api.landmarks.of(obj))
    subdivision.levels = 1
    assert (np.sign(now(raypick, obj)[:, 0]) == np.sign(points[:, 0])).all()
    subdivision.levels = 2
    assert np.abs(now(raypick, obj) - points).max() < 1e-6


def test_the_sides_of_a_solid_are_told_apart(raypick):
    obj = flat()
    solid = add(obj, "SOLIDIFY", thickness=0.5)
    points = place(raypick, obj, 60, seed=6)
    kept = raypick.api.landmarks.of(obj)
    for each, point in zip(kept, points, strict=True):
        assert each.evaluated == (0.5 + 1e-6 < point[2] < 1.0 - 1e-6)
    solid.thickness = 0.25
    there = now(raypick, obj)
    below = np.array(
        [not each.evaluated and point[2] < 0.6 for each, point in zip(kept, points, strict=True)]
    )
    assert below.any()
    assert np.abs(there[below] - points[below] - (0, 0, 0.25)).max() < 1e-6


def test_multires_is_followed_through_its_levels(raypick):
    obj = bent()
    bpy.context.view_layer.objects.active = obj
    multires = add(obj, "MULTIRES")
    for _ in range(3):
        bpy.ops.object.multires_subdivide(modifier=multires.name)
    multires.levels = 2
    points = place(raypick, obj, 40, seed=7)
    assert not any(each.evaluated for each in raypick.api.landmarks.of(obj))
    for levels in (0, 1, 3):
        multires.levels = levels
        there = now(raypick, obj)
        assert np.abs(nearest_on(obj, there) - there).max() < 1e-6
        assert np.linalg.norm(there - points, axis=1).max() < 0.5
    multires.levels = 2
    assert np.abs(now(raypick, obj) - points).max() < 1e-6


def test_of_modifiers_whose_faces_are_unknown_they_stay_on_the_evaluated_mesh(raypick):
    obj = bent()
    wireframe = add(obj, "WIREFRAME")
    points = place(raypick, obj, 20, seed=8)
    assert all(each.evaluated for each in raypick.api.landmarks.of(obj))
    assert np.abs(now(raypick, obj) - points).max() < 1e-6
    wireframe.show_viewport = False
    assert {*reasons(raypick, obj)} == {"The modifiers have changed the faces"}
    wireframe.show_viewport = True
    assert np.abs(now(raypick, obj) - points).max() < 1e-6


CARRIED = ("own_face", "own_corner")


@pytest.mark.parametrize("make", [flat, bent], ids=lambda make: make.__name__)
@pytest.mark.parametrize("stack", [name for name in STACKS if "subsurf" not in name])
def test_copies_have_the_face_and_the_corners_that_attributes_carry_there(raypick, make, stack):
    obj = make()
    mesh = obj.data
    for name, domain in zip(CARRIED, ("FACE", "CORNER"), strict=True):
        mesh.attributes.new(name, "INT", domain)
    for face in mesh.polygons:
        mesh.attributes["own_face"].data[face.index].value = face.index
        for offset, corner in enumerate(face.loop_indices):
            mesh.attributes["own_corner"].data[corner].value = offset
    for kind, settings in STACKS[stack]:
        add(obj, kind, **settings)
    for seed in (9, 10):
        for hit, _ in hits_at(raypick, obj, 40, seed):
            kept = raypick.api.landmarks.add(bpy.context, hit)
            if kept.evaluated:
                continue
            assert kept.face == hit.attributes["own_face"]
            evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
            offsets = evaluated.attributes["own_corner"].data
            face = evaluated.polygons[hit.face]
            by_vertex = {
                v: offsets[c].value for v, c in zip(face.vertices, face.loop_indices, strict=True)
            }
            weights = np.zeros(len(face.vertices))
            for vertex, weight in zip(hit.vertices, hit.barycentric, strict=True):
                weights[by_vertex[vertex]] = weight
            own = np.zeros(len(face.vertices))
            own[[*kept.corners]] = kept.barycentric
            assert weights @ ring(len(own)) == pytest.approx(own @ ring(len(own)), abs=1e-12)


def ring(size):
    """Corners of a convex polygon, such that weights of any three tell a place in it."""
    if size == 4:
        return np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
    angles = 2 * np.pi * np.arange(size) / size
    return np.stack([np.cos(angles), np.sin(angles)], 1)


@pytest.mark.parametrize("mode", ["EDIT", "SCULPT", "WEIGHT_PAINT"])
def test_modes_change_no_place(raypick, mode):
    obj = bent()
    bpy.context.view_layer.objects.active = obj
    add(obj, "MIRROR").show_in_editmode = True
    add(obj, "SUBSURF", levels=2).show_in_editmode = True
    points = place(raypick, obj, 40, seed=11)
    bpy.ops.object.mode_set(mode=mode)
    assert np.abs(now(raypick, obj) - points).max() < 1e-6
    again = [hit for hit, _ in hits_at(raypick, obj, 10, seed=12)]
    places = [raypick.api.landmarks.add(bpy.context, hit) for hit in again]
    assert not any(each.evaluated for each in places)
    bpy.ops.object.mode_set(mode="OBJECT")
    expected = np.concatenate([points, [hit.point for hit in again]])
    assert np.abs(now(raypick, obj) - expected).max() < 1e-6


@pytest.mark.parametrize("after", [False, True], ids=["placed before", "placed after"])
def test_triangulated_faces_keep_landmarks_whichever_way_they_are_split(raypick, after):
    """A quad that is pulled out is split along its other diagonal, and so is the fingerprint."""
    obj = mesh_object(
        "Quads",
        [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 0)],
        [(0, 1, 4, 3), (1, 2, 5, 4)],
    )
    if after:
        obj.modifiers.new("Triangulate", "TRIANGULATE")
        bpy.context.view_layer.update()
    for name, x, y in (("a", 0.7, 0.2), ("b", 1.3, 0.6)):
        raypick.api.landmarks.add(bpy.context, down(raypick, x, y)[0], name)
    if not after:
        obj.modifiers.new("Triangulate", "TRIANGULATE")
    assert not any(each.evaluated for each in raypick.api.landmarks.of(obj))
    splits = set()
    for push in (0.0, 0.9, 0.0):
        obj.data.vertices[1].co = (1.0 + push, -push, 0.0)
        obj.data.update()
        bpy.context.view_layer.update()
        splits.add(tuple(map(tuple, (p.vertices[:] for p in evaluated_mesh(obj).polygons))))
        wanted = [
            sum(
                (
                    obj.data.vertices[v].co * w
                    for v, w in zip(one.vertices, one.barycentric, strict=True)
                ),
                start=Vector(),
            )
            for one in raypick.api.landmarks.of(obj)
        ]
        found = raypick.api.landmarks.points(bpy.context, obj)
        assert np.abs(found - np.array(wanted)).max() < 1e-6
    assert len(splits) == 2


def test_on_triangles_of_faces_on_each_other_landmarks_are_on_the_face_that_hits_name(raypick):
    corners = [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (0.5, 0.5, 2)]
    obj = mesh_object("Double", corners, [(0, 1, 2, 3), (3, 2, 1, 0), (0, 1, 4)])
    add(obj, "TRIANGULATE")
    hits = [raypick.api.place(bpy.context, obj, face=face) for face in range(5)]
    assert [hit.original_face for hit in hits] == [0, 1, 2, 0, 1]
    for hit in hits:
        kept = raypick.api.landmarks.add(bpy.context, hit)
        assert (kept.face, kept.evaluated) == (hit.original_face, False)
    assert np.abs(now(raypick, obj) - [hit.point for hit in hits]).max() < 1e-6


@pytest.mark.parametrize("chain", ["SUBSURF TRIANGULATE", "TRIANGULATE MIRROR"])
def test_behind_triangles_in_a_longer_chain_landmarks_are_on_the_evaluated_mesh(raypick, chain):
    obj = bent()
    for kind in chain.split():
        add(obj, kind)
    points = place(raypick, obj, 20, seed=14)
    assert all(each.evaluated for each in raypick.api.landmarks.of(obj))
    assert np.abs(now(raypick, obj) - points).max() < 1e-6
