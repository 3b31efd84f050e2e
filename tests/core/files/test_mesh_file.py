# SPDX-License-Identifier: GPL-3.0-or-later
"""A saved mesh comes back bit by bit, and what is no saved mesh is refused by name."""

import base64
import gc
import io
import math
import sys
import threading
import zlib
from dataclasses import replace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.concurrency.threads import ThreadLimit
from standalone_core.files import mesh_file

from .. import meshes
from ..meshes import HALVES, SQUARE
from ..questions import assert_same_bits, toward
from .mesh_mutants import with_digest

VERSION_NAME = "raypick_mesh_version"


def saved(mesh):
    file = io.BytesIO()
    mesh.save(file)
    return file.getvalue()


def loaded(content, **keywords):
    return sc.Mesh.load(io.BytesIO(content), **keywords)


def changed(content, **arrays):
    """The file with some arrays replaced, or left out where they are None."""
    with np.load(io.BytesIO(content)) as archive:
        kept = {**archive, **arrays}
    file = io.BytesIO()
    np.savez(file, **{name: array for name, array in kept.items() if array is not None})
    return file.getvalue()


def saved_with_order(order, **keywords):
    """A file that is whole, but of a wrong tree."""
    mesh = built_sphere()
    tree = replace(mesh.tree, order=np.asarray(order), **keywords)
    file = io.BytesIO()
    mesh_file.save(file, mesh.vertices, mesh.triangles, None, tree)
    return file.getvalue()


def built_sphere(faces=None):
    mesh = sc.Mesh(*meshes.icosphere(1), faces)
    mesh.build()
    return mesh


def assert_same_array(one, other):
    assert (one is None) == (other is None)
    if one is not None:
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def assert_same_mesh(one, other):
    for name in ("vertices", "triangles", "faces"):
        assert_same_array(getattr(one, name), getattr(other, name))
    assert (one.tree is None) == (other.tree is None)
    if one.tree is not None:
        assert one.tree.scale == other.tree.scale
        assert_same_array(one.tree.center, other.tree.center)
        assert_same_array(one.tree.order, other.tree.order)
        assert len(one.tree.levels) == len(other.tree.levels)
        for level, same in zip(one.tree.levels, other.tree.levels, strict=True):
            assert_same_array(level, same)


def shapes(rng):
    """Meshes of all kinds."""
    nasty, rows = meshes.nasty(rng)
    yield meshes.torus(20, 12)
    yield nasty, rows
    yield nasty * 1e-30, rows
    yield nasty * 1e30 - 1e35, rows
    yield np.array([(-0.0, 5e-324, 1), (0, -5e-324, 2), (1.7e308, -1.7e308, 0)]), [[0, 1, 2]]
    yield np.full((3, 3), np.nan), [[0, 1, 2]]
    yield np.zeros((3, 3)), [[0, 1, 2]]
    yield np.zeros((3, 3)), np.empty((0, 3), int)
    yield np.empty((0, 3)), []


@pytest.mark.parametrize("with_tree", [False, True])
@pytest.mark.parametrize("with_faces", [False, True])
def test_all_comes_back_bit_by_bit(rng, with_tree, with_faces):
    for vertices, triangles in shapes(rng):
        faces = rng.integers(0, 2**62, len(triangles)) if with_faces else None
        mesh = sc.Mesh(vertices, triangles, faces)
        if with_tree:
            mesh.build()
        back = loaded(saved(mesh))
        assert_same_mesh(back, mesh)
        assert (back.tree is not None) == with_tree
        back.validate()


def test_a_refitted_tree_comes_back(rng):
    vertices, triangles = meshes.torus(20, 12)
    mesh = sc.Mesh(vertices, triangles)
    mesh.build()
    broken = vertices * (3, 1, 0.1)
    broken[::9] = np.nan
    for positions in (vertices + 1e6, broken):
        mesh.refit(positions)
        back = loaded(saved(mesh))
        assert_same_mesh(back, mesh)
        back.validate()


def test_the_answers_are_the_same(rng, engine):
    vertices, triangles = meshes.torus(20, 12)
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    mesh.build()
    back = loaded(saved(mesh), engine=engine)
    rays = toward(rng, vertices, triangles, 50)
    assert_same_bits(back.cast_rays(*rays), mesh.cast_rays(*rays))
    back.refit(vertices * 2)
    assert back.stats.nodes == mesh.stats.nodes > 0


def test_a_loaded_mesh_is_of_the_class_and_takes_the_arguments_of_a_new_one():
    class Special(sc.Mesh):
        pass

    content = saved(sc.Mesh(*meshes.icosphere(3)))
    assert type(Special.load(io.BytesIO(content))) is Special
    mesh = loaded(content, building="never")
    mesh.cast_rays(np.full((1000, 3), 2.0), (-1, -1, -1))
    assert mesh.tree is None
    with pytest.raises(errors.EngineError):
        loaded(content, engine="abacus")
    with pytest.raises(errors.ArgumentError, match="building"):
        loaded(content, building="always")


@pytest.mark.parametrize("name", ["mesh", "mesh.npz", "mesh.raypick"])
@pytest.mark.parametrize("kind", [str, lambda path: path], ids=["str", "Path"])
def test_paths_are_taken_as_they_are(tmp_path, name, kind):
    mesh = built_sphere()
    mesh.save(kind(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert_same_mesh(sc.Mesh.load(kind(tmp_path / name)), mesh)


def test_large_members_are_read_by_several_threads(tmp_path, monkeypatch):
    mesh = sc.Mesh(*meshes.torus(60, 40), np.arange(4800))
    mesh.build()
    mesh.save(tmp_path / "mesh")
    for threads in (1, 3):
        with ThreadLimit(threads):
            assert_same_mesh(sc.Mesh.load(tmp_path / "mesh"), mesh)
    # A caller's file may not be one for threads.
    monkeypatch.setattr(threading.Thread, "start", pytest.fail)
    with open(tmp_path / "mesh", "rb") as file:
        assert_same_mesh(sc.Mesh.load(file, engine="numpy"), mesh)


def test_open_files_stay_open(tmp_path):
    mesh = built_sphere()
    with open(tmp_path / "mesh", "w+b") as file:
        mesh.save(file)
        file.seek(0)
        assert_same_mesh(sc.Mesh.load(file), mesh)
        assert not file.closed


def test_numpy_reads_the_file(tmp_path):
    mesh = built_sphere()
    mesh.save(tmp_path / "mesh.npz")
    with np.load(tmp_path / "mesh.npz", allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["vertices"], mesh.vertices)
        np.testing.assert_array_equal(archive["triangles"], mesh.triangles)
        assert "faces" not in archive


def test_the_other_byte_order_is_read():
    mesh = built_sphere(np.arange(80))
    with np.load(io.BytesIO(saved(mesh))) as archive:
        swapped = {
            name: archive[name].astype(archive[name].dtype.newbyteorder()) for name in archive
        }
    assert_same_mesh(loaded(with_digest(swapped)), mesh)


VERSION_1 = (
    "c-jl_W@gc4fB;2?B^&3j`VR#X3?d9giIoMJ$=UI_sl^%bWvNBQnfZBoc?Fe>3<3-tP+c&3vR|lgKqMnW8AG*tN@{U("
    "k-C+Fx=p5qx{iW+T7FSUQDR<veo;y)NZc(kr#KZTUYwCwkP75$XzD1`Do_Nt7@_V6K=F}|y^jOTM?63u0X<QYnVeb-"
    "^TiLS${%=rkw%;^Om!5DDf0;z177gKo;vbB>d|FTL(PD*_cJWic!8l-Qk0pPm!5+Nwmnd#d+<lT2|a_235a2d07NrG"
    "+000COi1D&J`0A|-=E2^gL$13==HQjq|~wks%!-{(!8k-rKz5a9qJAk%>ku3(P&gJ@^wb5z`V#0j@{JM_~g{QlGGxY"
    "M`u74&!9%OFs9t25LY~~N2gIeruZj78RjuQn8%8f6LV5YE40$+R%pSpC8|IEmB?Me@CVo#Fn>&ds+~ZM{AWU)_(9HJ"
    "sQ!s6cQ^s_4;RosDVgc1#U(JmEP$$8fX^>ArG~_%H6uzr!}VnLg;O6U^7Yr*ESMz3TJZ6O-!EgvUiBHW*}SJWJxs9*"
    "@MdJvWk#(uJD_Pw0;x!C02fBMs!()OKo!*wXhp<>V#*~TiCk@=>jV|nd!S`8FN#hMV054q-RN3Dh208hdB%yNl^Ga|"
    "@S+c08>j%80WBT)QM5f{W<W1a&^3cHDJ;17P&DsnVL;2W=z2jJV*)hUqv~yEWkAa&=z2kkZ~-)#aiQo9XJbH0k^$bV"
    "Y>={)gW*0f3XQ>qD*(Uc-3k"
)
"""A mesh that version 1 wrote, compressed and in base 85."""


def version_1():
    return zlib.decompress(base64.b85decode(VERSION_1))


def test_a_file_of_version_1_is_read():
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (np.nan, 0, 0)]
    triangles = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3), (0, 1, 4)]
    mesh = sc.Mesh(corners, triangles, [7, 7, 8, 9, 9], engine="numpy")
    mesh.build()
    assert_same_mesh(loaded(version_1()), mesh)


def test_the_digest_of_version_1_is_compared():
    for name in ("digest", "vertices"):
        with np.load(io.BytesIO(version_1())) as archive:
            other = archive[name].copy()
        other.reshape(-1)[0] += 1
        with pytest.raises(errors.MeshFileError, match="not those that were saved together"):
            loaded(changed(version_1(), **{name: other}))


def test_each_version_has_its_own_digest():
    for content, version in ((version_1(), 2), (saved(built_sphere()), 1)):
        with pytest.raises(errors.MeshFileError, match="not those that were saved together"):
            loaded(changed(content, **{VERSION_NAME: np.array(version)}))


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        sc.Mesh.load(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError):
        built_sphere().save(tmp_path / "no folder" / "mesh")


def array_file(array, **keywords):
    file = io.BytesIO()
    np.save(file, array, **keywords)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "damaged, or no .npz"),
        (b"# an .obj file\nv 0 0 0\n", "damaged, or no .npz"),
        (b"PK\x03\x04 and no more", "damaged, or no .npz"),
        (array_file(np.zeros(3)), "damaged, or no .npz"),
        (array_file(np.array([None]), allow_pickle=True), "damaged, or no .npz"),
        (changed(saved(built_sphere()), **{VERSION_NAME: None}), f"no {VERSION_NAME}"),
    ],
    ids=["empty", "text", "zip's first bytes", "npy", "pickle", "another npz"],
)
def test_what_is_no_mesh_file_is_refused(content, text):
    with pytest.raises(errors.MeshFileError, match=text) as caught:
        loaded(content)
    assert "pickle" not in str(caught.value)


def test_a_newer_version_is_told():
    content = changed(saved(built_sphere()), **{VERSION_NAME: np.array(3), "vertices": None})
    with pytest.raises(errors.MeshFileError, match=r"format version 3, .* reads none after 2"):
        loaded(content)


@pytest.mark.parametrize("version", [0, -1, 1.0, [1], "1", np.nan])
def test_a_version_that_is_none_is_told(version):
    content = changed(saved(built_sphere()), **{VERSION_NAME: np.array(version)})
    with pytest.raises(errors.MeshFileError, match=VERSION_NAME):
        loaded(content)


@pytest.mark.parametrize("name", ["vertices", "triangles", "digest", "tree_center", "tree_scale"])
def test_arrays_that_are_missing_are_told(name):
    with pytest.raises(errors.MeshFileError):
        loaded(changed(saved(built_sphere()), **{name: None}))


def test_no_array_may_be_swapped_for_another():
    """Also those that may be missing, and a tree of the same size."""
    mesh = built_sphere(np.arange(80))
    content = saved(mesh)
    moved = mesh.vertices.copy()
    moved[5, 1] = np.nextafter(moved[5, 1], 9)
    for change in (
        {"vertices": moved},
        {"vertices": mesh.vertices.astype(np.float32)},
        {"vertices": mesh.vertices.reshape(3, -1)},
        {"triangles": mesh.triangles[::-1]},
        {"triangles": mesh.triangles.astype(np.int64)},
        {"faces": np.arange(80)[::-1]},
        {"faces": None},
        {"tree_order": mesh.tree.order[::-1]},
        {"tree_order": None, "tree_center": None, "tree_scale": None},
        {"tree_scale": np.array(2 * mesh.tree.scale)},
        {"digest": np.zeros(32, np.uint8)},
        {"digest": np.zeros(0, np.uint8)},
    ):
        with pytest.raises(errors.MeshFileError, match="not those that were saved together"):
            loaded(changed(content, **change))


ORDER = np.arange(80, dtype=np.int32)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (saved_with_order(ORDER[:-1]), "triangle 79 is in no leaf"),
        (saved_with_order(ORDER // 2 * 2), "names a triangle twice"),
        (saved_with_order(ORDER + 1), "tree_order has the index 80, but there are 80 triangles"),
        (saved_with_order(ORDER - 1), "tree_order has the index -1"),
        (saved_with_order(ORDER.reshape(8, 10)), "must be a list"),
        (saved_with_order(ORDER.astype(float)), "tree_order must be of i4 or i8, not f8"),
        (saved_with_order(ORDER.astype(bool)), "tree_order must be of i4 or i8, not b1"),
        (saved_with_order(ORDER, scale=3.0), "power of two"),
        (saved_with_order(ORDER, scale=np.inf), "power of two"),
        (saved_with_order(ORDER, scale=-1.0), "power of two"),
        (saved_with_order(ORDER, scale=2.0**-9), "do not fit the vertices"),
        (saved_with_order(ORDER, scale=0.0), "power of two"),
        (saved_with_order(ORDER, center=np.array([5.0, 0, 0])), "do not fit the vertices"),
        (saved_with_order(ORDER, center=np.zeros(2)), "tree_center must have shape"),
        (saved_with_order(ORDER, center=np.full(3, np.nan)), "tree_center is not finite"),
    ],
)
def test_a_tree_that_is_none_is_refused(content, text):
    with pytest.raises(errors.MeshFileError, match=text):
        loaded(content)


def test_no_triangle_is_hidden_by_units_in_which_it_is_infinite():
    for order, text in ((ORDER[:0], "in no leaf"), (ORDER, "do not fit the vertices")):
        with pytest.raises(errors.MeshFileError, match=text):
            loaded(saved_with_order(order, scale=2.0**-1000))


@pytest.mark.parametrize(
    ("vertices", "triangles", "faces", "text"),
    [
        (np.zeros((3, 2)), np.array([[0, 1, 2]]), None, "vertices must have shape"),
        (np.zeros((3, 3)), np.array([[0, 1, 3]]), None, "triangle 0 has vertex indices"),
        (np.zeros((3, 3)), np.array([[0, 1]]), None, "triangles must have shape"),
        (np.zeros((3, 3)), np.array([[0, 1, 2]]), np.array([1, 2]), "faces must have shape"),
        (np.zeros((3, 3)), np.array([[0, 1, 2]]), np.array([1.5]), "faces must be of i8"),
        (np.zeros((3, 3), np.float32), np.array([[0, 1, 2]]), None, "vertices must be of f8"),
        (np.zeros((3, 3)), np.array([[0.0, 1, 2]]), None, "triangles must be of i4 or i8"),
    ],
)
def test_arrays_that_are_no_mesh_are_refused(vertices, triangles, faces, text):
    file = io.BytesIO()
    mesh_file.save(file, vertices, triangles, faces, None)
    with pytest.raises(errors.MeshFileError, match=text):
        loaded(file.getvalue())


@pytest.mark.parametrize("open_file", [False, True])
def test_a_file_that_is_cut_off_is_refused(rng, tmp_path, open_file):
    content = saved(built_sphere())
    for length in [0, 1, len(content) - 1, *rng.integers(0, len(content), 100)]:
        (tmp_path / "mesh").write_bytes(content[:length])
        file = io.BytesIO(content[:length]) if open_file else tmp_path / "mesh"
        with pytest.raises(errors.MeshFileError):
            sc.Mesh.load(file)


def test_a_wrong_byte_is_refused_or_changes_nothing(rng, tmp_path):
    """Bytes of the archive that nobody reads may be wrong."""
    mesh = built_sphere(np.arange(80))
    content = saved(mesh)
    refused = 0
    for place in rng.integers(0, len(content), 500):
        wrong = bytearray(content)
        wrong[place] ^= int(rng.integers(1, 256))
        (tmp_path / "mesh").write_bytes(wrong)
        try:
            back = sc.Mesh.load(tmp_path / "mesh")
        except errors.MeshFileError:
            refused += 1
        else:
            assert_same_mesh(back, mesh)
    assert refused > 250


class WriteOnly:
    """As some streams are; an archive asks for more."""

    def write(self, content):
        return len(content)


def closed():
    file = io.BytesIO()
    file.close()
    return file


@pytest.mark.parametrize("make", [WriteOnly, io.StringIO, closed])
def test_what_is_no_binary_file_to_be_written_is_refused(make):
    mesh = sc.Mesh(np.eye(3), [[0, 1, 2]])
    with pytest.raises(sc.errors.DtypeError, match="no binary file that can be written to"):
        mesh.save(make())


class Recorded(io.BytesIO):
    """Fails in the write of this number, and counts all that are asked for."""

    def __init__(self, fails):
        super().__init__()
        self.fails, self.writes = fails, 0

    def write(self, content):
        self.writes += 1
        if self.writes >= self.fails:
            raise OSError("no space left")
        return super().write(content)


def half_saved(mesh, fails):
    file = Recorded(fails)
    with pytest.raises(OSError, match="no space left"):
        mesh.save(file)
    return file


def test_a_stream_is_left_alone_once_saving_to_it_has_failed(monkeypatch):
    """NumPy's ``savez`` leaves an archive behind that writes again when it is collected."""
    mesh = sc.Mesh(np.eye(3), [[0, 1, 2]])
    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    never = Recorded(math.inf)
    mesh.save(never)
    gc.collect()
    gc.freeze()  # What other tests have left need not be looked through each time.
    try:
        for fails in range(1, never.writes + 1):
            file = half_saved(mesh, fails)
            content, writes = file.getvalue(), file.writes
            gc.collect()
            assert (file.getvalue(), file.writes) == (content, writes)
    finally:
        gc.unfreeze()
    assert not unraisable


def test_an_empty_path_is_refused():
    with pytest.raises(sc.errors.ArgumentError, match="is empty"):
        sc.Mesh(np.eye(3), [[0, 1, 2]]).save("")


def test_a_saved_mesh_near_the_end_of_float64_was_refused():
    mesh = sc.Mesh(SQUARE * 1.2e308, HALVES)
    mesh.build()
    file = io.BytesIO()
    mesh.save(file)
    file.seek(0)
    assert sc.Mesh.load(file).tree is not None
