# SPDX-License-Identifier: GPL-3.0-or-later
"""What a hit says that it snapped to is there in Blender's own mesh, where the hit is."""

from importlib import import_module

import bmesh
import bpy
import numpy as np
import pytest

from ..model.test_record import exported, history, rename  # noqa: F401
from ..scenes import collection_instance, evaluated_mesh, mesh_object, square, suzanne
from ..session.test_history import read_again
from .test_snap import CONCAVE, pick, pixel_of
from .test_tolerance import beside, looking_down, ribbon


@pytest.fixture(params=["PERSP", "ORTHO"])
def view(request):
    return looking_down(request.param)


def assert_snapped(hit, kind, mesh):
    """Compare with the coordinates that Blender has of the vertex, edge or face."""
    assert hit.snapped is not None
    assert hit.snapped[0] == kind
    index = hit.snapped[1]
    matrix = np.array(hit.matrix_world)
    face = mesh.polygons[hit.face]

    def place(vertex):
        return matrix[:3, :3] @ np.array(mesh.vertices[vertex].co) + matrix[:3, 3]

    if kind == "face":
        assert index == hit.face
        return
    if kind == "vertex":
        assert index in face.vertices[:]
        assert hit.point == pytest.approx(place(index).tolist(), abs=1e-9)
        return
    ends = mesh.edges[index].vertices[:]
    assert tuple(sorted(ends)) in {tuple(sorted(key)) for key in face.edge_keys}
    start, end = (place(vertex) for vertex in ends)
    way, offset = end - start, np.array(hit.point) - start
    share = np.clip(way @ offset / (way @ way), 0, 1)
    assert np.abs(offset - share * way).max() < 1e-9


def snaps(raypick, view, rng, kind, radius, count=120):
    """Snapped hits at random positions; some are not snapped, and say so."""
    found = []
    for pixel in rng.uniform((150, 60), (490, 340), (count, 2)):
        plain = pick(raypick, view, *pixel, all_hits=True)
        assert all(hit.snapped is None for hit in plain)
        points = {hit.point for hit in plain}
        for hit in pick(raypick, view, *pixel, all_hits=True, snap=kind, snap_radius=radius):
            assert (hit.snapped is None) == (hit.point in points)
            if hit.snapped is not None:
                found.append(hit)
    return found


@pytest.mark.parametrize("kind", ["vertex", "edge", "face"])
def test_elements_of_an_evaluated_mesh_of_many_faces_are_there(raypick, view, rng, kind):
    head = suzanne(levels=1)
    head.scale = (2, -2, 1.5)
    head.modifiers.new("Triangulate", "TRIANGULATE").min_vertices = 4
    bpy.context.view_layer.update()
    hits = snaps(raypick, view, rng, kind, 12)
    assert len(hits) > 30
    for hit in hits:
        assert_snapped(hit, kind, evaluated_mesh(head))


@pytest.mark.parametrize("kind", ["vertex", "edge", "face"])
def test_own_meshes_have_their_own_elements(raypick, view, rng, kind):
    head = suzanne(levels=1)
    head.scale = (2, 2, 2)
    bpy.context.view_layer.update()
    found = 0
    for pixel in rng.uniform((150, 60), (490, 340), (60, 2)):
        options = {"snap": kind, "snap_radius": 30, "evaluated": False}
        for hit in pick(raypick, view, *pixel, **options):
            if hit.snapped:
                found += 1
                assert_snapped(hit, kind, head.data)
    assert found > 10


def polygon(corners):
    """An n-gon whose corners in the mesh begin after those of another face, and which is turned."""
    far = [(90, 0, 0), (91, 0, 0), (91, 1, 0)]
    return mesh_object("Polygon", [*far, *corners], [(0, 1, 2), tuple(range(3, 3 + len(corners)))])


@pytest.mark.parametrize("corners", [3, 4, 5, 8])
@pytest.mark.parametrize("turned", range(3))
def test_each_edge_of_a_polygon_is_its_own(raypick, view, corners, turned):
    """Near its middle each edge has its own number, at both ends of the list of corners too."""
    angles = np.linspace(0, 2 * np.pi, corners, endpoint=False) + turned
    ring = np.stack([1.4 * np.cos(angles), 1.2 * np.sin(angles), 0 * angles], axis=1)
    obj = polygon(np.roll(ring, turned, axis=0).tolist())
    mesh = obj.data
    bpy.context.view_layer.update()
    seen = set()
    for edge in mesh.edges:
        a, b = (np.array(mesh.vertices[vertex].co) for vertex in edge.vertices)
        if a[0] > 50:
            continue
        for share in (0.5, 0.3):
            near = 0.98 * ((1 - share) * a + share * b)
            x, y = pixel_of(raypick, view, near)
            (hit,) = pick(raypick, view, x, y, snap="edge", snap_radius=20)
            assert hit.snapped == ("edge", edge.index)
            assert_snapped(hit, "edge", mesh)
            seen.add(edge.index)
    assert len(seen) == corners
    for vertex in mesh.vertices[3:]:
        x, y = pixel_of(raypick, view, 0.97 * np.array(vertex.co))
        (hit,) = pick(raypick, view, x, y, snap="vertex", snap_radius=20)
        assert hit.snapped == ("vertex", vertex.index)
        (hit,) = pick(raypick, view, x, y, snap="edge", snap_radius=20)
        assert_snapped(hit, "edge", mesh)


@pytest.mark.parametrize("turned", range(5))
def test_an_edge_reached_at_its_end_is_one_that_ends_there(raypick, view, turned):
    """From inside of a sharp corner, outside of the stripe above both edges."""
    face = tuple(np.roll(range(5), turned).tolist())
    obj = mesh_object("Concave", CONCAVE, [face])
    bpy.context.view_layer.update()
    x, y = pixel_of(raypick, view, (0.0, -1.05, 0.2))
    (hit,) = pick(raypick, view, x, y, snap="edge", snap_radius=30)
    assert_snapped(hit, "edge", obj.data)
    assert 3 in obj.data.edges[hit.snapped[1]].vertices[:]


def test_in_edit_mode_and_of_an_instance_the_elements_are_there(raypick, view):
    obj = square(size=2.0)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(obj.data)
    bmesh.ops.subdivide_edges(edited, edges=edited.edges[:], cuts=3, use_grid_fill=True)
    bmesh.update_edit_mesh(obj.data)
    bpy.context.view_layer.update()
    x, y = pixel_of(raypick, view, (0.55, 0.6, 0))
    found = {
        kind: pick(raypick, view, x, y, snap=kind, snap_radius=40)[0]
        for kind in ("vertex", "edge", "face")
    }
    bpy.ops.object.mode_set(mode="OBJECT")
    for kind, hit in found.items():
        assert_snapped(hit, kind, obj.data)
    collection_instance(obj, (0.1, 0, 1.0)).scale = (1, -1, 1)
    bpy.context.view_layer.update()
    x, y = pixel_of(raypick, view, (0.65, -0.6, 1.0))
    for kind in found:
        (hit,) = pick(raypick, view, x, y, snap=kind, snap_radius=40)
        assert hit.instancer == "Instancer"
        assert_snapped(hit, kind, obj.data)


def test_a_flat_objects_elements_are_there(raypick, view):
    obj = mesh_object("Flat", CONCAVE, [(0, 1, 2, 3, 4)])
    obj.scale = (1, 1, 0)
    bpy.context.view_layer.update()
    x, y = pixel_of(raypick, view, (-1.95, -1.9, 0))
    for kind in ("vertex", "edge", "face"):
        (hit,) = pick(raypick, view, x, y, snap=kind, snap_radius=400)
        assert_snapped(hit, kind, obj.data)


@pytest.mark.parametrize("kind", ["vertex", "edge", "face"])
def test_a_hit_beside_the_ray_says_what_it_snapped_to(raypick, view, kind):
    obj = ribbon(width=0.02)
    bpy.context.view_layer.update()
    position = beside(raypick, view, (0, 1.4, 0), 2.0)
    (hit,) = pick(raypick, view, *position, tolerance=4)
    assert (hit.snapped, hit.pixels_away > 0) == (None, True)
    (hit,) = pick(raypick, view, *position, tolerance=4, snap=kind, snap_radius=300)
    assert hit.pixels_away > 0
    assert_snapped(hit, kind, obj.data)


def test_it_is_kept_in_files_and_when_the_scene_moves(raypick, view):
    obj = square(size=2.0)
    bpy.context.view_layer.update()
    x, y = pixel_of(raypick, view, (1.95, 1.96, 0))
    for kind, index in (("vertex", 2), ("face", 0), (None, None)):
        (hit,) = pick(raypick, view, x, y, snap=kind, snap_radius=200)
        assert hit.snapped == (kind and (kind, index))
        again = raypick.api.PickHit.from_dict(hit.as_dict())
        assert again == hit
        assert again.snapped == hit.snapped
        assert hit.as_dict()["snapped"] == (kind and [kind, index])
    (hit,) = pick(raypick, view, x, y, snap="vertex", snap_radius=200)
    query = import_module(f"{raypick.__name__}.bridge.query")
    obj.location.z = 1.0
    bpy.context.view_layer.update()
    (moved,) = query.follow(bpy.context, [hit], None)
    assert (moved.snapped, moved.point[2]) == (("vertex", 2), 1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        *(["corner", 1], ["vertex"], ["vertex", -1], ["vertex", 1.5], ["vertex", True]),
        *("vertex", 3, ["vertex", 1, 2], [["vertex"], 1], ["face", 1 << 40], {}, [1, "face"]),
    ],
)
def test_what_is_no_element_is_refused_in_files(raypick, view, wrong):
    square(size=2.0)
    x, y = pixel_of(raypick, view, (1.95, 1.96, 0))
    (hit,) = pick(raypick, view, x, y)
    with pytest.raises(ValueError, match="snapped"):
        raypick.api.PickHit.from_dict({**hit.as_dict(), "snapped": wrong})


def test_saved_histories_and_exports_hold_it(history, tmp_path):  # noqa: F811
    rename(history, snapped=("vertex", 2))
    assert exported(tmp_path, "json")["hits"][0]["snapped"] == ["vertex", 2]
    history.save_to(bpy.context.scene)
    read_again(history)
    (record,) = history.records()
    assert record.hit.snapped == ("vertex", 2)
