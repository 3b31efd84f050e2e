# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures between landmarks, against formulas of the shapes they are on."""

import math

import bpy
import pytest
from mathutils import Matrix

from ...scenes import down, link, mesh_object, square

BOX = [(x, y, z) for x in (0, 4) for y in (0, 3) for z in (0, 2)]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


@pytest.fixture
def marked(raypick):
    """Return a function that adds a landmark where a ray straight down hits."""

    def add(x, y, name):
        (hit,) = down(raypick, x, y)
        return raypick.api.landmarks.add(bpy.context, hit, name)

    return add


@pytest.fixture
def box(raypick, marked):
    """Return a box of 4 x 3 x 2 with three landmarks on its top."""
    obj = mesh_object("Box", BOX, SIDES)
    for name, place in {"a": (1.0, 1.0), "b": (3.0, 1.0), "c": (1.0, 2.5)}.items():
        marked(*place, name)
    return obj


@pytest.fixture
def value(raypick):
    """Return a function that adds a measure and returns what it is now."""

    def of(kind, obj, *names, **options):
        measure = raypick.api.measures.add(kind, [(obj, name) for name in names], **options)
        (found,) = raypick.api.measures.values(bpy.context, obj, [measure.id])
        return found

    return of


def test_a_distance_is_straight_and_has_a_part_along_each_axis(box, value):
    found = value("distance", box, "b", "c")
    assert found.value == pytest.approx(2.5, abs=1e-12)
    assert found.per_axis == pytest.approx((-2.0, 1.5, 0.0), abs=1e-12)


def test_an_angle_is_measured_at_the_second_place(box, value):
    assert value("angle", box, "b", "a", "c").value == pytest.approx(math.pi / 2, abs=1e-12)
    assert value("angle", box, "a", "b", "c").value == pytest.approx(math.atan2(1.5, 2.0))


def test_lengths_of_lines_are_sums_of_their_parts(box, value):
    assert value("polyline", box, "b", "a", "c").value == pytest.approx(3.5)
    closed = value("outline", box, "b", "a", "c")
    assert closed.value == pytest.approx(6.0)
    assert closed.points[0] == closed.points[-1]


def test_thickness_is_that_of_the_solid_under_the_place(box, value):
    found = value("thickness", box, "a")
    assert found.value == pytest.approx(2.0, abs=1e-9)
    assert found.points[1] == pytest.approx((1.0, 1.0, 0.0), abs=1e-9)


def test_the_largest_sphere_inside_touches_the_sides_that_are_near(box, value, marked):
    marked(2.0, 1.5, "middle")
    assert value("sphere_thickness", box, "middle").value == pytest.approx(2.0, abs=1e-9)
    # Beside the edges x = 1 and y = 1 away a sphere that touches the top has the radius 1 too.
    marked(0.5, 1.5, "beside")
    assert value("sphere_thickness", box, "beside").value == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("scale", [(2, 2, 2), (1, 1, -3), (-1, 2, 1)], ids=str)
def test_thickness_is_a_length_of_the_world_also_of_mirrored_objects(raypick, scale):
    matrix = Matrix.LocRotScale((0, 0, -6), None, scale)
    obj = mesh_object("Box", BOX, SIDES, matrix)
    bpy.context.view_layer.update()
    x, y, _ = matrix @ Matrix.Translation((1, 1, 0)).translation
    (hit,) = down(raypick, x, y)
    raypick.api.landmarks.add(bpy.context, hit, "top")
    raypick.api.measures.add("thickness", [(obj, "top")])
    (found,) = raypick.api.measures.values(bpy.context, obj)
    assert found.value == pytest.approx(2.0 * abs(scale[2]), rel=1e-6), found.reason


def test_clearance_is_the_distance_to_the_nearest_place_of_another_object(box, value):
    square("Above", z=0.0, size=2.0).matrix_world = Matrix.Translation((0, 0, 5.5))
    bpy.context.view_layer.update()
    found = value("clearance", box, "b", other="Above")
    assert found.value == pytest.approx(math.hypot(1.0, 3.5), rel=1e-6)


def test_the_angle_between_normals_counts_their_directions(raypick, marked, value):
    roof = mesh_object(
        "Roof",
        [(0, 0, 0), (2, 0, 2), (4, 0, 0), (0, 1, 0), (2, 1, 2), (4, 1, 0)],
        [(0, 1, 4, 3), (1, 2, 5, 4)],
    )
    marked(1.0, 0.5, "left")
    marked(3.0, 0.5, "right")
    assert value("normal_angle", roof, "left", "right").value == pytest.approx(math.pi / 2)


def test_measures_follow_their_landmarks(raypick, box, value):
    measure = value("distance", box, "a", "b").measure
    box.scale.x = 3.0
    bpy.context.view_layer.update()
    (now,) = raypick.api.measures.values(bpy.context, box, [measure.id])
    assert now.value == pytest.approx(6.0, rel=1e-6)
    for vertex in box.data.vertices:
        vertex.co.x *= 2.0
    box.data.update()
    (now,) = raypick.api.measures.values(bpy.context, box, [measure.id])
    assert now.value == pytest.approx(12.0, rel=1e-6)


def test_measures_go_between_objects_and_are_kept_by_the_first(raypick, box, marked):
    other = square("Other", z=7.0)
    marked(0.5, 0.5, "there")
    raypick.api.measures.add("distance", [(box, "a"), (other, "there")], "Gap")
    assert raypick.api.measures.of(other) == []
    (found,) = raypick.api.measures.values(bpy.context, box)
    assert found.value == pytest.approx(math.hypot(0.5, 0.5, 5.0))


def test_measures_mean_the_same_objects_once_these_are_renamed(raypick, box, marked, tmp_path):
    measures, api = raypick.api.measures, raypick.api
    far, near = square("Far", z=-3.0, size=4.0), square("Near", z=-1.0, size=4.0)
    other = square("Other", z=5.0)
    marked(0.5, 0.5, "o")
    measures.add("clearance", [(box, "a")], other=far)
    measures.add("distance", [(box, "a"), (other, "o")])

    def values():
        return [each.value for each in measures.values(bpy.context, box)]

    expected = [5.0, math.hypot(0.5, 0.5, 3.0)]
    assert values() == pytest.approx(expected)
    far.name, near.name = "Far Away", "Far"
    decoy = link(other.copy())  # with landmarks of the same ids
    other.name, decoy.name = "Another", "Other"
    decoy.location.z = 10.0
    bpy.context.view_layer.update()
    assert values() == pytest.approx(expected)
    measures.add("clearance", [(box, "a")], other=near)
    assert values() == pytest.approx([*expected, 3.0])
    far.name, near.name = "Swapped", "Far Away"
    far.name = "Far"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "renamed.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "renamed.blend"))
    found = api.measures.values(bpy.context, "Box")
    assert [each.value for each in found] == pytest.approx([*expected, 3.0])
    assert [each.measure.other for each in found] == ["Far", None, "Far Away"]


def test_what_is_gone_says_why_there_is_no_value(raypick, box, value):
    found = value("distance", box, "a", "b")
    raypick.api.landmarks.remove(box, "b")
    (now,) = raypick.api.measures.values(bpy.context, box, [found.measure.id])
    assert (now.value, now.reason) == (None, "The landmark was removed")


def test_places_that_coincide_make_no_angle(box, value):
    found = value("angle", box, "a", "a", "b")
    assert (found.value, found.reason) == (None, "Two of the places are the same")


@pytest.mark.parametrize(
    ("kind", "names", "message"),
    [
        ("length", "ab", "there is no measure 'length'"),
        ("distance", "a", "Distance needs 2 landmarks, not 1"),
        ("angle", "ab", "Angle needs 3 landmarks"),
        ("polyline", "a", "Polyline needs 2 or more landmarks"),
        ("clearance", "a", "measured to another object"),
        ("distance", "ax", "no landmark 'x'"),
        ("mystery", "", "there is no measure 'mystery'"),
    ],
)
def test_what_makes_no_measure_is_refused_in_words(raypick, box, kind, names, message):
    with pytest.raises(raypick.api.RaypickError, match=message):
        raypick.api.measures.add(kind, [(box, name) for name in names])


def test_a_distance_along_the_surface_unfolds_its_faces(raypick, box, value, marked):
    assert value("surface_distance", box, "b", "c").value == pytest.approx(2.5, abs=1e-9)
    (hit,) = raypick.api.ray_cast(bpy.context, (9.0, 1.0, 1.5), (-1.0, 0.0, 0.0))
    raypick.api.landmarks.add(bpy.context, hit, "side")
    found = value("surface_distance", box, "a", "side")
    # From (1, 1) on top, over the edge at x = 4, to half a unit below it.
    assert found.value == pytest.approx(3.5, abs=1e-9)
    assert found.exact
    parts = [math.dist(*pair) for pair in zip(found.points, found.points[1:], strict=False)]
    assert math.fsum(parts) == pytest.approx(found.value, abs=1e-9)


def test_a_distance_along_a_scaled_surface_is_one_of_the_world(raypick, box, value, marked):
    (hit,) = raypick.api.ray_cast(bpy.context, (9.0, 1.0, 1.5), (-1.0, 0.0, 0.0))
    raypick.api.landmarks.add(bpy.context, hit, "side")
    measure = value("surface_distance", box, "a", "side").measure
    box.scale = (2.0, 1.0, -4.0)
    bpy.context.view_layer.update()
    (now,) = raypick.api.measures.values(bpy.context, box, [measure.id])
    # Shorter than straight over the edge at x = 8 is the way over the side at y = 0, unfolded.
    assert now.value == pytest.approx(math.hypot(6.0 + 1.0, 1.0 + 2.0), rel=1e-6)
    assert now.value < 6.0 + 2.0


def test_what_the_surface_does_not_connect_has_no_distance_along_it(raypick, value):
    pair = mesh_object(
        "Pair",
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 0, 0), (6, 0, 0), (5, 1, 0)],
        [(0, 1, 2), (3, 4, 5)],
    )
    for name, x in (("here", 0.2), ("there", 5.2)):
        raypick.api.landmarks.add(bpy.context, down(raypick, x, 0.2)[0], name)
    found = value("surface_distance", pair, "here", "there")
    assert (found.value, found.reason) == (None, "The surface does not connect the landmarks")


def test_a_clearance_to_the_object_itself_is_refused(raypick, box):
    with pytest.raises(raypick.api.RaypickError, match="to another object"):
        raypick.api.measures.add("clearance", [(box, "a")], other=box)


def test_measures_that_are_not_there_are_refused_by_name(raypick, box, value):
    value("distance", box, "a", "b")
    for names, message in ((["Distance", "typo"], "no measure 'typo'"), ("Distance", "a list")):
        with pytest.raises(raypick.api.RaypickError, match=message):
            raypick.api.measures.values(bpy.context, box, names)
