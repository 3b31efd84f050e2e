# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of files whose unit, axes or place are not those of the object."""

import json

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from ...heads import copy_of
from ...scenes import link, mesh_object, square, suzanne

UTM = (451000.25, 5410000.5, 300.125)
METERS = {"m": 1.0, "cm": 0.01, "mm": 0.001}
FROM_BLENDER = {
    "Z_UP": lambda x, y, z: (x, y, z),
    "LPS": lambda x, y, z: (x, y, z),
    "RAS": lambda x, y, z: (-x, -y, z),
    "Y_UP": lambda x, y, z: (x, z, -y),
}


@pytest.fixture
def landmarks(raypick):
    return raypick.api.landmarks


def head_in_millimeters(size=100.0):
    """A head of two times this size, as an importer makes it of a file without a unit."""
    obj = suzanne()
    obj.data.transform(Matrix.Scale(size, 4))
    bpy.context.view_layer.update()
    return obj


def on_surface(obj, count, rng):
    """Places (N, 3) in world space, at random weights of random triangles."""
    obj.data.calc_loop_triangles()
    corners = np.array([vertex.co[:] for vertex in obj.data.vertices])
    triangles = np.array([each.vertices[:] for each in obj.data.loop_triangles])
    chosen = triangles[rng.integers(len(triangles), size=count)]
    local = np.einsum("lfi,lf->li", corners[chosen], rng.dirichlet((1, 1, 1), count))
    matrix = np.array(obj.matrix_world)
    return local @ matrix[:3, :3].T + matrix[:3, 3]


def slicer(path, points, axes="LPS", unit="mm"):
    """Write markups as Slicer does, with its own axes and unit."""
    placed = [
        {"label": f"F-{i}", "position": point, "positionStatus": "defined"}
        for i, point in enumerate(np.asarray(points).tolist())
    ]
    markup = {"type": "Fiducial", "coordinateSystem": axes, "coordinateUnits": unit}
    path.write_text(json.dumps({"markups": [{**markup, "controlPoints": placed}]}))
    return path


def table(path, points, **columns):
    """Write a CSV with columns that have one value."""
    rows = [",".join(["name", "x", "y", "z", *columns])]
    for i, point in enumerate(np.asarray(points).tolist()):
        rows.append(",".join([f"p{i}", *map(repr, point), *columns.values()]))
    path.write_text("\n".join(rows) + "\n")
    return path


def test_landmarks_of_slicer_fit_a_mesh_of_slicer_that_was_imported_as_it_is(
    landmarks, tmp_path, rng
):
    obj = head_in_millimeters()
    points = on_surface(obj, 51, rng)
    loaded = landmarks.load(bpy.context, obj, slicer(tmp_path / "a.mrk.json", points))
    assert (len(loaded), loaded.unit, loaded.axes, loaded.equals) == (51, "SCENE", "LPS", ())
    assert loaded.moved < 1e-4
    assert landmarks.points(bpy.context, obj) == pytest.approx(points, abs=1e-4)


def test_the_unit_that_a_file_says_is_taken_where_it_fits(landmarks, tmp_path, rng):
    obj = suzanne()
    points = on_surface(obj, 51, rng)
    loaded = landmarks.load(bpy.context, obj, slicer(tmp_path / "a.mrk.json", points * 1000))
    assert (loaded.unit, loaded.axes) == ("mm", "LPS")
    assert landmarks.points(bpy.context, obj) == pytest.approx(points, abs=1e-6)


@pytest.mark.parametrize("unit", ["mm", None, "cm"])
def test_a_unit_that_is_asked_for_is_taken_or_refused(raypick, landmarks, tmp_path, rng, unit):
    obj = head_in_millimeters()
    path = slicer(tmp_path / "a.mrk.json", on_surface(obj, 51, rng))
    with pytest.raises(landmarks.UnfitError, match=r"do not fit 'Suzanne'.*unit='SCENE'") as caught:
        landmarks.load(bpy.context, obj, path, unit=unit)
    assert caught.value.fits == ({"unit": "SCENE"},)
    assert isinstance(caught.value, raypick.api.RaypickError)
    assert landmarks.of(obj) == []
    assert len(landmarks.load(bpy.context, obj, path, **caught.value.fits[0])) == 51


def test_axes_are_told_and_never_taken(landmarks, tmp_path, rng):
    obj = suzanne()
    points = on_surface(obj, 20, rng)
    path = slicer(tmp_path / "a.mrk.json", points * 1000 * (-1, -1, 1))
    with pytest.raises(landmarks.UnfitError) as caught:
        landmarks.load(bpy.context, obj, path)
    assert caught.value.fits == ({"axes": "RAS"},)
    landmarks.load(bpy.context, obj, path, axes="RAS")
    assert landmarks.points(bpy.context, obj) == pytest.approx(points, abs=1e-6)


def test_axes_that_fit_far_better_are_told_where_the_usual_ones_fit_somehow(landmarks, tmp_path):
    """A box that is nearly a cube: other axes are a few percent off, the right ones are not."""
    bpy.ops.mesh.primitive_cube_add()
    obj = bpy.context.object
    obj.data.transform(Matrix.Diagonal((1.0, 0.92, 1.0, 1.0)))
    bpy.context.view_layer.update()
    path = table(tmp_path / "a.csv", [(0.5, 0.3, 0.92), (0.1, -0.4, -0.92), (1.0, 0.2, 0.1)])
    with pytest.raises(landmarks.UnfitError, match="axes='Y_UP'"):
        landmarks.load(bpy.context, obj, path)
    assert landmarks.load(bpy.context, obj, path, axes="Z_UP").moved == pytest.approx(0.08)


def test_a_global_shift_is_told_and_taken_off_in_double_precision(landmarks, tmp_path, rng):
    obj = suzanne()
    points = on_surface(obj, 30, rng)
    path = table(tmp_path / "a.csv", points + UTM)
    with pytest.raises(landmarks.UnfitError, match=r"They fit with offset=\(451000\.\d+, 54") as it:
        landmarks.load(bpy.context, obj, path)
    assert it.value.fits[0]["offset"] == pytest.approx(UTM, abs=0.05)
    loaded = landmarks.load(bpy.context, obj, path, offset=UTM)
    assert loaded.moved < 1e-7
    assert landmarks.points(bpy.context, obj) == pytest.approx(points, abs=1e-7)


def test_an_offset_that_is_told_is_a_round_one_where_such_fits(landmarks, tmp_path, rng):
    obj = suzanne()
    path = table(tmp_path / "a.csv", on_surface(obj, 30, rng) + (451000, 5410000, 300))
    with pytest.raises(landmarks.UnfitError) as caught:
        landmarks.load(bpy.context, obj, path)
    assert caught.value.fits == ({"offset": (451000.0, 5410000.0, 300.0)},)


@pytest.mark.parametrize("space", ["WORLD", "LOCAL"])
def test_an_export_adds_the_offset_that_an_import_takes_off(landmarks, tmp_path, rng, space):
    obj = suzanne()
    obj.matrix_world = Matrix.LocRotScale(
        (3, 4, 5), Matrix.Rotation(0.4, 3, "X").to_quaternion(), None
    )
    bpy.context.view_layer.update()
    points = on_surface(obj, 9, rng)
    landmarks.load(bpy.context, obj, table(tmp_path / "a.csv", points))
    given = {"space": space, "unit": "mm", "axes": "RAS", "offset": UTM}
    landmarks.export(bpy.context, obj, tmp_path / "b.pts", **given)
    rows = (tmp_path / "b.pts").read_text().splitlines()[2:]
    written = np.array([[float(cell) for cell in row.split()[1:]] for row in rows])
    there = np.linalg.inv(np.array(obj.matrix_world)) if space == "LOCAL" else np.eye(4)
    x, y, z = 1000 * (points @ there[:3, :3].T + there[:3, 3]).T
    assert written == pytest.approx(np.stack([-x, -y, z], axis=1) + UTM, abs=1e-3)
    other = copy_of(obj)
    assert landmarks.load(bpy.context, other, tmp_path / "b.pts", **given).moved < 1e-6
    assert landmarks.points(bpy.context, other) == pytest.approx(points, abs=1e-5)


@pytest.mark.parametrize(
    ("points", "fits"),
    [
        ([(0.5, 0.5, 0.99 * 0.1 * 2**0.5)], True),
        ([(0.5, 0.5, 1.01 * 0.1 * 2**0.5)], False),
        ([(0.5, 0.5, 0.02), (0.5, 0.521, 0.02)], True),
        ([(0.5, 0.5, 0.02), (0.5, 0.519, 0.02)], False),
        ([(0.5, 0.5, 0.02), (0.5, 0.5, 0.02)], True),  # one place twice has no spread
        ([(1.01, 1.01, 0.0), (1.05, 1.03, 0.0), (0.1, 0.1, 0.0)], False),
        ([(1.01, 0.5, 0.0), (1.05, 0.6, 0.0), (0.1, 0.1, 0.0)], True),
    ],
    ids=["tenth", "more", "spread", "less", "coincident", "onto one corner", "onto an edge"],
)
def test_positions_may_move_by_a_tenth_of_the_object_and_by_their_spread_and_not_onto_one_another(
    landmarks, tmp_path, points, fits
):
    obj, path = square(), table(tmp_path / "a.csv", points)
    bpy.context.view_layer.update()
    if fits:
        assert len(landmarks.load(bpy.context, obj, path)) == len(points)
        return
    with pytest.raises(landmarks.UnfitError):
        landmarks.load(bpy.context, obj, path)
    assert len(landmarks.load(bpy.context, obj, path, far=True)) == len(points)


def test_positions_a_few_millimeters_beside_a_head_are_put_onto_it(landmarks, tmp_path, rng):
    obj = head_in_millimeters()
    points = on_surface(obj, 51, rng) + rng.uniform(-3, 3, (51, 3))
    loaded = landmarks.load(bpy.context, obj, slicer(tmp_path / "a.mrk.json", points))
    assert loaded.unit == "SCENE"
    assert 1.0 < loaded.moved < 3 * 3**0.5


def test_a_unit_is_told_and_not_taken_for_what_would_lie_in_one_spot(landmarks, tmp_path, rng):
    obj = suzanne()
    (point,) = on_surface(obj, 1, rng)
    for points in ([point], point + [(0, 0, 0), (0, 0, 1e-3), (0, 1e-3, 0), (1e-3, 0, 0)]):
        path = slicer(tmp_path / "a.mrk.json", np.multiply(points, 1000), unit="m")
        with pytest.raises(landmarks.UnfitError) as caught:
            landmarks.load(bpy.context, obj, path)
        assert caught.value.fits == ({"unit": "mm"},)
        assert landmarks.load(bpy.context, obj, path, unit="mm").moved < 2e-3


def test_what_fits_in_several_units_alone_is_refused_and_names_them(landmarks, tmp_path):
    obj = square(size=2.0)
    bpy.context.view_layer.update()
    path = table(tmp_path / "a.csv", [(100, 50, 0), (20, 10, 0), (60, 90, 0)])
    with pytest.raises(landmarks.UnfitError, match=r"unit='cm' \| unit='mm'"):
        landmarks.load(bpy.context, obj, path)


def test_what_fits_as_well_is_said_unless_the_file_says_what_is_right(landmarks, tmp_path):
    bpy.ops.mesh.primitive_cube_add()
    obj, points = bpy.context.object, [(1, 0.2, 0.3), (-1, 0.4, 0.1), (0.3, 1, 0.2)]
    silent = landmarks.load(bpy.context, obj, table(tmp_path / "a.csv", points))
    assert (silent.unit, silent.axes) == ("SCENE", "Z_UP")
    assert silent.equals == ({"axes": "RAS"}, {"axes": "Y_UP"})
    path = table(tmp_path / "b.csv", points, unit="m", axes="RAS")
    said = landmarks.load(bpy.context, obj, path)
    assert (said.unit, said.axes, said.equals) == ("m", "RAS", ())
    assert landmarks.points(bpy.context, obj, "b") == pytest.approx(np.array(points) * (-1, -1, 1))


def test_all_sets_of_a_file_are_read_in_one_unit(landmarks, tmp_path, rng):
    """One landmark near the origin would fit in any."""
    obj = head_in_millimeters()
    obj.data.transform(Matrix.Translation(-obj.data.vertices[0].co))
    bpy.context.view_layer.update()
    points = on_surface(obj, 20, rng)
    markups = [
        json.loads(slicer(tmp_path / "one.mrk.json", each).read_text())["markups"][0]
        for each in ([(0.0, 0.0, 0.0)], points)
    ]
    (tmp_path / "a.mrk.json").write_text(json.dumps({"markups": markups}))
    loaded = landmarks.load(bpy.context, obj, tmp_path / "a.mrk.json")
    assert (len(loaded), loaded.unit) == (21, "SCENE")


@pytest.mark.parametrize("rows", ["", "a,,,\nb,,,\n", "a,0.2,0.2,0\nb,,,\n"])
def test_missing_landmarks_fit_everywhere(landmarks, tmp_path, rows):
    obj = square()
    bpy.context.view_layer.update()
    (tmp_path / "a.csv").write_text("name,x,y,z\n" + rows)
    loaded = landmarks.load(bpy.context, obj, tmp_path / "a.csv")
    assert (len(loaded), loaded.unit) == ((1, "SCENE") if "0.2" in rows else (0, None))


def test_an_object_that_shrinks_its_millimeters_has_them_in_local_space(landmarks, tmp_path, rng):
    obj = head_in_millimeters()
    carrier = link(bpy.data.objects.new("Carrier", None))
    carrier.location, carrier.rotation_euler = (2.0, 0.0, 1.0), (0.3, 0.2, 0.1)
    obj.parent, obj.scale = carrier, (0.001, 0.001, 0.001)
    bpy.context.view_layer.update()
    points = on_surface(obj, 30, rng)
    world = landmarks.load(bpy.context, obj, table(tmp_path / "a.csv", points))
    assert world.unit == "SCENE"
    back = np.linalg.inv(np.array(obj.matrix_world))
    local = points @ back[:3, :3].T + back[:3, 3]
    path = slicer(tmp_path / "b.mrk.json", local)
    assert landmarks.load(bpy.context, obj, path, space="LOCAL").unit == "SCENE"
    there = landmarks.points(bpy.context, obj)
    assert there == pytest.approx(np.concatenate([points, points]), abs=1e-6)


FORMATS = ["a.mrk.json", "a.fcsv", "a.pp", "a.pts", "a.tps", "a.csv", "a.tsv", "a.npy", "a.asc"]


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_exported_comes_back_in_every_scale_of_the_scene(landmarks, tmp_path, rng, name):
    obj = suzanne()
    points = on_surface(obj, 8, rng)
    landmarks.load(bpy.context, obj, table(tmp_path / "points.csv", points), far=True)
    other, units = copy_of(obj), bpy.context.scene.unit_settings
    for system, scale in (("METRIC", 1), ("METRIC", 0.001), ("IMPERIAL", 0.0254), ("NONE", 1)):
        units.system, units.scale_length = system, scale
        for unit in (None, "mm"):
            written = landmarks.export(bpy.context, obj, tmp_path / name, unit=unit)
            loaded = landmarks.load(
                bpy.context, other, tmp_path / name, set=f"{system} {scale} {unit}"
            )
            assert written.unit in ("mm", "SCENE")
            there = landmarks.points(bpy.context, other, loaded[0].set)
            assert there == pytest.approx(points, abs=1e-5)


@pytest.mark.parametrize("part", range(3))
def test_nothing_is_silently_put_where_it_does_not_belong(landmarks, tmp_path, seed, part):
    """Whatever object, scene, unit and axes: right, refused, or told what else fits."""
    right = 0
    for number in range(12):
        rng = np.random.default_rng((seed, part, number))
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        obj = suzanne()
        size = 10.0 ** rng.uniform(-2, 3)
        obj.scale, obj.rotation_euler = (size,) * 3, rng.uniform(-3, 3, 3)
        obj.location = rng.normal(size=3) * size * rng.choice([0, 1, 5])
        scale = bpy.context.scene.unit_settings.scale_length = float(rng.choice([1, 0.01, 0.001]))
        bpy.context.view_layer.update()
        points = on_surface(obj, int(rng.choice([3, 12, 51])), rng)
        unit, axes = rng.choice([*METERS]), rng.choice([*FROM_BLENDER])
        written = np.stack(FROM_BLENDER[axes](*(points * scale / METERS[unit]).T), axis=1)
        says = {"unit": str(rng.choice([unit, "mm"])), "axes": str(axes)}
        kept = rng.choice(["unit", "axes"], rng.integers(3), replace=False)
        path = table(tmp_path / "a.csv", written, **{name: says[name] for name in kept})
        given: dict[str, object] = {}
        try:
            loaded = landmarks.load(bpy.context, obj, path)
        except landmarks.UnfitError as error:
            given = error.fits[0]
            loaded = landmarks.load(bpy.context, obj, path, **given)
        there = landmarks.points(bpy.context, obj)
        is_right = np.abs(there - points).max() < 1e-4 * size
        assert is_right or loaded.equals, (number, given)
        right += is_right
    assert right >= 10


def test_what_cannot_be_an_offset_is_refused(raypick, landmarks, tmp_path):
    obj, path = square(), table(tmp_path / "a.csv", [(0.1, 0.1, 0)])
    bpy.context.view_layer.update()
    for offset in (3, (1, 2), "abc", (1, 2, float("nan"))):
        with pytest.raises(raypick.api.RaypickError, match="offset"):
            landmarks.load(bpy.context, obj, path, offset=offset)
    with pytest.raises(raypick.api.RaypickError, match="far must be"):
        landmarks.load(bpy.context, obj, path, far="yes")
    with pytest.raises(raypick.api.RaypickError, match=r"unit must be one of .*auto"):
        landmarks.load(bpy.context, obj, path, unit="yd")


def test_a_mesh_without_faces_has_no_place_to_fit(raypick, landmarks, tmp_path):
    obj = mesh_object("Points", [(0, 0, 0), (1, 0, 0)], [])
    bpy.context.view_layer.update()
    with pytest.raises(raypick.api.RaypickError, match=r"has no faces|not visible"):
        landmarks.load(bpy.context, obj, table(tmp_path / "a.csv", [(0.1, 0.1, 0)]))


def test_flat_objects_and_those_of_one_point_have_their_places(landmarks, tmp_path):
    path = table(tmp_path / "a.csv", [(0.0, 0.0, 0.0)])
    point = mesh_object("Point", [(0, 0, 0)] * 3, [(0, 1, 2)])
    bpy.context.view_layer.update()
    assert len(landmarks.load(bpy.context, point, path)) == 1
    with pytest.raises(landmarks.UnfitError):
        landmarks.load(bpy.context, point, table(tmp_path / "b.csv", [(0.0, 0.0, 1.0)]))


def head_with_its_origin_on_the_surface():
    """An ellipsoid in millimeters, as scans lie that are aligned at the nasion."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=16)
    obj = bpy.context.object
    obj.data.transform(Matrix.Diagonal((75.0, 95.0, 115.0, 1.0)))
    obj.data.transform(Matrix.Translation(-obj.data.vertices[20].co))
    bpy.context.view_layer.update()
    return obj


@pytest.mark.parametrize("count", [2, 3, 6, 12])
@pytest.mark.parametrize("noise", [0.0, 1.5])
def test_millimeters_on_a_scan_whose_origin_is_on_its_surface_are_no_spot_there(
    landmarks, tmp_path, rng, count, noise
):
    """Read as meters, all of them are within a millimeter of the origin, and so of the surface."""
    obj = head_with_its_origin_on_the_surface()
    points = on_surface(obj, count, rng) + rng.normal(0.0, noise, (count, 3))
    path = slicer(tmp_path / "a.mrk.json", points)
    try:
        loaded = landmarks.load(bpy.context, obj, path)
    except landmarks.UnfitError as error:
        fits = [each for each in error.fits if each == {"unit": "SCENE"}]
        loaded = landmarks.load(bpy.context, obj, path, **fits[0])
    assert loaded.unit == "SCENE"
    away = np.linalg.norm(landmarks.points(bpy.context, obj) - points, axis=1)
    assert away.max() <= loaded.moved + 1e-4


def test_one_landmark_beside_the_origin_is_told_to_fit_in_other_units_too(landmarks, tmp_path, rng):
    obj = head_with_its_origin_on_the_surface()
    loaded = landmarks.load(
        bpy.context, obj, slicer(tmp_path / "a.mrk.json", on_surface(obj, 1, rng))
    )
    assert {"unit": "SCENE"} in loaded.equals


def test_on_a_plate_a_spot_is_not_taken_for_landmarks_all_over_it(landmarks, tmp_path, rng):
    obj = mesh_object(
        "Plate", [(-60, -40, 0), (60, -40, 0), (60, 40, 0), (-60, 40, 0)], [(0, 1, 2, 3)]
    )
    bpy.context.view_layer.update()
    points = np.column_stack([rng.uniform(-60, 60, 10), rng.uniform(-40, 40, 10), np.zeros(10)])
    loaded = landmarks.load(bpy.context, obj, slicer(tmp_path / "a.mrk.json", points))
    assert loaded.unit == "SCENE"
    assert landmarks.points(bpy.context, obj) == pytest.approx(points, abs=1e-4)
    small = slicer(tmp_path / "b.mrk.json", points * 50.0)  # truly in mm, over a twentieth of it
    with pytest.raises(landmarks.UnfitError) as caught:
        landmarks.load(bpy.context, obj, small)
    assert {"unit": "mm", "axes": "LPS"} in caught.value.fits
    loaded = landmarks.load(bpy.context, obj, small, set="Small", **caught.value.fits[-1])
    found = landmarks.points(bpy.context, obj, "Small")
    assert found == pytest.approx(points / 20.0, abs=1e-4)


def test_landmarks_that_are_all_a_little_aside_fit_without_a_shift(landmarks, tmp_path, rng):
    obj = head_in_millimeters()
    points = on_surface(obj, 20, rng) + (9.0, 0.0, 0.0)
    with pytest.raises(landmarks.UnfitError) as caught:
        landmarks.load(bpy.context, obj, slicer(tmp_path / "a.mrk.json", points))
    assert caught.value.fits[0] == {"unit": "SCENE"}


@pytest.mark.parametrize("space", ["WORLD", "LOCAL"])
def test_how_an_object_is_turned_does_not_change_how_far_landmarks_may_be(
    landmarks, tmp_path, space
):
    bpy.ops.mesh.primitive_cube_add(rotation=(0.6, 0.6, 0.6))
    obj = bpy.context.object
    bpy.context.view_layer.update()
    for away, fits in ((0.33, True), (0.36, False)):  # the diagonal is 2 sqrt(3) = 3.46 long
        point = np.array([1.0 + away, 0.2, -0.3])
        if space == "WORLD":
            point = np.array(obj.matrix_world.to_3x3()) @ point
        path = table(tmp_path / "a.csv", [point])
        try:
            landmarks.load(bpy.context, obj, path, space=space)
        except landmarks.UnfitError:
            assert not fits
        else:
            assert fits
