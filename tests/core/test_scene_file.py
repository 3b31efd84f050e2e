# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes in files: what comes back answers to the last bit as what was written."""

import io
import json
import zipfile

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import scene_file
from standalone_core.__main__ import main

from . import meshes


@pytest.fixture
def scene(rng):
    """Two meshes at many places, some named; one of polygons, one with a closed border."""
    made = sc.Scene()
    ball = sc.Mesh(*meshes.icosphere(2), faces=rng.integers(0, 9, 320), border="closed")
    corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 1], [2, 1, 1]]
    tile = sc.PolygonMesh(corners, [0, 1, 2, 3, 1, 4, 5, 2], 4)
    for row in range(12):
        matrix = meshes.placement(meshes.rotation(rng) * 0.7, rng.normal(size=3) * 3)
        made.add(ball if row % 2 else tile, matrix, None if row % 3 else f"Größe {row}")
    return made


def rays(rng, count=400):
    targets = rng.normal(size=(count, 3)) * 2
    origins = targets + rng.normal(size=(count, 3)) * 9
    return origins, targets - origins


def test_a_scene_comes_back_with_the_same_answers(tmp_path, rng, scene):
    sc.save_scene(scene, tmp_path / "scene.npz")
    again = sc.load_scene(tmp_path / "scene.npz")
    given = rays(rng)
    hits = scene.cast_rays(*given)
    assert hits.hit.sum() > 40
    assert again.cast_rays(*given) == hits
    assert [again[i].name for i in again] == [scene[i].name for i in scene]
    assert {m.border for m in (again[i].mesh for i in again)} == {"open", "closed"}
    assert len({id(again[i].mesh) for i in again}) == 2


def test_ids_are_counted_anew_in_their_order(tmp_path, scene):
    scene.remove(0)
    scene.remove(5)
    sc.save_scene(scene, tmp_path / "scene.npz")
    again = sc.load_scene(tmp_path / "scene.npz")
    assert list(again) == list(range(10))
    places = [again[i].matrix.tolist() for i in again]
    assert places == [scene[i].matrix.tolist() for i in scene]


def test_an_empty_scene_has_a_file_too(tmp_path):
    sc.save_scene(sc.Scene(), tmp_path / "scene.npz")
    assert len(sc.load_scene(tmp_path / "scene.npz")) == 0


def test_the_same_scene_has_the_same_bytes(tmp_path, scene):
    for name in ("a.npz", "b.npz"):
        sc.save_scene(scene, tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_the_command_casts_at_a_scene_and_names_instances(tmp_path, rng, scene):
    sc.save_scene(scene, tmp_path / "scene.npz")
    origins, directions = rays(rng)
    np.savez(tmp_path / "rays.npz", origins=origins, directions=directions)
    words = [str(tmp_path / name) for name in ("scene.npz", "rays.npz")]
    out = tmp_path / "hits.npz"
    assert main(["cast", *words, "-o", str(out), "--quiet"]) == 0
    table = sc.tables.read_table(out)
    expected = scene.cast_rays(origins, directions)
    assert table.columns["instance"].tolist() == expected.instance.tolist()
    assert np.array_equal(table.columns["point"], expected.point, equal_nan=True)
    assert table.names["instance"] == tuple(scene[i].name or "" for i in scene)
    before = out.stat().st_mtime_ns
    assert main(["cast", *words, "-o", str(out), "--quiet", "--resume"]) == 0
    assert out.stat().st_mtime_ns == before
    scene.set_matrix(3, np.eye(4))
    sc.save_scene(scene, tmp_path / "scene.npz")
    assert main(["cast", *words, "-o", str(out), "--quiet", "--resume"]) == 0
    assert out.stat().st_mtime_ns != before


def test_info_tells_what_is_in_it(tmp_path, scene, capsys):
    sc.save_scene(scene, tmp_path / "scene.npz")
    assert main(["info", str(tmp_path / "scene.npz"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["instances"], facts["meshes"]) == ("scene", 12, 2)


@pytest.mark.parametrize("name", ["scene.obj", "scene"])
def test_another_ending_is_refused(tmp_path, scene, name):
    with pytest.raises(sc.errors.ArgumentError, match=r"ends in \.npz"):
        sc.save_scene(scene, tmp_path / name)


def test_what_is_no_scene_is_refused(tmp_path):
    with pytest.raises(sc.errors.DtypeError, match="scene must be a Scene"):
        sc.save_scene([1], tmp_path / "scene.npz")
    sc.Mesh(*meshes.cube()).save(tmp_path / "mesh.npz")
    with pytest.raises(sc.errors.MeshFileError, match="scene"):
        sc.load_scene(tmp_path / "mesh.npz")
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(sc.errors.MeshFileError):
        sc.load_scene(tmp_path / "text.npz")
    with pytest.raises(OSError, match=r"nothing\.npz"):
        sc.load_scene(tmp_path / "nothing.npz")


def resaved(path, **changes):
    with np.load(path) as archive:
        arrays = {**archive, **changes}
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    "changes",
    [
        {"closed_border": np.array(True)},
        {"closed_border": np.zeros((7, 7), bool)},
        {"closed_border": np.zeros(3, bool)},
        {"closed_border": np.zeros(2)},
        {"vertices": np.array(1.0)},
        {"triangles": np.array(1)},
        {"faces": np.array(1)},
        {"mesh": np.array(0)},
    ],
)
def test_arrays_of_other_shapes_are_no_scene(tmp_path, scene, changes):
    sc.save_scene(scene, tmp_path / "scene.npz")
    resaved(tmp_path / "scene.npz", **changes)
    with pytest.raises(sc.errors.MeshFileError, match="no sound scene"):
        sc.load_scene(tmp_path / "scene.npz")


@pytest.mark.parametrize("name", ["vertex_splits", "triangle_splits"])
def test_meshes_that_end_before_their_arrays_are_no_scene(tmp_path, scene, name):
    path = tmp_path / "scene.npz"
    sc.save_scene(scene, path)
    with np.load(path) as archive:
        splits = archive[name]
    splits[-1] -= 1
    resaved(path, **{name: splits})
    with pytest.raises(sc.errors.MeshFileError, match="as long as their arrays"):
        sc.load_scene(path)


@pytest.mark.parametrize("row", [-1, 2])
def test_an_instance_of_no_mesh_is_no_scene(tmp_path, scene, row):
    path = tmp_path / "scene.npz"
    sc.save_scene(scene, path)
    with np.load(path) as archive:
        rows = archive["mesh"]
    rows[0] = row
    resaved(path, mesh=rows)
    with pytest.raises(sc.errors.MeshFileError, match="no sound scene"):
        sc.load_scene(path)


def test_a_newer_scene_is_refused_once(tmp_path, scene):
    path = tmp_path / "scene.npz"
    sc.save_scene(scene, path)
    with np.load(path) as archive:
        meta = json.loads(str(archive["meta"]))
    resaved(path, meta=np.array(json.dumps({**meta, "raypick_scene": 2})))
    with pytest.raises(sc.errors.MeshFileError, match=r"^the file holds no scene of a version up"):
        sc.load_scene(path)


def test_an_unknown_engine_is_no_fault_of_the_file(tmp_path, scene):
    sc.save_scene(scene, tmp_path / "scene.npz")
    with pytest.raises(sc.errors.EngineError, match="cuda"):
        sc.load_scene(tmp_path / "scene.npz", engine="cuda")


def test_what_is_no_path_is_told(tmp_path, scene):
    for call in (lambda: sc.load_scene(5), lambda: sc.save_scene(scene, 5)):
        with pytest.raises(sc.errors.DtypeError, match="a file must be a path"):
            call()
    assert scene_file.is_scene(None) is False
    path = bytes(tmp_path / "scene.npz")
    sc.save_scene(scene, path)
    assert scene_file.is_scene(path)
    assert len(sc.load_scene(path)) == 12


def written(folder, names, border="open"):
    """A scene of the same mesh at places of these names, in a file."""
    scene = sc.Scene()
    mesh = sc.Mesh(*meshes.cube(), border=border)
    for row, name in enumerate(names):
        scene.add(mesh, meshes.placement(np.eye(3), [5.0 * row, 0, 0]), name)
    sc.save_scene(scene, folder / "scene.npz")


@pytest.mark.parametrize("ending", [".npz", ".csv"])
def test_instances_of_one_name_or_none_are_told_apart(tmp_path, ending):
    written(tmp_path, [None, "Cube", "Cube"])
    rows = [[x, 0, 9, 0, 0, -1] for x in (5.2, 0.2, 10.2, 50)]
    np.save(tmp_path / "rays.npy", np.array(rows, float) + [0, 0.1, 0, 0, 0, 0])
    words = [str(tmp_path / name) for name in ("scene.npz", "rays.npy", f"hits{ending}")]
    assert main(["cast", *words[:2], "-o", words[2], "--quiet"]) == 0
    table = sc.tables.read_table(words[2])
    assert table.columns["instance"].tolist() == [1, 0, 2, -1]
    assert table.names["instance"] == ("", "Cube", "Cube")


def test_resume_asks_for_the_names_and_borders_that_are_there_now(tmp_path, capsys):
    np.save(tmp_path / "rays.npy", [[0.2, 0.1, 9, 0, 0, -1.0]])
    words = [str(tmp_path / name) for name in ("scene.npz", "rays.npy")]

    def state(*options):
        out = str(tmp_path / "hits.npz")
        assert main(["cast", *words, "-o", out, "--resume", "--json", *options]) == 0
        return json.loads(capsys.readouterr().out)["state"]

    written(tmp_path, ["A"])
    assert [state(), state()] == ["done", "was complete"]
    written(tmp_path, ["B"])
    assert [state(), state()] == ["done", "was complete"]
    assert sc.tables.read_table(tmp_path / "hits.npz").names["instance"] == ("B",)
    written(tmp_path, ["B"], "closed")
    assert state() == "done"
    for options in (("--hits", "any"), ("--columns", "face")):  # which write no names
        written(tmp_path, ["B"], "closed")
        assert state(*options) == "done"
        written(tmp_path, ["C"], "closed")
        assert state(*options) == "was complete"


def changed(content, rng):
    """A scene's file with one of its arrays spoilt."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        arrays = {
            each: np.load(io.BytesIO(archive.read(each)), allow_pickle=False)
            for each in archive.namelist()
        }
    name = str(rng.choice(list(arrays)))
    array = arrays[name].copy()
    match int(rng.integers(0, 4)):
        case 0:
            del arrays[name]
        case 1 if array.size and array.dtype.kind in "if":
            array.reshape(-1)[rng.integers(0, array.size)] = rng.choice([-7, 2**40])
            arrays[name] = array
        case 2:
            arrays[name] = array[:-1] if array.ndim else array
        case _:
            arrays[name] = (
                array.astype(np.float32) if array.dtype.kind in "if" else array[..., None]
            )
    file = io.BytesIO()
    np.savez(file, **{each.removesuffix(".npy"): values for each, values in arrays.items()})
    return file.getvalue()


def test_spoilt_files_have_one_kind_of_error(tmp_path, rng, scene):
    path = tmp_path / "scene.npz"
    sc.save_scene(scene, path)
    content, refused = path.read_bytes(), 0
    for _ in range(150):
        path.write_bytes(changed(content, rng))
        try:
            sc.load_scene(path)
        except sc.errors.MeshFileError:
            refused += 1
    assert refused > 50
