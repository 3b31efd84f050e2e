# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties that follow landmarks, with the extension and without it."""

import addon_utils
import bpy
import numpy as np
import pytest

from ...conftest import PACKAGE
from ...heads import animate, head, mark
from ...rendering import rendered
from ...scenes import collection_instance, down, square

FRAMES = [1, 4, 9.5, 13, 20]
WAYS = ["extension", "keyframes", "nodes"]


@pytest.fixture
def landmarks(raypick):
    return raypick.api.landmarks


@pytest.fixture
def face(raypick, request):
    """Return an animated head with 8 landmarks, seen at its first frame.

    Its quads bend, and are split differently in some frames. Nodes are told of triangles alone.
    """
    way = request.getfixturevalue("way") if "way" in request.fixturenames else None
    obj = head(triangulated=way == "nodes")
    animate(obj)
    bpy.context.scene.frame_end = 20
    bpy.context.scene.frame_set(1)
    mark(raypick, obj, 8)
    return obj


@pytest.fixture
def disabled(raypick):
    """Return a function that disables the extension; at the end of the test it is enabled."""
    yield lambda: addon_utils.disable(PACKAGE)
    addon_utils.enable(PACKAGE)


def go_to(frame):
    bpy.context.scene.frame_set(int(frame), subframe=frame % 1)


def places(names, depsgraph=None):
    """Where objects are as evaluated, (N, 3), by default for viewports."""
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()
    found = (bpy.data.objects[name].evaluated_get(depsgraph) for name in names)
    return np.array([obj.matrix_world.translation[:] for obj in found])


@pytest.mark.parametrize("way", WAYS)
def test_empties_are_at_their_landmarks_in_every_frame(landmarks, face, way):
    made = landmarks.add_empties(
        bpy.context,
        face,
        follow=way,
        frames=np.arange(1, 20.5, 0.5) if way == "keyframes" else None,
    )
    names = [each.name for each in made]
    expected = landmarks.points(bpy.context, face, frames=FRAMES)
    for frame, points in zip(FRAMES, expected, strict=True):
        go_to(frame)
        assert places(names) == pytest.approx(points, abs=1e-5), frame


@pytest.mark.parametrize("way", ["keyframes", "nodes"])
def test_they_follow_without_the_extension_after_save_and_load(
    landmarks, face, way, tmp_path, disabled
):
    names = [each.name for each in landmarks.add_empties(bpy.context, face, follow=way)]
    frames = [frame for frame in FRAMES if frame % 1 == 0]
    expected = landmarks.points(bpy.context, face, frames=frames)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "face.blend"))
    disabled()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "face.blend"))
    for frame, points in zip(frames, expected, strict=True):
        go_to(frame)
        assert places(names) == pytest.approx(points, abs=1e-5), frame


def test_the_extension_has_them_follow_after_save_and_load_and_not_once_it_is_disabled(
    landmarks, face, tmp_path, disabled
):
    names = [each.name for each in landmarks.add_empties(bpy.context, face)]
    expected = landmarks.points(bpy.context, face, frames=FRAMES)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "face.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "face.blend"))
    for frame, points in zip(FRAMES, expected, strict=True):
        go_to(frame)
        assert places(names) == pytest.approx(points, abs=1e-5), frame
    disabled()
    go_to(1)
    assert places(names) == pytest.approx(expected[-1], abs=1e-5)


def test_they_follow_edits_of_the_object_and_of_the_landmark(raypick, landmarks):
    obj = square(size=4.0)
    bpy.context.view_layer.update()
    landmarks.add(bpy.context, down(raypick, 1, 1)[0], "a")
    (empty,) = landmarks.add_empties(bpy.context, obj)
    assert places([empty.name])[0] == pytest.approx((1, 1, 0))
    obj.location.z = 3.0
    bpy.context.view_layer.update()
    assert places([empty.name])[0] == pytest.approx((1, 1, 3))
    for vertex in obj.data.vertices:
        vertex.co.x *= 2.0
    obj.data.update()
    bpy.context.view_layer.update()
    assert places([empty.name])[0] == pytest.approx((2, 1, 3))
    landmarks.move(bpy.context, obj, "a", down(raypick, 5, 3)[0])
    bpy.context.view_layer.update()
    assert places([empty.name])[0] == pytest.approx((5, 3, 3))


def test_what_is_parented_to_an_empty_is_picked_where_it_is(raypick, landmarks):
    obj, tile = square(size=4.0), square("Tile", size=0.5)
    bpy.context.view_layer.update()
    landmarks.add(bpy.context, down(raypick, 1, 1, exclude=["Tile"])[0], "a")
    (empty,) = landmarks.add_empties(bpy.context, obj)
    tile.parent = empty
    tile.location.z = 1.0
    for height in (2.0, 5.0):
        obj.location.z = height
        bpy.context.view_layer.update()
        (hit, *_) = down(raypick, 1.2, 1.2)
        assert (hit.object, hit.point[2]) == ("Tile", pytest.approx(height + 1.0))


@pytest.mark.parametrize("kind", ["SUBSURF", "TRIANGULATE"])
def test_a_render_has_them_on_the_mesh_that_it_shows(landmarks, face, kind):
    """After it, those of viewports are where they were."""
    in_viewport = face.modifiers.new("In viewports", "SUBSURF")
    in_viewport.show_render = False
    in_render = face.modifiers.new("In renders", kind)
    if kind == "SUBSURF":
        in_render.levels = in_render.render_levels = 2
    in_render.show_viewport = False
    names = [each.name for each in landmarks.add_empties(bpy.context, face)]
    go_to(7)
    shown = landmarks.points(bpy.context, face)
    in_viewport.show_viewport, in_render.show_viewport = False, True
    seen = landmarks.points(bpy.context, face)
    in_viewport.show_viewport, in_render.show_viewport = True, False
    assert np.abs(seen - shown).max() > 1e-3
    assert places(names) == pytest.approx(shown, abs=1e-5)
    assert rendered(lambda depsgraph: places(names, depsgraph)) == pytest.approx(seen, abs=1e-5)
    assert places(names) == pytest.approx(shown, abs=1e-5)


def test_an_update_that_moves_nothing_ends(landmarks, face):
    made = landmarks.add_empties(bpy.context, face)
    calls = []

    def count(*_):
        calls.append([each.location.copy() for each in made])

    bpy.app.handlers.depsgraph_update_post.append(count)
    try:
        for _ in range(3):
            bpy.context.view_layer.update()
        assert len(calls) <= 2
        face.location.x += 1.0
        bpy.context.view_layer.update()
        before = len(calls)
        for _ in range(5):
            bpy.context.view_layer.update()
        assert len(calls) == before
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(count)


def test_those_whose_landmark_is_nowhere_stay(landmarks, face):
    made = landmarks.add_empties(bpy.context, face)
    names, before = [each.name for each in made], places([each.name for each in made])
    face.data.clear_geometry()
    bpy.context.view_layer.update()
    go_to(9)
    assert places(names) == pytest.approx(before)
    landmarks.remove(face)
    go_to(3)
    bpy.data.objects.remove(face)
    go_to(5)
    assert places(names) == pytest.approx(before)


@pytest.mark.parametrize("way", ["extension", "keyframes"])
def test_their_z_axes_may_be_along_the_normals(landmarks, face, way):
    made = landmarks.add_empties(bpy.context, face, follow=way, normals=True)
    for frame in (1, 20):
        go_to(frame)
        bpy.context.view_layer.update()
        expected = np.array([each.normal for each in landmarks.where(bpy.context, face)])
        axes = np.array([each.matrix_world.to_3x3().col[2][:] for each in made])
        assert axes == pytest.approx(expected, abs=1e-5)


def test_instances_are_followed_by_the_extension_and_keyframes_but_not_by_nodes(raypick, landmarks):
    obj = square()
    instancer = collection_instance(obj, (5, 0, 0))
    bpy.context.view_layer.update()
    landmarks.add(bpy.context, down(raypick, 5.5, 0.5)[0], "a")
    (empty,) = landmarks.add_empties(bpy.context, obj)
    instancer.location = (7, 1, 2)
    bpy.context.view_layer.update()
    assert places([empty.name])[0] == pytest.approx((7.5, 1.5, 2))
    landmarks.add_empties(bpy.context, obj, follow="keyframes", frames=[1])
    with pytest.raises(raypick.api.RaypickError, match="instances"):
        landmarks.add_empties(bpy.context, obj, follow="nodes")


def test_an_empty_follows_in_the_way_that_was_asked_for_last(landmarks, face):
    first = landmarks.add_empties(bpy.context, face)
    for way in ("nodes", "keyframes", "nodes", "extension"):
        assert landmarks.add_empties(bpy.context, face, follow=way) == first
        carriers = [each for each in bpy.data.objects if each.get("raypick_carries")]
        assert len(carriers) == (way == "nodes")
        assert all((each.animation_data is not None) == (way == "keyframes") for each in first)
        assert [bool(each.get("raypick_follows")) for each in first] == [way == "extension"] * 8
    assert [each.name for each in bpy.data.collections] == ["Head Landmarks"]


@pytest.mark.parametrize("way", WAYS)
def test_adding_is_undone(landmarks, face, way):
    bpy.context.view_layer.objects.active = face
    before = {each.name for each in bpy.data.objects}
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.raypick.add_landmark_empties(follow=way.upper())
    assert {each.name for each in bpy.data.objects} > before
    bpy.ops.ed.undo_push(message="After")
    bpy.ops.ed.undo()
    assert {each.name for each in bpy.data.objects} == before
    go_to(5)
    bpy.ops.ed.redo()
    head_now = bpy.data.objects["Head"]
    go_to(12)
    names = [each.name for each in bpy.data.objects if "raypick_landmark" in each]
    points = landmarks.points(bpy.context, head_now)
    found = places(names)
    order = [int(name.rsplit(" ", 1)[1]) for name in names]
    assert found == pytest.approx(points[order], abs=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"follow": "strings"}, "follow must be one of"),
        ({"follow": "keyframes", "frames": []}, "no frames"),
        ({"follow": "keyframes", "frames": 3}, "frames must be a list"),
        ({"follow": "keyframes", "frames": ["x"]}, "must be a number"),
        ({"follow": "keyframes", "frames": [float("nan")]}, "there is no frame"),
        ({"follow": "keyframes", "frames": range(1 << 60)}, "100,000"),
        ({"set": "None"}, "has no set"),
    ],
)
def test_what_cannot_be_is_refused_and_adds_nothing(raypick, landmarks, face, options, message):
    before = len(bpy.data.objects)
    with pytest.raises(raypick.api.RaypickError, match=message):
        landmarks.add_empties(bpy.context, face, **options)
    face.data.clear_geometry()
    bpy.context.view_layer.update()
    with pytest.raises(raypick.api.RaypickError, match="landmark 'point 0': "):
        landmarks.add_empties(bpy.context, face)
    assert len(bpy.data.objects) == before
    assert len(bpy.data.collections) == 0
