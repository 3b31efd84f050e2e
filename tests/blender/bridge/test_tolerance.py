# SPDX-License-Identifier: GPL-3.0-or-later
"""Tolerance: what is thinner than a pixel is taken from beside it, and nothing else is."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from ..scenes import collection_instance, mesh_object, square, suzanne
from ..seen_nearest import Screen, UnclearError, expected
from .test_snap import pick, pixel_of
from .view.test_cameras import HEIGHT, WIDTH, region, seen_by

KINDS = ["PERSP", "ORTHO"]


@pytest.fixture(params=KINDS)
def view(request):
    """A camera's view from (0.3, -0.2, 8) down at the origin: about 75 pixels to a unit."""
    return looking_down(request.param)


def looking_down(kind, height=8.0, clip_end=100.0):
    data = bpy.data.cameras.new("Camera")
    data.type, data.ortho_scale, data.clip_end = kind, 8.5, clip_end
    camera = bpy.data.objects.new("Camera", data)
    bpy.context.scene.collection.objects.link(camera)
    camera.location = (0.3, -0.2, height)
    return seen_by(camera, kind)


def ribbon(name="Ribbon", z=0.0, width=0.004, x=0.0):
    """A strip along y that is seen 0.3 pixels wide: its right border is at x."""
    corners = [(x - width, -1.5, z), (x, -1.5, z), (x, 1.5, z), (x - width, 1.5, z)]
    return mesh_object(name, corners, [(0, 1, 2, 3)])


def beside(raypick, view, point, pixels):
    """The position so many pixels to the right of where a point is seen."""
    return pixel_of(raypick, view, point) + (pixels, 0.0)


def assert_taken(raypick, view, position, hit, away=None):
    """Compare a hit with what a place of it, and the projection, say."""
    seen = np.hypot(*(pixel_of(raypick, view, hit.point) - position))
    assert hit.pixels_away == pytest.approx(seen, abs=1e-6)
    if away is not None:
        assert hit.pixels_away == pytest.approx(away, abs=1e-6)
    ray = raypick.api.camera(region(), view).ray(*position)
    offset = np.array(hit.point) - ray.origin
    assert hit.distance == pytest.approx(np.linalg.norm(offset), rel=1e-9)
    corners = np.array(hit.corners)
    assert np.array(hit.barycentric) @ corners == pytest.approx(np.array(hit.point), abs=1e-6)
    assert min(hit.barycentric) >= 0.0
    assert sum(hit.barycentric) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("away", [0.4, 1.0, 2.5, 3.9])
def test_a_ribbon_before_nothing_is_taken_from_beside_it(raypick, view, away):
    ribbon()
    position = beside(raypick, view, (0, 0.2, 0), away)
    assert pick(raypick, view, *position) == []
    assert pick(raypick, view, *position, tolerance=away - 0.01) == []
    (hit,) = pick(raypick, view, *position, tolerance=4)
    assert hit.object == "Ribbon"
    assert_taken(raypick, view, position, hit, away)
    assert hit.front


def test_a_ribbon_before_a_wall_is_taken_and_the_wall_comes_after_it(raypick, view):
    ribbon(z=1.0)
    square("Wall", z=-0.5, size=3.0).location = (-1.5, -1.5, 0)
    position = beside(raypick, view, (0, 0.2, 1.0), 3.0)
    (plain,) = pick(raypick, view, *position)
    assert (plain.object, plain.pixels_away) == ("Wall", 0.0)
    (hit,) = pick(raypick, view, *position, tolerance=4)
    assert hit.object == "Ribbon"
    assert_taken(raypick, view, position, hit, 3.0)
    assert pick(raypick, view, *position, tolerance=4, all_hits=True) == [hit, plain]
    assert pick(raypick, view, *position, tolerance=2.9) == [plain]


def test_a_ribbon_behind_a_wall_is_not_taken(raypick, view):
    ribbon(z=-1.0)
    square("Wall", size=3.0).location = (-1.5, -1.5, 0)
    position = beside(raypick, view, (0, 0.2, -1.0), 1.0)
    plain = pick(raypick, view, *position)
    assert pick(raypick, view, *position, tolerance=9) == plain


def test_what_is_behind_the_eye_hides_nothing_where_the_view_is_not_clipped(raypick):
    view = looking_down("PERSP")
    ribbon()
    square("Ceiling", z=9.0, size=3.0).location = (-1.5, -1.5, 0)
    position = beside(raypick, view, (0, 0.2, 0), 2.0)
    for clip in (True, False):
        (hit,) = pick(raypick, view, *position, tolerance=4, clip=clip)
        assert (hit.object, hit.front) == ("Ribbon", True)


def test_what_the_ray_hits_stays_without_anything_before_it(raypick, view):
    suzanne(levels=1).scale = (2, 2, 2)
    x, y = pixel_of(raypick, view, (0.2, 0.3, 1))
    plain = pick(raypick, view, x, y, all_hits=True)
    assert plain
    assert pick(raypick, view, x, y, all_hits=True, tolerance=0) == plain


@pytest.mark.parametrize("tolerance", [-1, float("nan"), float("inf"), "much", None, (1, 2)])
def test_a_tolerance_that_is_none_is_told(raypick, view, tolerance):
    with pytest.raises(raypick.api.RaypickError, match="tolerance"):
        pick(raypick, view, 10, 10, tolerance=tolerance)


def random_ribbons(rng, name, count, spread=1.5):
    """Thin strips in all directions at heights between -1 and 2, each of two quads."""
    vertices, faces = [], []
    for _ in range(count):
        middle = rng.uniform((-2, -1.5, -1), (2, 1.5, 2))
        along = rng.normal(size=3) * (1, 1, 0.3)
        along *= rng.uniform(0.2, spread) / np.linalg.norm(along)
        across = np.cross(along, rng.normal(size=3))
        across *= 10 ** rng.uniform(-3, -1) / np.linalg.norm(across)
        first = len(vertices)
        for share in (-0.5, 0.1, 0.5):
            vertices += [middle + share * along - across / 2, middle + share * along + across / 2]
        faces += [(first, first + 1, first + 3, first + 2)]
        faces += [(first + 2, first + 3, first + 5, first + 4)]
    return mesh_object(name, [tuple(v) for v in vertices], faces)


def bumpy(rng, name, cells, size, height, slope):
    """A square of many quads, tilted and with bumps."""
    x, y = np.meshgrid(np.linspace(-size, size, cells + 1), np.linspace(-size, size, cells + 1))
    z = slope * x - 0.5 * slope * y + height + rng.uniform(-0.1, 0.1, x.shape)
    row = cells + 1
    faces = [
        (i * row + j, i * row + j + 1, (i + 1) * row + j + 1, (i + 1) * row + j)
        for i in range(cells)
        for j in range(cells)
    ]
    return mesh_object(name, list(zip(x.flat, y.flat, z.flat, strict=True)), faces)


def random_scene(rng):
    """Ribbons, before, behind and across bumpy slopes; instances, mirrored and sheared ones."""
    random_ribbons(rng, "Loose", 30)
    bumpy(rng, "Slope", 14, 1.2, -1.5, rng.uniform(-1, 1))
    bumpy(rng, "Rough", 40, 0.5, 0.2, rng.uniform(-2, 2)).location = (1.2, 0.6, 0)
    mirrored = random_ribbons(rng, "Mirrored", 8)
    mirrored.scale = (-1.3, 0.4, 0.8)
    mirrored.rotation_euler = rng.uniform(-0.4, 0.4, 3)
    random_ribbons(rng, "Flat", 6).scale = (1, 1, 0)
    part = random_ribbons(rng, "Part", 8)
    part.rotation_euler = (0.2, 0.1, 0.7)
    collection_instance(part, (-0.3, 0.2, 0.4)).scale = (0.9, 1.4, 0.7)


@pytest.mark.parametrize("cull", [None, "back"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_what_is_nearest_on_the_screen_by_brute_force(raypick, rng, kind, cull):
    counts = dict.fromkeys(("beside nothing", "before the hit", "kept", "missed", "unclear"), 0)
    for _ in range(3):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        random_scene(rng)
        view = looking_down(kind)
        screen = Screen(view, WIDTH, HEIGHT, ["Mirrored"])
        for position in rng.uniform((120, 40), (520, 360), (60, 2)):
            radius = rng.choice([2.0, 6.0, 15.0])
            counts[compare(raypick, view, screen, position, radius, cull)] += 1
    assert min(counts[name] for name in counts if name != "unclear") > 5
    assert counts["unclear"] < 10


def compare(raypick, view, screen, position, radius, cull):
    """Judge one pick by brute force, and say what it was."""
    exact = pick(raypick, view, *position, all_hits=True, cull=cull)
    ray = raypick.api.camera(region(), view).ray(*position)
    try:
        first, sign = exact[0] if exact else None, 1 if cull else 0
        nearest = expected(screen, ray, position, radius, first, sign)
    except UnclearError:
        return "unclear"
    found = pick(raypick, view, *position, all_hits=True, tolerance=radius, cull=cull)
    if not nearest:
        assert found == exact
        return "kept" if exact else "missed"
    hit = found[0]
    assert found[1:] == exact
    name = (hit.object, hit.instancer, hit.instance, hit.face, hit.triangle)
    assert name in [each for each, _, _ in nearest]
    _, away, world = nearest[[each for each, _, _ in nearest].index(name)]
    assert_taken(raypick, view, position, hit, away)
    assert np.array(hit.point) == pytest.approx(world, abs=1e-5)
    assert pick(raypick, view, *position, tolerance=radius, cull=cull) == [hit]
    return "before the hit" if exact else "beside nothing"


def fin(height=1.5, width=3.0):
    """A floor with a fin on it, of one mesh: seen from above the fin is a line along y at x = 0."""
    vertices = [
        *((-width, -1.5, 0), (0, -1.5, 0), (width, -1.5, 0)),
        *((-width, 1.5, 0), (0, 1.5, 0), (width, 1.5, 0)),
        *((0, -1.5, height), (0, 1.5, height)),
    ]
    return mesh_object("Fin", vertices, [(0, 1, 4, 3), (1, 2, 5, 4), (1, 6, 7, 4)])


def test_a_fin_whose_foot_is_within_the_radius_is_part_of_the_floor(raypick, view):
    """The view looks along it, nearly: from its foot to its top it is 8 pixels wide, or none."""
    fin(height=0.05)
    position = beside(raypick, view, (0, 0.2, 0.05), -2.0)
    (plain,) = pick(raypick, view, *position)
    assert plain.face == 0
    assert pick(raypick, view, *position, tolerance=4) == [plain]


@pytest.mark.parametrize("kind", KINDS)
def test_a_fin_whose_foot_is_outside_the_radius_is_a_thing_of_its_own(raypick, kind):
    """Though its faces share vertices with the floor that is hit."""
    fin(width=20.0)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    camera.data.type, camera.data.ortho_scale = kind, 8.5
    camera.location, camera.rotation_euler = (-6, 0, 4), (0, -np.pi / 3.2, 0)
    view = seen_by(camera, kind)
    x, y = pixel_of(raypick, view, (0, 0.2, 1.5))
    right = pixel_of(raypick, view, (0, 0.2, 1.0)) - (x, y)
    position = (x, y) - 2.5 * right / np.hypot(*right)
    (plain,) = pick(raypick, view, *position)
    assert plain.face == 1
    (hit,) = pick(raypick, view, *position, tolerance=4)
    assert hit.face == 2
    assert hit.point[2] == pytest.approx(1.5, abs=1e-6)
    assert_taken(raypick, view, position, hit)
    assert hit.pixels_away < 2.6


@pytest.mark.parametrize("split", [False, True], ids=["whole", "split apart"])
def test_bumps_and_slopes_never_displace_the_face_that_is_hit(raypick, view, rng, split):
    obj = bumpy(rng, "Rough", 60, 1.5, 0.0, 1.0)
    if split:
        corners = [v for face in obj.data.polygons for v in face.vertices]
        places = [tuple(obj.data.vertices[v].co) for v in corners]
        bpy.data.objects.remove(obj)
        mesh_object("Rough", places, [tuple(range(i, i + 4)) for i in range(0, len(places), 4)])
    for x, y in pixel_of(raypick, view, rng.uniform((-1, -1, 0), (1, 1, 0), (60, 3))).T:
        plain = pick(raypick, view, x, y)
        kept = pick(raypick, view, x, y, tolerance=1.5)
        assert kept == plain


def test_tiles_that_lie_flush_beside_each_other_do_not_displace_each_other(raypick, view):
    turned = Euler((0.2, -0.5, 0.3)).to_matrix()
    for number in range(2):
        tile = square(f"Tile {number}")
        tile.matrix_world = Matrix.LocRotScale(turned @ Vector((number, 0, 0)), turned, None)
    for along in (0.2, 0.5, 0.7):
        position = beside(raypick, view, turned @ Vector((1, along, 0)), -2.0)
        plain = pick(raypick, view, *position)
        assert plain[0].object == "Tile 0"
        assert pick(raypick, view, *position, tolerance=5) == plain


def test_what_the_surface_that_is_hit_hides_is_not_taken(raypick, view):
    """A steep slope: a bit beside, it is before a ribbon that is nearer than the place hit."""
    corners = [(-0.2, -2, -2), (0.2, -2, 2), (0.2, 2, 2), (-0.2, 2, -2)]
    mesh_object("Slope", corners, [(0, 1, 2, 3)])
    position = beside(raypick, view, (0.0, 0.2, 0.0), 0.0)
    (plain,) = pick(raypick, view, *position)
    for x, z, name in ((0.04, 0.2, "Slope"), (0.06, 0.9, "Ribbon")):
        obj = ribbon(x=x, z=z)
        (hit,) = pick(raypick, view, *position, tolerance=9)
        assert hit.object == name
        assert (hit == plain) == (name == "Slope")
        bpy.data.objects.remove(obj)


def test_a_face_that_is_seen_as_a_line_is_taken(raypick):
    mesh_object("Edge on", [(0, -1, 0), (0, 1, 0), (0, 1, 1), (0, -1, 1)], [(0, 1, 2, 3)])
    view = looking_down("ORTHO")
    position = beside(raypick, view, (0, 0.2, 1.0), 1.5)
    (hit,) = pick(raypick, view, *position, tolerance=2)
    assert hit.point == pytest.approx((0, hit.point[1], 1.0), abs=1e-6)
    assert_taken(raypick, view, position, hit, 1.5)


@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, 1, 0), (3, 0.2, 1)])
@pytest.mark.parametrize("cull", [None, "back", "front"])
def test_what_is_culled_is_not_taken(raypick, view, scale, cull):
    ribbon(x=0.002).scale = scale
    position = beside(raypick, view, (0, 0.2, 0), 3.0)
    found = pick(raypick, view, *position, tolerance=4, cull=cull)
    assert len(found) == (cull != "front")
    assert all(hit.front for hit in found)


def test_what_is_excluded_hidden_or_displayed_as_wire_is_not_taken(raypick, view):
    obj = ribbon()
    position = beside(raypick, view, (0, 0.2, 0), 3.0)
    assert pick(raypick, view, *position, tolerance=4)
    assert not pick(raypick, view, *position, tolerance=4, exclude=["Ribbon"])
    obj.display_type = "WIRE"
    assert pick(raypick, view, *position, tolerance=4)
    assert not pick(raypick, view, *position, tolerance=4, solid_only=True)
    obj.hide_select = True
    assert not pick(raypick, view, *position, tolerance=4, selectable_only=True)
    obj.hide_set(True)
    assert not pick(raypick, view, *position, tolerance=4)


def test_faces_that_edit_mode_hides_are_not_taken(raypick, view):
    obj = random_ribbons(np.random.default_rng(1), "Ribbons", 5)
    middle = obj.data.polygons[6].center
    x, y = pixel_of(raypick, view, middle)
    assert {hit.face for hit in pick(raypick, view, x, y, tolerance=3)} == {6}
    obj.data.polygons[6].hide = True
    assert pick(raypick, view, x, y, tolerance=3)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    assert pick(raypick, view, x, y, tolerance=3) == []
    x, y = pixel_of(raypick, view, obj.data.polygons[8].center)
    assert [hit.face for hit in pick(raypick, view, x, y, tolerance=3)] == [8]
    bpy.ops.object.mode_set(mode="OBJECT")


def test_only_what_is_between_the_clip_planes_is_taken(raypick, view):
    camera = bpy.context.scene.objects["Camera"]
    ribbon(z=1.0)
    position = beside(raypick, view, (0, 0.2, 1.0), 3.0)
    for start, end, count in ((0.1, 7.1, 1), (0.1, 6.9, 0), (6.9, 20, 1), (7.1, 20, 0)):
        camera.data.clip_start, camera.data.clip_end = start, end
        clipped = seen_by(camera, camera.data.type)
        assert len(pick(raypick, clipped, *position, tolerance=4)) == count
        assert len(pick(raypick, clipped, *position, tolerance=4, clip=False)) == 1


def test_of_what_crosses_the_near_clip_plane_the_place_beyond_it_is_taken(raypick):
    """A ribbon that rises to the eye and past it."""
    corners = [(0, -3, -1), (0.004, -3, -1), (0.004, 1, 15), (0, 1, 15)]
    mesh_object("Rising", corners, [(0, 1, 2, 3)])
    camera_view = looking_down("PERSP")
    camera = bpy.context.scene.objects["Camera"]
    camera.data.clip_start = 5.0
    clipped = seen_by(camera)
    cut = (0.004, -2.0, 3.0)
    position = beside(raypick, clipped, cut, 2.0)
    (hit,) = pick(raypick, clipped, *position, tolerance=4)
    assert hit.point[2] <= 3.0 + 1e-5
    assert_taken(raypick, clipped, position, hit)
    beyond = pixel_of(raypick, clipped, (0.004, -1.5, 5.0)) + (1.0, 0.0)
    assert pick(raypick, clipped, *beyond, tolerance=2) == []
    (hit,) = pick(raypick, camera_view, *beyond, tolerance=2)
    assert_taken(raypick, camera_view, beyond, hit)
    (hit,) = pick(raypick, clipped, *beyond, tolerance=2, clip=False)
    assert_taken(raypick, clipped, beyond, hit)


def test_of_what_a_clipping_region_cuts_the_part_inside_is_taken(raypick, view):
    ribbon(x=0.002)
    view.use_clip_planes = True
    view.clip_planes = [(0, -1, 0, 0.5), *[(0, 0, 0, 0)] * 5]
    position = pixel_of(raypick, view, (0, 0.5, 0)) + (0.0, 2.5)
    (hit,) = pick(raypick, view, *position, tolerance=4)
    assert hit.point[1] == pytest.approx(0.5, abs=1e-9)
    assert_taken(raypick, view, position, hit, 2.5)
    assert pick(raypick, view, *position, tolerance=2) == []
    (hit,) = pick(raypick, view, *position, tolerance=2, clip=False)
    assert hit.pixels_away < 0.2


def test_what_is_too_far_away_is_not_taken(raypick, view):
    ribbon()
    position = beside(raypick, view, (0, 0.2, 0), 3.0)
    (hit,) = pick(raypick, view, *position, tolerance=4)
    assert pick(raypick, view, *position, tolerance=4, max_distance=hit.distance) == [hit]
    assert pick(raypick, view, *position, tolerance=4, max_distance=hit.distance - 1e-6) == []


def test_behind_the_origin_of_an_orthographic_view_distances_are_negative(raypick):
    ribbon(z=20.0)
    view = looking_down("ORTHO")
    position = beside(raypick, view, (0, 0.2, 20), 3.0)
    assert pick(raypick, view, *position, tolerance=4) == []
    (hit,) = pick(raypick, view, *position, tolerance=4, clip=False)
    assert hit.distance < -11
    assert hit.point[2] == 20.0
    square("Wall", z=21.0, size=4).location = (-2, -2, 0)
    plain = pick(raypick, view, *position, clip=False)
    assert pick(raypick, view, *position, tolerance=4, clip=False) == plain


def test_what_was_taken_snaps_and_stays_first(raypick, view):
    ribbon(z=1.0)
    square("Wall", z=-0.5, size=5.0).location = (-2.5, -2.5, 0)
    position = beside(raypick, view, (0, 1.45, 1.0), 3.0)
    options = {"all_hits": True, "snap": "vertex", "snap_radius": 30}
    hits = pick(raypick, view, *position, tolerance=4, **options)
    assert [hit.object for hit in hits] == ["Ribbon", "Wall"]
    assert hits[0].point == (0.0, 1.5, 1.0)
    assert hits[0].pixels_away == pytest.approx(3.0, abs=1e-6)
    assert hits[1].pixels_away == 0.0


def test_what_is_drawn_in_front_is_taken_though_it_is_farther(raypick, view):
    ribbon("Far", z=-1.0).show_in_front = True
    square("Wall", size=3.0).location = (-1.5, -1.5, 0)
    position = beside(raypick, view, (0, 0.2, -1.0), 2.0)
    bridge, camera = raypick.bridge, raypick.api.camera(region(), view)
    around = raypick.bridge.query.AroundPixel(camera, *position)
    asked = bridge.query.PickQuery(
        around.ray.origin,
        around.ray.direction,
        tolerance=bridge.tolerance.tolerance(3, around, np.empty((0, 4))),
    )
    for first, names in ((False, ["Wall"]), (True, ["Far"])):
        query = bridge.query.replace(asked, in_front_first=first)
        hits = bridge.query.hits(bpy.context, query)
        assert [hit.object for hit in hits] == names
    # What is not drawn in front is not taken where something is hit that is.
    ribbon("Near", z=1.0, width=0.1)
    lid = square("Lid", z=-2.0, size=2.0)
    lid.location, lid.show_in_front = (-1, -1, 0), True
    for name in ("Far", "Lid"):
        hits = bridge.query.hits(bpy.context, query)
        assert [hit.object for hit in hits] == [name]
        bpy.data.objects.remove(bpy.data.objects[name])
