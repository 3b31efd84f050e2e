# SPDX-License-Identifier: GPL-3.0-or-later
"""The command of the core, as a shell runs it."""

import importlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import standalone_core as sc
from checkout import ROOT
from standalone_core.command import cast, main
from standalone_core.tables import read_table

from ...interruptible import interruptible
from ..meshes import terrain, torus
from ..peers import peer

MAIN = importlib.import_module("standalone_core.command.main")  # main is its function
HITS = ("instance", "face", "triangle", "barycentric", "point", "normal", "distance", "front")
NEAREST = (*HITS, "invalid")


@pytest.fixture
def mesh():
    vertices, triangles = torus(24, 16)
    return sc.Mesh(vertices, triangles, np.arange(len(triangles)) // 2)


@pytest.fixture
def rays(rng):
    origins = rng.normal(size=(40, 25, 3)) * 4
    return origins, -origins + rng.normal(size=(40, 25, 3))


@pytest.fixture
def folder(tmp_path, mesh, rays, monkeypatch):
    """Return a folder with a mesh and rays, which is the current one; parts are of 128 rays."""
    mesh.save(tmp_path / "mesh.npz")
    np.savez(tmp_path / "rays.npz", origins=rays[0], directions=rays[1])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cast, "_ROWS", 128)
    return tmp_path


def run(*arguments):
    return main(["cast", "mesh.npz", "rays.npz", *arguments])


def report(capsys):
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_the_nearest_hits_are_those_of_the_mesh(folder, mesh, rays, capsys):
    assert run("-o", "hits.npz", "--json") == 0
    hits = mesh.cast_rays(*rays)
    with np.load("hits.npz") as archive:
        assert set(archive) == {*NEAREST, "meta"}
        for name in NEAREST:
            assert archive[name].dtype == getattr(hits, name).dtype
            assert archive[name].tobytes() == getattr(hits, name).tobytes()
            assert archive[name].shape[:2] == (40, 25)
    facts = report(capsys)
    assert facts.pop("seconds") >= 0
    found = int(hits.hit.sum())
    assert 100 < found < 900
    assert facts == {
        "output": "hits.npz",
        "rays": 1000,
        "hits": "nearest",
        "found": found,
        "state": "done",
    }


def test_options_are_those_of_the_mesh(folder, mesh, rays):
    options = ("--max-distance", "4.5", "--cull", "front", "--columns", "distance,face")
    assert run("-o", "hits.npz", "--quiet", "--threads", "1", "--engine", "numpy", *options) == 0
    table = read_table("hits.npz")
    hits = mesh.cast_rays(*rays, 4.5, "front")
    assert list(table.columns) == ["distance", "face"]
    assert table.columns["distance"].tobytes() == hits.distance.tobytes()
    assert 0 < hits.hit.sum() < mesh.cast_rays(*rays).hit.sum()


def test_limits_of_rays_are_those_of_the_file_or_nearer(folder, mesh, rays, rng):
    low, high = rng.random((40, 25)) * 4, 4 + rng.random((40, 25)) * 4
    np.savez("rays.npz", origins=rays[0], directions=rays[1], min_distance=low, max_distance=high)
    for option, limit in (((), high), (("--max-distance", "5"), np.minimum(high, 5))):
        assert run("-o", "hits.npz", "--quiet", *option) == 0
        hits = mesh.cast_rays(*rays, limit, min_distance=low)
        assert read_table("hits.npz").columns["distance"].tobytes() == hits.distance.tobytes()


def test_any_and_counts_are_those_of_the_mesh(folder, mesh, rays):
    for kind, name, wanted in (
        ("any", "hit", mesh.any_hit(*rays)),
        ("count", "count", mesh.count_hits(*rays)),
    ):
        assert run("-o", "hits.npz", "--hits", kind, "--quiet") == 0
        (found,) = read_table("hits.npz").columns.values()
        assert list(read_table("hits.npz").columns) == [name]
        assert found.tobytes() == wanted.tobytes()
        assert found.shape == (40, 25)


def test_all_hits_have_their_rays(folder, mesh, rays):
    hits, splits = mesh.cast_rays_all(*rays)
    assert run("-o", "hits.npz", "--hits", "all", "--quiet") == 0
    table = read_table("hits.npz")
    assert list(table.columns) == ["ray", *HITS]
    assert table.extra["splits"].tolist() == splits.tolist()
    assert table.columns["ray"].tolist() == np.repeat(np.arange(1000), np.diff(splits)).tolist()
    for name in HITS:
        assert table.columns[name].tobytes() == getattr(hits, name).tobytes()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_other_formats_have_the_same_numbers(folder, mesh, rays, ending):
    if ending == ".parquet":
        peer("pyarrow")
    assert run("-o", f"hits{ending}", "--quiet") == 0
    columns = read_table(f"hits{ending}").columns
    hits = mesh.cast_rays(*rays)
    for name in NEAREST:
        wanted = getattr(hits, name).ravel()
        assert np.array_equal(columns[name].ravel(), wanted, wanted.dtype.kind != "b")


@pytest.mark.parametrize("kind", ["nearest", "any", "count", "all"])
@pytest.mark.parametrize("ending", [".npz", ".csv"])
def test_a_single_ray_is_a_row(folder, mesh, rays, kind, ending):
    one = [each[3, 4] for each in rays]
    np.save("one.npy", np.concatenate(one))
    np.savez("one.npz", origins=one[0], directions=one[1], min_distance=0.5)
    for name in ("one.npy", "one.npz"):
        out = f"hits{ending}"
        assert main(["cast", "mesh.npz", name, "-o", out, "--hits", kind, "--quiet"]) == 0
        columns = read_table(out).columns
        if kind == "nearest":
            low = 0.5 if name == "one.npz" else 0.0
            assert columns["face"].tolist() == [mesh.cast_rays(*one, min_distance=low).face]
        elif kind != "all":
            assert {column.shape for column in columns.values()} == {(1,)}


def test_an_output_that_would_replace_what_is_read_is_refused(folder, capsys):
    before = {name: (folder / name).read_bytes() for name in ("mesh.npz", "rays.npz")}
    os.symlink("mesh.npz", "link.npz")
    os.link("rays.npz", "hard.npz")
    os.symlink(folder, "here")
    for out in ("mesh.npz", "./rays.npz", "link.npz", "hard.npz", str(folder / "here/rays.npz")):
        assert run("-o", out) == 2
        assert "npz', which is read" in capsys.readouterr().err
    for out in ("mesh.npz", "link.npz", "here/mesh.npz"):
        assert main(["convert", "mesh.npz", out]) == 2
        assert "would replace 'mesh.npz', which is read" in capsys.readouterr().err
    assert {name: (folder / name).read_bytes() for name in before} == before


def test_what_no_output_can_be_is_told_before_anything_is_read(folder, monkeypatch, capsys):
    monkeypatch.setattr(cast, "load_mesh_or_scene", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    os.mkdir("folder.npz")
    for out, text in (
        ("a.parquet", "needs pyarrow"),
        ("none/a.npz", "No such file"),
        ("folder.npz", "Is a directory"),
    ):
        assert run("-o", out) == 1
        assert text in capsys.readouterr().err


def test_what_cannot_be_read_is_told_before_anything_is(folder, monkeypatch, capsys):
    monkeypatch.setattr(cast, "load_mesh_or_scene", None)
    monkeypatch.setattr(MAIN, "load_mesh", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    os.mkdir("folder.csv")
    (folder / "rays.parquet").touch()
    for mesh, rays, text in (
        ("none.npz", "rays.npz", "none.npz: No such file"),
        ("mesh.npz", "none.csv", "none.csv: No such file"),
        ("mesh.npz", "folder.csv", "folder.csv: Is a directory"),
        ("mesh.npz", "rays.parquet", "needs pyarrow"),
        ("mesh.npz", "rays.txt", "rays.txt: rays are a file of"),
    ):
        assert main(["cast", mesh, rays, "-o", "a.npz"]) == 1
        assert text in capsys.readouterr().err
    for mesh, out in (("none.ply", "a.npz"), ("mesh.npz", "none/a.npz")):
        assert main(["convert", mesh, out]) == 1
        assert "No such file" in capsys.readouterr().err


def test_rays_of_a_spreadsheet_are_cast(folder, mesh, capsys):
    x, y, z = mesh.vertices[mesh.triangles[7]].mean(axis=0).tolist()
    names = "Origin X;Origin Y;Origin Z;Direction X;Direction Y;Direction Z;Name"
    row = f"{x!r};{y!r};{z + 9!r};0;0;-1;left eye".replace(".", ",")
    (folder / "rays.csv").write_text(f"{names}\n{row}\n;;;;;;\n")
    assert main(["cast", "mesh.npz", "rays.csv", "-o", "hits.csv", "--json"]) == 0
    assert report(capsys)["invalid"] == 1
    distance = read_table("hits.csv").columns["distance"]
    hit = mesh.ray_cast((x, y, z + 9), (0, 0, -1))
    assert distance.tolist() == [hit.distance, np.inf]
    with open("hits.csv") as file:
        assert file.read().splitlines()[2].split(",")[3:6] == ["NaN"] * 3


@pytest.mark.parametrize("kind", ["nearest", "any", "count", "all"])
def test_rays_that_cannot_be_cast_are_told_from_misses(folder, mesh, rays, capsys, kind):
    origins, directions = (each.copy() for each in rays)
    origins[0, 0, 1], directions[39, 24] = np.nan, 0.0
    high = np.full((40, 25), 9.0)
    high[3, 3], high[4, 4] = np.nan, -1.0
    np.savez("rays.npz", origins=origins, directions=directions, max_distance=high)
    assert run("-o", "hits.npz", "--hits", kind, "--json") == 0
    assert report(capsys)["invalid"] == 4
    if kind == "nearest":
        found = read_table("hits.npz").columns["invalid"]
        assert np.argwhere(found).tolist() == [[0, 0], [3, 3], [4, 4], [39, 24]]


def test_triangles_that_are_not_finite_are_told(folder, rays, capsys):
    text = "v nan 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 2 3 4\nf 2 3 1\n"
    (folder / "mesh.obj").write_text(text)
    assert main(["cast", "mesh.obj", "rays.npz", "-o", "hits.npz", "--json"]) == 0
    assert report(capsys)["triangles_not_finite"] == 2
    assert main(["info", "mesh.obj", "--json"]) == 0
    assert report(capsys)["triangles_not_finite"] == 2
    assert main(["info", "mesh.npz", "--json"]) == 0
    assert report(capsys)["triangles_not_finite"] == 0


@pytest.mark.parametrize("kind", ["nearest", "any", "count", "all"])
def test_no_rays_have_no_hits(folder, kind):
    np.savez("rays.npz", origins=np.empty((0, 3)), directions=np.empty((0, 3)))
    assert run("-o", "hits.npz", "--hits", kind, "--quiet") == 0
    assert {len(column) for column in read_table("hits.npz").columns.values()} == {0}


def test_resume_leaves_what_is_complete_and_answers_what_is_not(folder, rays, capsys):
    def state(*options):
        assert run("-o", "hits.npz", "--resume", "--json", *options) == 0
        return report(capsys)["state"]

    assert state() == "done"
    before = os.stat("hits.npz").st_ino
    assert state("--threads", "1", "--engine", "numpy") == "was complete"
    assert os.stat("hits.npz").st_ino == before
    assert state("--cull", "back") == "done"
    assert state() == "done"
    np.savez("rays.npz", origins=rays[0], directions=rays[1], extra=1)
    assert state() == "was complete"
    np.savez("rays.npz", origins=rays[0] + 1e-12, directions=rays[1])
    assert state() == "done"
    for damage in (lambda file: file.truncate(999), lambda file: file.write(bytes(64))):
        with open("hits.npz", "r+b") as file:
            file.seek(os.path.getsize("hits.npz") // 2)
            damage(file)
        assert state() == "done"


def test_resume_answers_a_scene_anew_whose_meshes_have_another_border(folder, capsys):
    def state(*borders):
        scene = sc.Scene()
        for border in borders:
            scene.add(sc.Mesh(*torus(8, 6), border=border))
        sc.save_scene(scene, "scene.npz")
        command = ["cast", "scene.npz", "rays.npz", "-o", "hits.npz", "--resume", "--json"]
        assert main(command) == 0
        return report(capsys)["state"]

    for borders in itertools.product(("open", "closed"), repeat=2):
        assert state(*borders) == "done"
        assert state(*borders) == "was complete"


def test_a_closed_border_is_asked_for_whatever_the_file_says(rng, folder, capsys):
    """A terrain is sampled straight down at its own nodes; those of a scene may be closed."""
    shape = terrain(rng)
    nodes = shape[0]
    sc.Mesh(*shape).save("mesh.npz")
    scene = sc.Scene()
    scene.add(sc.Mesh(*shape, border="closed"))
    sc.save_scene(scene, "scene.npz")
    origins = np.column_stack([nodes[:, :2], np.full(len(nodes), 999.0)])
    np.savez("rays.npz", origins=origins, directions=np.broadcast_to((0, 0, -1.0), nodes.shape))

    def found(mesh, *options, state="done"):
        told = ["cast", mesh, "rays.npz", "-o", "hits.npz", "--resume", "--json"]
        assert main([*told, *options]) == 0
        known = report(capsys)
        assert known["state"] == state
        return known.get("found")

    count = len(nodes)
    assert 0 < found("mesh.npz") < count
    assert found("mesh.npz", "--border", "open", state="was complete") is None
    assert found("mesh.npz", "--border", "closed") == count
    assert np.load("hits.npz")["point"].tolist() == nodes.tolist()
    assert found("mesh.npz", "--border", "closed", state="was complete") is None
    for hits in ("any", "count", "all"):
        assert found("mesh.npz", "--border", "closed", "--hits", hits) == count
    assert found("scene.npz") == count
    assert 0 < found("scene.npz", "--border", "open") < count
    assert main(["cast", "mesh.npz", "rays.npz", "-o", "hits.npz", "--border", "shut"]) == 2
    assert "--border" in capsys.readouterr().err


def test_the_same_question_is_the_same_bytes(folder):
    for name in ("a.npz", "b.npz"):
        assert run("-o", name, "--quiet") == 0
    with open("a.npz", "rb") as a, open("b.npz", "rb") as b:
        assert a.read() == b.read()


CAST = ("cast", "mesh.npz", "rays.npz", "-o", "a.npz")


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        ([], 2, "required"),
        (["cast"], 2, "required"),
        (["nothing"], 2, "invalid choice"),
        (["cast", "mesh.npz", "rays.npz", "-o", "a.txt"], 2, r".npz, .csv, .parquet"),
        (["cast", "mesh.npz", "rays.npz", "-o", "a.csv", "--resume"], 2, "--resume needs"),
        ([*CAST, "--columns", "x"], 2, "no column 'x'"),
        ([*CAST, "--columns", ""], 2, "no column"),
        ([*CAST, "--max-distance", "-1"], 2, "no length"),
        ([*CAST, "--max-distance", "nan"], 2, "no length"),
        ([*CAST, "--threads", "0"], 2, "no number"),
        ([*CAST, "--hits", "any", "--columns", "face"], 2, "--columns are those of hits"),
        ([*CAST, "--hits", "all", "--columns", "invalid"], 2, "a row for each hit"),
        (["info", ""], 1, "no file: a path is empty"),
        (["convert", "mesh.npz", "a.ply"], 2, "an .npz file"),
        (["cast", "none.npz", "rays.npz", "-o", "a.npz"], 1, "none.npz: No such file"),
        (["cast", "mesh.npz", "none.csv", "-o", "a.npz"], 1, "none.csv: No such file"),
        (["cast", "rays.npz", "rays.npz", "-o", "a.npz"], 1, "rays.npz: the file holds no mesh"),
        (["cast", "mesh.npz", "mesh.npz", "-o", "a.npz"], 1, "mesh.npz: the file holds no rays"),
        (["cast", "mesh.npz", "rays.txt", "-o", "a.npz"], 1, "rays.txt: rays are a file of"),
        (["cast", "mesh.npz", "rays.npz", "-o", "none/a.npz"], 1, "none/a.npz: No such file"),
        (["info", "none.npz"], 1, "none.npz: No such file"),
        (["info", "rays.npz", "more"], 2, "unrecognized arguments: more"),
        (["convert", "rays.npz", "a.npz"], 1, "rays.npz: the file holds no mesh"),
    ],
)
def test_what_is_wrong_is_one_line_and_a_code(folder, capsys, arguments, code, text):
    assert main(arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("raypick-core: error: ")
    assert text in line
    assert sorted(os.listdir()) == ["mesh.npz", "rays.npz"]


@pytest.mark.parametrize("arguments", [["--help"], ["cast", "--help"], ["convert", "--help"]])
def test_help_says_how_it_ends(capsys, arguments):
    assert main(arguments) == 0
    assert "130  interrupted" in capsys.readouterr().out


def test_the_version_is_that_of_the_package(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.split() == ["raypick-core", sc.__version__]


def test_info_tells_of_meshes_and_tables(folder, mesh, capsys):
    assert main(["info", "mesh.npz", "--json"]) == 0
    facts = report(capsys)
    assert facts["kind"] == "mesh"
    assert (facts["triangles"], facts["faces"]) == (768, 384)
    assert facts["upper"] == mesh.bounds[1].tolist()
    assert (facts["closed"], facts["tree"]) == (True, False)
    assert main(["info", "rays.npz", "--json"]) == 0
    facts = report(capsys)
    assert facts["shape"] == [40, 25]
    assert facts["columns"]["origins"] == "float64 [40, 25, 3]"
    np.save("rays.npy", np.ones((5, 6)))
    assert main(["info", "rays.npy", "--json"]) == 0
    facts = report(capsys)
    assert (facts["kind"], facts["shape"]) == ("table", [5])
    assert facts["columns"] == {"origins": "float64 [5, 3]", "directions": "float64 [5, 3]"}
    np.savez("other.npz", a=np.zeros(3), b=np.zeros(4))
    assert main(["info", "other.npz"]) == 0
    assert "float64 [4]" in capsys.readouterr().out


def test_convert_writes_the_mesh_with_its_tree(folder, mesh):
    assert main(["convert", "mesh.npz", "tree.npz", "--quiet"]) == 0
    made = sc.Mesh.load("tree.npz")
    assert made.tree is not None
    assert made.triangles.tolist() == mesh.triangles.tolist()
    assert made.faces.tolist() == mesh.faces.tolist()


def test_hits_in_place_of_a_mesh_are_told_as_such(folder, capsys):
    assert run("-o", "hits.npz", "--quiet") == 0
    assert main(["cast", "hits.npz", "rays.npz", "-o", "more.npz"]) == 1
    assert "hits.npz: the file holds no saved mesh" in capsys.readouterr().err


def begun(*arguments):
    """The command in a process of its own, which has begun to cast."""
    with interruptible():
        return subprocess.Popen(
            [sys.executable, "-m", "standalone_core", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


def test_a_process_does_the_same(folder, mesh, rays):
    process = begun("cast", "mesh.npz", "rays.npz", "-o", "hits.npz", "--json")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out)["state"] == "done"
    distance = read_table("hits.npz").columns["distance"]
    assert distance.tobytes() == mesh.cast_rays(*rays).distance.tobytes()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_a_run_that_is_ended_leaves_the_old_output(folder, rng, sent, code):
    """It is ended while it writes: a CSV of many rows takes a while."""
    rows = rng.normal(size=(300_000, 6))
    np.save("rays.npy", rows)
    with open("hits.csv", "w") as file:
        file.write("old")
    process = begun("cast", "mesh.npz", "rays.npy", "-o", "hits.csv", "--quiet")
    while process.poll() is None and not any(".tmp" in name for name in os.listdir()):
        time.sleep(0.005)
    process.send_signal(sent)
    _, err = process.communicate()
    assert process.returncode == code
    assert b"Traceback" not in err
    with open("hits.csv") as file:
        assert file.read() == "old"
    left = [name for name in os.listdir() if ".tmp" in name]
    assert len(left) == (1 if sent == signal.SIGKILL else 0)
