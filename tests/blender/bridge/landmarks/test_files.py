# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks written to files and read back, against the formulas of those who read them."""

import json
import math
import subprocess
import sys

import bmesh
import bpy
import numpy as np
import pytest

from ...heads import bent_polygon, copy_of, exported_triangles, head, mark
from ...scenes import down, mesh_object, square


@pytest.fixture
def landmarks(raypick):
    return raypick.api.landmarks


@pytest.fixture(params=[True, False], ids=["triangles", "quads"])
def face(raypick, request):
    """Return a deformed head with 12 landmarks."""
    obj = head(triangulated=request.param)
    mark(raypick, obj)
    return obj


def vertices_to_landmarks(vertices, faces, triangles, weights):
    """The landmarks (B, L, 3) of vertices (B, V, 3), as SMPL-X and FLAME compute them.

    The corners of each landmark's triangle, times its weights, summed over the corners.
    """
    corners = vertices[:, faces[triangles]]
    return np.einsum("blfi,lf->bli", corners, weights)


EMBEDDINGS = {
    "flame": ("lmk_face_idx", "lmk_b_coords"),
    "smplx": ("lmk_faces_idx", "lmk_bary_coords"),
    "mediapipe": ("lmk_face_idx", "lmk_b_coords"),
    "deca": ("static_lmk_faces_idx", "static_lmk_bary_coords"),
}


@pytest.mark.parametrize("layout", EMBEDDINGS)
def test_an_embedding_has_the_same_points_by_the_formula_of_the_face_model(
    landmarks, face, tmp_path, layout
):
    landmarks.export(bpy.context, face, tmp_path / "face.npz", layout=layout)
    vertices, faces = exported_triangles(face)
    with np.load(tmp_path / "face.npz", allow_pickle=False) as file:
        triangles, weights = (file[name] for name in EMBEDDINGS[layout])
    computed = vertices_to_landmarks(vertices[None], faces, triangles.astype(int), weights)[0]
    assert computed == pytest.approx(landmarks.points(bpy.context, face), abs=1e-6)


OUTSIDE = """
import sys
import numpy as np
vertices, faces = np.load(sys.argv[1])["vertices"], np.load(sys.argv[1])["faces"]
embedding = np.load(sys.argv[2])
triangles = embedding[sys.argv[3]].astype(int).ravel()
weights = embedding[sys.argv[4]].reshape(-1, 3)
np.save(sys.argv[5], np.einsum("blfi,lf->bli", vertices[None][:, faces[triangles]], weights)[0])
"""


def test_a_program_without_blender_finds_the_same_points(landmarks, face, tmp_path):
    """The formula of smplx, in a process that has NumPy alone, on the vertices as exported."""
    landmarks.export(bpy.context, face, tmp_path / "face.npz", layout="smplx")
    vertices, faces = exported_triangles(face)
    np.savez(tmp_path / "mesh.npz", vertices=vertices, faces=faces)
    files = [tmp_path / "mesh.npz", tmp_path / "face.npz"]
    subprocess.run(
        [sys.executable, "-c", OUTSIDE, *files, *EMBEDDINGS["smplx"], tmp_path / "points.npy"],
        check=True,
    )
    found = np.load(tmp_path / "points.npy")
    assert found == pytest.approx(landmarks.points(bpy.context, face), abs=1e-6)


def test_an_embedding_says_whether_triangles_are_faces(landmarks, face, tmp_path):
    written = landmarks.export(bpy.context, face, tmp_path / "face.npz")
    assert (written.landmarks, written.mesh, written.moved) == (12, "ORIGINAL", 0.0)
    assert written.are_faces == all(len(each.vertices) == 3 for each in face.data.polygons)
    if written.are_faces:
        with np.load(tmp_path / "face.npz") as file:
            assert file["lmk_face_idx"].tolist() == [each.face for each in landmarks.of(face)]


def subdivided(raypick):
    obj = head(triangulated=False)
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    bpy.context.view_layer.update()
    mark(raypick, obj, 6)
    return obj


def test_triangles_count_in_the_evaluated_mesh_on_request(raypick, landmarks, tmp_path):
    obj = subdivided(raypick)
    written = landmarks.export(bpy.context, obj, tmp_path / "face.npz", mesh="EVALUATED")
    assert written.mesh == "EVALUATED"
    vertices, faces = exported_triangles(obj)
    with np.load(tmp_path / "face.npz") as file:
        found = vertices_to_landmarks(
            vertices[None], faces, file["lmk_face_idx"].astype(int), file["lmk_b_coords"]
        )[0]
    points = landmarks.points(bpy.context, obj)
    assert found == pytest.approx(points, abs=1e-6)
    other = copy_of(obj)
    loaded = landmarks.load(bpy.context, other, tmp_path / "face.npz", mesh="EVALUATED")
    assert landmarks.points(bpy.context, other) == pytest.approx(points, abs=1e-6)
    before = landmarks.of(obj)
    assert [(each.face, each.evaluated) for each in loaded] == [
        (each.face, each.evaluated) for each in before
    ]


def test_landmarks_of_a_subdivided_head_have_their_triangles_in_the_original_mesh(
    raypick, landmarks, tmp_path
):
    obj = subdivided(raypick)
    assert landmarks.export(bpy.context, obj, tmp_path / "face.npz").mesh == "ORIGINAL"
    points = landmarks.points(bpy.context, obj)
    landmarks.load(bpy.context, other := copy_of(obj), tmp_path / "face.npz")
    assert landmarks.points(bpy.context, other) == pytest.approx(points, abs=1e-6)


def test_what_is_on_a_copy_that_a_modifier_makes_is_in_the_evaluated_mesh_alone(
    raypick, landmarks, tmp_path
):
    obj = square()
    array = obj.modifiers.new("Array", "ARRAY")
    array.count = 3
    bpy.context.view_layer.update()
    for x in (0.2, 1.3, 2.4):
        landmarks.add(bpy.context, down(raypick, x, 0.6)[0], f"at {x}")
    for name in ("face.npz", "face.mrk.json"):
        assert landmarks.export(bpy.context, obj, tmp_path / name).mesh == "EVALUATED"
        for mesh in (None, "EVALUATED")[name == "face.npz" :]:
            other = copy_of(obj)
            loaded = landmarks.load(bpy.context, other, tmp_path / name, mesh=mesh)
            assert all(each.moved is None for each in loaded)
            points = landmarks.points(bpy.context, other)
            assert points == pytest.approx(landmarks.points(bpy.context, obj), abs=1e-6)
            bpy.data.objects.remove(other)
    with pytest.raises(raypick.api.RaypickError, match=r"landmark 'at 1\.3': .* copy"):
        landmarks.export(bpy.context, obj, tmp_path / "no.npz", mesh="ORIGINAL")
    assert not (tmp_path / "no.npz").exists()


@pytest.mark.parametrize("cut", ["BLENDER", "FAN"])
@pytest.mark.parametrize("ending", [".npz", ".json"])
def test_places_on_triangles_come_back_exactly(landmarks, face, tmp_path, ending, cut):
    path, other = tmp_path / f"face{ending}", copy_of(face)
    format = "wrap" if ending == ".json" else "embedding"
    written = landmarks.export(bpy.context, face, path, None, format, triangles=cut)
    loaded = landmarks.load(bpy.context, other, path, triangles=cut)
    before = landmarks.of(face)
    assert [each.name for each in loaded] == [each.name for each in before]
    assert [each.face for each in loaded] == [each.face for each in before]
    assert all(each.moved is None for each in loaded)
    points = landmarks.points(bpy.context, other)
    assert points == pytest.approx(
        landmarks.points(bpy.context, face), abs=1e-6 + 2 * written.moved
    )
    if written.are_faces:
        for first, second in zip(before, loaded, strict=True):
            weights = dict(zip(first.vertices, first.barycentric, strict=True))
            again = dict(zip(second.vertices, second.barycentric, strict=True))
            assert again == pytest.approx(weights, abs=1e-12)


@pytest.mark.parametrize("cut", ["BLENDER", "FAN"])
def test_a_place_moves_where_modifiers_split_its_face_along_the_other_diagonal(
    raypick, landmarks, tmp_path, cut
):
    obj = mesh_object("Quad", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])
    bpy.context.view_layer.update()
    landmarks.add(bpy.context, down(raypick, 0.7, 0.2)[0])
    obj.modifiers.new("Triangulate", "TRIANGULATE")
    obj.data.vertices[1].co = (1.9, -0.9, 0)
    obj.data.update()
    bpy.context.view_layer.update()
    path = tmp_path / "quad.npz"
    written = landmarks.export(bpy.context, obj, path, triangles=cut, mesh="EVALUATED")
    vertices, faces = exported_triangles(obj)
    assert {*faces[0].tolist()} != {0, 1, 2}
    with np.load(path) as file:
        found = vertices_to_landmarks(
            vertices[None], faces, file["lmk_face_idx"].astype(int), file["lmk_b_coords"]
        )[0]
    (point,) = landmarks.points(bpy.context, obj)
    assert np.linalg.norm(found[0] - point) == pytest.approx(written.moved, abs=1e-6)


def test_a_face_with_a_corner_that_is_not_finite_has_no_place_in_its_fan(
    raypick, landmarks, tmp_path
):
    corners = [(0, 0, 0), (1, 0.5, 0), (2, 0, 0), (1, 3, 0)]  # cut from the second to the fourth
    obj = mesh_object("Arrowhead", corners, [(0, 1, 2, 3)])
    bpy.context.view_layer.update()
    landmarks.add(bpy.context, down(raypick, 0.8, 0.9)[0])
    corners[2] = (2, 0, math.inf)
    obj.data.vertices.foreach_set("co", np.ravel(corners))  # as RNA clamps a single coordinate
    obj.data.update()
    bpy.context.view_layer.update()
    path = tmp_path / "arrowhead.json"
    with pytest.raises(raypick.api.RaypickError, match="is not finite"):
        landmarks.export(bpy.context, obj, path)
    assert not path.exists()


def wrap_point(vertices, faces, triangle, u, v):
    """P = A u + B v + C (1 - u - v) on the fans from the first corners of polygons."""
    fans = [(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)]
    a, b, c = (vertices[i] for i in fans[triangle])
    return u * a + v * b + (1 - u - v) * c


def test_wrap_counts_fans_and_reads_the_same_points(raypick, landmarks, tmp_path):
    obj = bent_polygon()
    bpy.context.view_layer.update()
    for number, (x, y) in enumerate([(0.1, 0.2), (1.2, 0.3), (6.3, 1.1), (5.2, -1.0), (7.4, 0.1)]):
        raypick.api.landmarks.add(bpy.context, down(raypick, x, y)[0], f"p{number}")
    written = landmarks.export(bpy.context, obj, tmp_path / "points.json", None, "wrap")
    values = json.loads((tmp_path / "points.json").read_text())
    vertices = np.array([vertex.co[:] for vertex in obj.data.vertices])
    faces = [tuple(face.vertices) for face in obj.data.polygons]
    found = np.array([wrap_point(vertices, faces, *value) for value in values.values()])
    points = landmarks.points(bpy.context, obj)
    assert found[2:] == pytest.approx(points[2:], abs=1e-12)  # those on the flat one
    away = np.linalg.norm(found - points, axis=1)
    assert 0.0 < away.max() <= written.moved * (1 + 1e-9)
    assert not written.are_faces


POSITIONS = {
    "face.mrk.json": "slicer",
    "face.pp": "meshlab",
    "face.pts": "pts",
    "face.tps": "tps",
    "face.csv": "csv",
    "face.tsv": "tsv",
    "face.txt": "cloudcompare",
}


@pytest.mark.parametrize("space", ["WORLD", "LOCAL"])
@pytest.mark.parametrize(("name", "format"), POSITIONS.items())
def test_positions_come_back_to_the_same_points(landmarks, face, tmp_path, name, format, space):
    path, other = tmp_path / name, copy_of(face)
    landmarks.export(bpy.context, face, path, None, format, space=space)
    loaded = landmarks.load(bpy.context, other, path, format, space=space)
    assert landmarks.points(bpy.context, other) == pytest.approx(
        landmarks.points(bpy.context, face), abs=1e-6
    )
    if format == "slicer":
        before = [(each.face, each.vertices, each.barycentric) for each in landmarks.of(face)]
        assert [(each.face, each.vertices, each.barycentric) for each in loaded] == before
    else:
        assert all(each.moved < 1e-6 for each in loaded)


@pytest.mark.parametrize("unit", ["m", "cm", "mm", "µm", "in", "ft"])
@pytest.mark.parametrize("axes", ["Z_UP", "Y_UP", "LPS", "RAS"])
def test_files_have_their_own_units_and_axes(landmarks, face, tmp_path, unit, axes):
    bpy.context.scene.unit_settings.scale_length = 0.01  # a unit is a centimeter
    there, other = landmarks.points(bpy.context, face), copy_of(face)
    path = tmp_path / "face.csv"
    columns = ["name", "position", "unit", "axes"]
    landmarks.export(bpy.context, face, path, unit=unit, axes=axes, columns=columns)
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    found = np.array([[float(cell) for cell in row[1:4]] for row in rows])
    x, y, z = (
        there.T * {"m": 0.01, "cm": 1, "mm": 10, "µm": 1e4, "in": 1 / 2.54, "ft": 1 / 30.48}[unit]
    )
    expected = {"Z_UP": (x, y, z), "Y_UP": (x, z, -y), "LPS": (x, y, z), "RAS": (-x, -y, z)}[axes]
    assert found == pytest.approx(np.stack(expected, axis=1), rel=1e-12, abs=1e-12)
    landmarks.load(bpy.context, other, path)
    assert landmarks.points(bpy.context, other) == pytest.approx(there, abs=1e-6)


def test_slicer_is_in_millimeters_and_lps_unless_asked_otherwise(landmarks, face, tmp_path):
    written = landmarks.export(bpy.context, face, tmp_path / "face.mrk.json")
    (markup,) = json.loads((tmp_path / "face.mrk.json").read_text())["markups"]
    assert (markup["coordinateSystem"], markup["coordinateUnits"]) == ("LPS", "mm")
    assert (written.unit, written.axes) == ("mm", "LPS")
    found = np.array([point["position"] for point in markup["controlPoints"]])
    assert found == pytest.approx(1000 * landmarks.points(bpy.context, face), abs=1e-9)
    normals = np.array([point["orientation"] for point in markup["controlPoints"]])[:, [2, 5, 8]]
    expected = [each.normal for each in landmarks.where(bpy.context, face)]
    assert normals == pytest.approx(np.array(expected), abs=1e-12)


def test_local_normals_stand_on_local_faces(landmarks, face, tmp_path):
    landmarks.export(bpy.context, face, tmp_path / "face.mrk.json", space="LOCAL")
    (markup,) = json.loads((tmp_path / "face.mrk.json").read_text())["markups"]
    normals = np.array([point["orientation"] for point in markup["controlPoints"]])[:, [2, 5, 8]]
    evaluated = face.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    for normal, record in zip(normals, landmarks.of(face), strict=True):
        a, b, c = (np.array(evaluated.vertices[i].co) for i in record.vertices)
        across = np.cross(b - a, c - a)
        assert normal == pytest.approx(across / np.linalg.norm(across), abs=1e-5)


def test_names_colors_and_notes_survive_where_the_format_has_them(raypick, landmarks, tmp_path):
    obj = square()
    bpy.context.view_layer.update()
    landmarks.add(bpy.context, down(raypick, 0.2, 0.2)[0], "näsion", "Köpfe")
    document = json.loads(obj["raypick_landmarks"])
    document["sets"][0] |= {"color": [0.1, 0.5, 0.9], "locked": True, "hidden": True}
    document["sets"][0]["landmarks"][0] |= {"description": "ä note", "locked": True, "hidden": True}
    obj["raypick_landmarks"] = json.dumps(document)
    landmarks.export(bpy.context, obj, tmp_path / "face.mrk.json")
    other = copy_of(obj)
    for set in ("Köpfe", "Köpfe.001"):
        (loaded,) = landmarks.load(bpy.context, other, tmp_path / "face.mrk.json")
        assert (loaded.name, loaded.set, loaded.description) == ("näsion", set, "ä note")
        assert loaded.locked
        assert loaded.hidden
        assert loaded.color == pytest.approx((0.1, 0.5, 0.9), abs=1e-9)


def test_names_that_come_twice_get_numbers_and_empty_ones_a_name(landmarks, tmp_path):
    obj = square()
    bpy.context.view_layer.update()
    path = tmp_path / "points.csv"
    path.write_text("name,x,y,z\na,0.1,0.1,0\na,0.2,0.1,0\n,0.3,0.1,0\n")
    loaded = landmarks.load(bpy.context, obj, path)
    assert [each.name for each in loaded] == ["a", "a.001", "Landmark.003"]
    assert {each.set for each in loaded} == {"points"}
    (again, *_) = landmarks.load(bpy.context, obj, path, set="Mine")
    assert again.set == "Mine"


def test_positions_beside_the_surface_say_how_far_they_moved(landmarks, tmp_path):
    obj = square(size=4.0)
    obj.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    path = tmp_path / "points.csv"
    path.write_text("name,x,y,z\na,1,1,0.25\nb,-0.6,0,0.8\n")
    loaded = landmarks.load(bpy.context, obj, path)
    assert [each.moved for each in loaded] == pytest.approx([0.25, 1.0], abs=1e-9)
    assert landmarks.points(bpy.context, obj) == pytest.approx(
        np.array([(1, 1, 0), (0, 0, 0)]), abs=1e-6
    )


def test_places_of_slicer_come_back_exactly_on_another_pose_of_the_same_topology(
    landmarks, face, tmp_path
):
    landmarks.export(bpy.context, face, tmp_path / "face.mrk.json")
    other = copy_of(face)
    other.data.shape_keys.key_blocks["Smile"].value = 0.0
    other.matrix_world.identity()
    bpy.context.view_layer.update()
    loaded = landmarks.load(bpy.context, other, tmp_path / "face.mrk.json")
    before = [(each.face, each.corners, each.barycentric) for each in landmarks.of(face)]
    assert [(each.face, each.corners, each.barycentric) for each in loaded] == before


def test_places_of_another_topology_go_by_their_positions(landmarks, face, tmp_path):
    landmarks.export(bpy.context, face, tmp_path / "face.mrk.json")
    there = landmarks.points(bpy.context, face)
    plate = square("Plate", size=10.0)
    bpy.context.view_layer.update()
    loaded = landmarks.load(bpy.context, plate, tmp_path / "face.mrk.json", unit="m", far=True)
    assert all(each.moved is not None for each in loaded)
    expected = np.clip(there * 1000, 0, 10) * (1, 1, 0)  # as the file's millimeters, read as meters
    assert landmarks.points(bpy.context, plate) == pytest.approx(expected, abs=1e-5)


def test_a_triangle_beside_a_position_that_is_elsewhere_is_of_another_mesh(landmarks, tmp_path):
    obj = square(size=4.0)
    bpy.context.view_layer.update()
    path = tmp_path / "points.csv"
    path.write_text(
        "name,x,y,z,triangle,weight_a,weight_b,weight_c\n"
        "there,3,1,0,0,0.25,0.5,0.25\nelsewhere,1,2,0,0,0.25,0.5,0.25\n"
    )
    exact, near = landmarks.load(bpy.context, obj, path)
    assert (exact.moved, exact.barycentric) == (None, (0.25, 0.5, 0.25))
    assert near.moved == pytest.approx(0.0, abs=1e-9)
    assert landmarks.points(bpy.context, obj)[1] == pytest.approx((1, 2, 0), abs=1e-6)


def test_what_is_missing_in_a_file_keeps_its_row_and_is_asked_for(raypick, landmarks, tmp_path):
    obj = square()
    bpy.context.view_layer.update()
    path = tmp_path / "points.csv"
    path.write_text("name,x,y,z\na,0.1,0.1,0\nb,,,\nc,0.3,0.1,0\n")
    loaded = landmarks.load(bpy.context, obj, path)
    assert [each.name for each in loaded] == ["a", "c"]  # what was placed
    rows = landmarks.of(obj)
    assert [(each.name, each.face) for each in rows] == [("a", 0), ("b", None), ("c", 0)]
    places = landmarks.where(bpy.context, obj)
    assert [each.point is None for each in places] == [False, True, False]
    assert [each.reason for each in places] == [None, "The landmark is missing", None]
    assert np.isnan(landmarks.points(bpy.context, obj)).any(axis=1).tolist() == [False, True, False]
    placed = landmarks.add(bpy.context, down(raypick, 0.2, 0.2)[0])
    assert (placed.name, placed.id) == ("b", rows[1].id)
    assert [each.name for each in landmarks.of(obj)] == ["a", "b", "c"]


def test_a_file_of_triangles_counts_what_is_missing_and_nothing_of_it_is_bound(
    raypick, landmarks, tmp_path
):
    obj = square()
    bpy.context.view_layer.update()
    (tmp_path / "template.csv").write_text("name,x,y,z\na,0.1,0.1,0\nb,,,\n")
    landmarks.load(bpy.context, obj, tmp_path / "template.csv")
    columns = ["triangle", "barycentric"]
    written = landmarks.export(bpy.context, obj, tmp_path / "face.csv", columns=columns)
    assert (written.landmarks, written.missing) == (2, 1)
    assert len(landmarks.load(bpy.context, copy_of(obj), tmp_path / "face.csv")) == 1
    landmarks.remove(obj)
    (tmp_path / "template.csv").write_text("name,x,y,z\nb,,,\n")
    landmarks.load(bpy.context, obj, tmp_path / "template.csv")
    with pytest.raises(raypick.api.RaypickError, match="The landmark is missing"):
        landmarks.bind(bpy.context, obj)


@pytest.mark.parametrize("ending", [".mrk.json", ".fcsv", ".pp", ".pts", ".tps", ".csv", ".npy"])
def test_row_i_is_landmark_i_from_blender_to_a_file_and_back(raypick, landmarks, tmp_path, ending):
    obj = square(size=4.0)
    bpy.context.view_layer.update()
    path = tmp_path / "template.csv"
    path.write_text("name,x,y,z\na,,,\nb,,,\nc,,,\nd,,,\n")
    landmarks.load(bpy.context, obj, path)
    for name, x in (("d", 1.0), ("b", 0.5)):
        landmarks.add(bpy.context, down(raypick, x, 0.5)[0], name)
    written = landmarks.export(bpy.context, obj, tmp_path / f"face{ending}", unit="SCENE")
    assert (written.landmarks, written.missing) == (4, 2)
    other = copy_of(obj)
    landmarks.load(bpy.context, other, tmp_path / f"face{ending}", set="Again", unit="SCENE")
    points = landmarks.points(bpy.context, other, "Again")
    assert np.isnan(points).any(axis=1).tolist() == [True, False, True, False]
    assert points[[1, 3], 0] == pytest.approx([0.5, 1.0])


@pytest.mark.parametrize(("ending", "format"), [(".npz", None), (".json", "wrap"), (".asc", None)])
def test_a_format_that_cannot_say_what_is_missing_refuses_it_by_name(
    raypick, landmarks, tmp_path, ending, format
):
    obj = square()
    bpy.context.view_layer.update()
    path = tmp_path / "template.csv"
    path.write_text("name,x,y,z\na,0.1,0.1,0\nb,,,\nc,,,\n")
    landmarks.load(bpy.context, obj, path)
    with pytest.raises(raypick.api.RaypickError, match="a landmark is missing, as 'b', 'c'"):
        landmarks.export(bpy.context, obj, tmp_path / f"face{ending}", format=format)
    assert not (tmp_path / f"face{ending}").exists()


def test_what_is_not_known_is_missing_in_the_file_or_refused(raypick, landmarks, tmp_path):
    obj = square()
    bpy.context.view_layer.update()
    landmarks.add(bpy.context, down(raypick, 0.2, 0.2)[0], "a")
    obj.data.clear_geometry()
    obj.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    bpy.context.view_layer.update()
    written = landmarks.export(bpy.context, obj, tmp_path / "face.mrk.json")
    assert (written.landmarks, written.missing) == (1, 1)
    (markup,) = json.loads((tmp_path / "face.mrk.json").read_text())["markups"]
    assert markup["controlPoints"][0]["positionStatus"] == "undefined"
    with pytest.raises(raypick.api.RaypickError, match="is missing, as 'a'"):
        landmarks.export(bpy.context, obj, tmp_path / "face.txt", None, "cloudcompare")
    with pytest.raises(raypick.api.RaypickError, match="topology has changed"):
        landmarks.export(bpy.context, obj, tmp_path / "face.npz")


def test_indices_of_mediapipe_survive_as_names(raypick, landmarks, tmp_path):
    obj = square()
    bpy.context.view_layer.update()
    for name, x in (("276", 0.2), ("7", 0.3)):
        landmarks.add(bpy.context, down(raypick, x, 0.5)[0], name)
    path = tmp_path / "face.npz"
    landmarks.export(bpy.context, obj, path, layout="mediapipe")
    with np.load(path) as file:
        assert file["landmark_indices"].tolist() == [276, 7]
        arrays = {name: file[name] for name in file.files if name != "names"}
    np.savez(path, **arrays)
    assert [each.name for each in landmarks.load(bpy.context, copy_of(obj), path)] == ["276", "7"]


def test_a_file_of_a_face_model_with_many_sets_asks_which(raypick, landmarks, tmp_path):
    obj = square()
    bpy.context.view_layer.update()
    path = tmp_path / "SMPLX.npz"
    np.savez(
        path,
        lmk_faces_idx=np.zeros(1, np.int64),
        lmk_bary_coords=np.full((1, 3), 1 / 3),
        dynamic_lmk_faces_idx=np.ones((79, 2), np.int64),
        dynamic_lmk_bary_coords=np.array([[(n / 80, 1 - n / 80, 0)] * 2 for n in range(1, 80)]),
    )
    with pytest.raises(
        raypick.api.RaypickError, match="80 sets: say with only= which of 'SMPLX', 'SMPLX dyn"
    ):
        landmarks.load(bpy.context, obj, path)
    with pytest.raises(raypick.api.RaypickError, match="no set 'SMPLX dynamic 80'"):
        landmarks.load(bpy.context, obj, path, only=["SMPLX", "SMPLX dynamic 80"])
    assert landmarks.of(obj) == []
    found = landmarks.load(bpy.context, obj, path, only=("SMPLX dynamic 40", "SMPLX"))
    assert [each.set for each in found] == ["SMPLX", "SMPLX dynamic 40", "SMPLX dynamic 40"]
    assert found[1].barycentric == (0.5, 0.5, 0)
    assert len(landmarks.load(bpy.context, obj, path, only="SMPLX dynamic 79", set="Left")) == 2


def test_weights_that_a_file_has_rounded_add_up_again(landmarks, tmp_path):
    obj = square()
    bpy.context.view_layer.update()
    np.savez(
        tmp_path / "face.npz",
        lmk_face_idx=np.array([0, 1], np.uint32),
        lmk_b_coords=np.array([[0.3334, 0.3334, 0.3334], [1 + 9.6e-14, 0, -9.6e-14]]),
    )
    rounded, exact = landmarks.load(bpy.context, obj, tmp_path / "face.npz")
    assert sum(rounded.barycentric) == pytest.approx(1.0, abs=1e-15)
    assert exact.barycentric == (1 + 9.6e-14, 0, -9.6e-14)
    assert len(landmarks.of(obj)) == 2  # and the object's text of them can be read


def test_a_table_has_the_chosen_columns(landmarks, face):
    text = landmarks.text(bpy.context, face, format="tsv", columns=["name", "face", "triangle"])
    first, *rows = [line.split("\t") for line in text.splitlines()]
    assert first == ["name", "face", "triangle"]
    assert [row[:2] for row in rows] == [[each.name, str(each.face)] for each in landmarks.of(face)]
    assert landmarks.text(bpy.context, face).splitlines()[0] == "set,name,x,y,z"


def test_several_sets_go_to_one_file_where_the_format_holds_them(raypick, landmarks, tmp_path):
    obj = square()
    bpy.context.view_layer.update()
    for name, set in (("a", "One"), ("b", "Two")):
        landmarks.add(bpy.context, down(raypick, 0.5, 0.2)[0], name, set)
    landmarks.export(bpy.context, obj, tmp_path / "all.mrk.json")
    loaded = landmarks.load(bpy.context, copy_of(obj), tmp_path / "all.mrk.json")
    assert [(each.set, each.name) for each in loaded] == [("One", "a"), ("Two", "b")]
    landmarks.export(bpy.context, obj, tmp_path / "one.pp", "Two")
    with pytest.raises(raypick.api.RaypickError, match="holds one set"):
        landmarks.export(bpy.context, obj, tmp_path / "all.pp")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f, o, d: f.export(bpy.context, o, d / "face.xyz"), "ends in none of"),
        (lambda f, o, d: f.export(bpy.context, o, d / "face.csv", "No"), "has no set 'No'"),
        (lambda f, o, d: f.export(bpy.context, o, d / "no" / "face.csv"), "No such file"),
        (lambda f, o, d: f.export(bpy.context, o, d / "face.csv", format="x"), "formats are"),
        (lambda f, o, d: f.export(bpy.context, o, d / "face.csv", axes="X"), "axes must be one"),
        (lambda f, o, d: f.export(bpy.context, o, d / "face.csv", unit="yd"), "unit must be one"),
        (lambda f, o, d: f.export(bpy.context, o, d / "face.csv", space="X"), "space must be"),
        (lambda f, o, d: f.export(bpy.context, o, d / "face.npz", mesh="X"), "mesh must be one"),
        (lambda f, o, d: f.export(bpy.context, o, d / "f.npz", triangles="X"), "triangles must"),
        (lambda f, o, d: f.export(bpy.context, o, d / "f.csv", columns=["no"]), "columns are"),
        (lambda f, o, d: f.export(bpy.context, o, d / "f.csv", columns=3), "columns"),
        (lambda f, o, d: f.export(bpy.context, o, 3), "path must be a path"),
        (lambda f, o, d: f.load(bpy.context, o, d / "nothing.csv"), "is no file"),
        (lambda f, o, d: f.load(bpy.context, o, "a\0b.csv"), "null|is no file"),
        (lambda f, o, d: f.load(bpy.context, o, d / "bad.npz"), "it is no .npz"),
        (lambda f, o, d: f.load(bpy.context, o, d / "far.npz"), "there is no triangle 99"),
        (lambda f, o, d: f.load(bpy.context, o, d / "far.csv"), "too far|finite"),
        (lambda f, o, d: f.text(bpy.context, o, format="pts"), "'csv' or 'tsv'"),
    ],
)
def test_what_cannot_be_is_refused_in_words(raypick, landmarks, tmp_path, call, message):
    obj = square()
    bpy.context.view_layer.update()
    landmarks.add(bpy.context, down(raypick, 0.2, 0.2)[0], "a")
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    (tmp_path / "far.csv").write_text("name,x,y,z,unit\na,1e308,1e308,1e308,m\n")
    bpy.context.scene.unit_settings.scale_length = 0.001
    np.savez(tmp_path / "far.npz", lmk_face_idx=np.array([99]), lmk_b_coords=np.eye(3)[:1])
    before = obj["raypick_landmarks"]
    with pytest.raises(raypick.api.RaypickError, match=message):
        call(landmarks, obj, tmp_path)
    assert obj["raypick_landmarks"] == before


def test_linked_and_hidden_objects_are_refused(raypick, landmarks, tmp_path):
    obj = square()
    bpy.context.view_layer.update()
    (tmp_path / "a.csv").write_text("name,x,y,z\na,0.1,0.1,0\n")
    obj.hide_set(True)
    with pytest.raises(raypick.api.RaypickError, match="not visible"):
        landmarks.load(bpy.context, obj, tmp_path / "a.csv")
    assert landmarks.of(obj) == []


@pytest.mark.parametrize("layout", EMBEDDINGS)
def test_an_embedding_of_another_mesh_is_refused_in_words(
    raypick, landmarks, face, tmp_path, layout
):
    """Its triangles would be there, and be any."""
    landmarks.export(bpy.context, face, tmp_path / "face.npz", layout=layout)
    other = copy_of(face)
    other.data = face.data.copy()
    edited = bmesh.new()
    edited.from_mesh(other.data)
    bmesh.ops.subdivide_edges(edited, edges=edited.edges, cuts=1)
    edited.to_mesh(other.data)
    edited.free()
    bpy.context.view_layer.update()
    with pytest.raises(raypick.api.RaypickError, match="it is of another mesh"):
        landmarks.load(bpy.context, other, tmp_path / "face.npz")


def test_positions_beyond_what_can_be_measured_are_refused(raypick, landmarks, tmp_path):
    obj = square()
    (tmp_path / "far.csv").write_text("name,x,y,z\na,1e308,0,0\n")
    with pytest.raises(raypick.api.RaypickError, match="too far away"):
        landmarks.load(bpy.context, obj, tmp_path / "far.csv")
