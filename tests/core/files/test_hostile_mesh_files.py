# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a file holds, loading it ends in a mesh or a MeshFileError, and takes little memory."""

import gzip
import io
import struct
import zipfile

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import meshes
from ..meshes import HALVES, SQUARE
from .mesh_mutants import (
    ANOTHER,
    KINDS,
    archive,
    members,
    npy,
    originals,
    outcomes,
    peak,
    saved,
    with_digest,
)


@pytest.fixture(scope="module")
def content():
    """Return the file of a mesh with faces and tree."""
    return next(originals())


def refused(content, text):
    file = content if hasattr(content, "read") else io.BytesIO(content)
    with pytest.raises(errors.MeshFileError, match=text):
        sc.Mesh.load(file)


def test_mutants_end_in_a_mesh_or_in_an_error_of_mesh_files(rng):
    count = 160  # enough for another valid mesh to be among them, but for one seed in hundreds
    found, most = outcomes(rng, count, measured=40)
    assert most < 1e6
    assert found["with_wrong_arrays"][ANOTHER]
    assert not any(found[kind.__name__][ANOTHER] for kind in KINDS)
    for kind, ends in found.items():
        assert sum(ends.values()) == count
        assert len(ends) > 2 or kind == "with_wrong_headers"


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=str
)
def test_what_is_compressed_is_refused_before_it_grows(content, method):
    stored = {**members(content), "vertices": npy(np.zeros((200_000, 3)))}
    packed = archive(stored, method)
    refused(packed, "compressed")
    assert peak(packed) < 1e6


@pytest.mark.parametrize(
    "shape", ["1000000000, 3", "999999999999999999, 3", "3, " * 40, "0, 999999999999999999"]
)
def test_a_size_is_not_believed(content, shape):
    stored = members(content)
    stored["vertices"] = stored["vertices"].replace(b"(42, 3)", f"({shape})".encode())
    refused(archive(stored), "vertices")
    assert peak(archive(stored)) < 1e6


@pytest.mark.parametrize(
    "header",
    [
        b"(" * 5000,
        b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n",
        b"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n",
        b"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }\n",
        b"{'descr': '<f1', 'fortran_order': False, 'shape': (0,), }\n",
        b"  {\n 1:\n",
        b"'''",
        b"",
    ],
)
def test_a_header_is_not_evaluated(content, header):
    stored = members(content)
    stored["faces"] = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(48)
    refused(archive(stored), "faces")


def test_a_member_of_another_name_is_refused(content):
    refused(archive({**members(content), "extra": npy(np.zeros(3))}), "'extra.npy'")


def test_members_of_one_name_are_refused(content):
    refused(content.replace(b"tree_scale", b"tree_order"), "same")


def test_members_are_not_countless(content):
    many = {f"m{number}": b"" for number in range(65)}
    refused(archive({**members(content), **many}), "no .npz archive of a mesh")


def test_members_do_not_overlap(content):
    wrong = bytearray(content)
    entry = wrong.rindex(b"PK\1\2")
    wrong[entry + 42 : entry + 46] = bytes(4)
    refused(bytes(wrong), "damaged")


@pytest.mark.parametrize("shared", [0, 1, 29, 43])
def test_a_member_that_reaches_into_the_header_of_the_next_is_refused(shared):
    """Its last bytes are the first ones of that header, and all checksums are right."""
    mesh = sc.Mesh(np.zeros((9, 3)), [[0, 1, 2]])
    arrays = {name: np.load(io.BytesIO(data)) for name, data in members(saved(mesh)).items()}
    content = with_digest(arrays)
    start = content.index(b"PK\3\4", content.index(b"vertices.npy"))
    header = content[start : start + 30 + len(b"triangles.npy")]
    assert header.endswith(b"triangles.npy")
    numbers = bytes(9 * 3 * 8 - shared) + header[:shared]
    arrays["vertices"] = np.frombuffer(numbers).reshape(9, 3)
    content = with_digest(arrays)
    assert content[start - shared : start] == header[:shared]
    overlapping = bytearray(content[: start - shared] + content[start:])
    end = overlapping.rindex(b"PK\5\6")
    directory = int.from_bytes(overlapping[end + 16 : end + 20], "little") - shared
    overlapping[end + 16 : end + 20] = directory.to_bytes(4, "little")
    entry = overlapping.index(b"PK\1\2", directory)
    while entry >= 0:
        place = int.from_bytes(overlapping[entry + 42 : entry + 46], "little")
        if place >= start:
            overlapping[entry + 42 : entry + 46] = (place - shared).to_bytes(4, "little")
        entry = overlapping.find(b"PK\1\2", entry + 1)
    with zipfile.ZipFile(io.BytesIO(overlapping)) as made:
        names = made.namelist()
    assert names[1:3] == ["vertices.npy", "triangles.npy"]
    if shared:
        refused(bytes(overlapping), "vertices.npy does not fit in it")
    else:
        assert len(sc.Mesh.load(io.BytesIO(overlapping)).vertices) == 9


def test_a_member_that_begins_beyond_all_files_is_refused(content):
    """At offsets of 64 bits, which an entry keeps in its extra field."""
    end = content.rindex(b"PK\5\6")
    directory = int.from_bytes(content[end + 16 : end + 20], "little")
    entry = content.index(b"PK\1\2", directory)
    name = int.from_bytes(content[entry + 28 : entry + 30], "little")
    extra = struct.pack("<HHQ", 1, 8, 2**63 + 5)
    wrong = bytearray(content)
    wrong[entry + 46 + name : entry + 46 + name] = extra
    wrong[entry + 30 : entry + 32] = len(extra).to_bytes(2, "little")
    wrong[entry + 42 : entry + 46] = b"\xff" * 4
    size = int.from_bytes(content[end + 12 : end + 16], "little") + len(extra)
    wrong[end + len(extra) + 12 : end + len(extra) + 16] = size.to_bytes(4, "little")
    refused(bytes(wrong), "not where it should be")


def test_whatever_a_file_object_raises_is_told(content):
    cut = gzip.compress(content)[:-20]
    refused(gzip.GzipFile(fileobj=io.BytesIO(cut)), "cannot be read")


@pytest.mark.parametrize("size", [1.0, 1.7e308], ids=["of a file", "of the largest mesh"])
def test_a_tree_whose_boxes_reach_to_2_lost_hits(size):
    near = np.array([[-1, -1, -0.1], [-0.95, -1, 0.1], [-1, -0.95, 0.1]])
    far = np.array([[1, 1, 0], [0.9, 1, 0], [1, 0.9, 0.1]])
    steps = np.arange(8)[:, None, None] * [0, 0, 0.001]
    vertices = size * np.concatenate([near + steps, far + steps]).reshape(-1, 3)
    mesh = sc.Mesh(vertices, np.arange(48).reshape(-1, 3), engine="numpy", building="never")
    way = np.array([0.8, 0.6, 0])
    ray = size * (np.array([-0.98, -0.98, 0.05]) - (10 if size == 1 else 0.047) * way), way
    right = mesh.ray_cast(*ray)
    mesh.build()
    if size == 1:
        arrays = {name: np.load(io.BytesIO(data)) for name, data in members(saved(mesh)).items()}
        arrays |= {"tree_scale": np.array(1.0), "tree_center": np.array([1.0, 1, 0])}
        mesh = sc.Mesh.load(io.BytesIO(with_digest(arrays)), engine="numpy")
    assert mesh.tree.scale == (1.0 if size == 1 else 2.0**1023)
    assert mesh.ray_cast(*ray).distance == right.distance > 0
    assert mesh.cast_rays([ray[0]], [ray[1]]).distance == right.distance


def test_what_is_no_binary_file_is_refused(content):
    refused(io.StringIO("text"), "binary")
    closed = io.BytesIO(content)
    closed.close()
    refused(closed, "cannot be read")

    class Unseekable(io.BytesIO):
        def seek(self, *_):
            raise io.UnsupportedOperation("seek")

    refused(Unseekable(content), "cannot be read")


@pytest.mark.parametrize("path", [None, 3.5, ["a"]])
def test_what_is_no_path_is_told(path):
    with pytest.raises(errors.DtypeError, match="must be a path"):
        sc.Mesh.load(path)


def test_a_file_that_hands_out_a_few_bytes_at_a_time_is_read(content):
    class Slow(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 7) if size > 0 else size)

    assert saved(sc.Mesh.load(Slow(content))) == content


def test_a_mesh_between_other_things_is_read(content):
    file = io.BytesIO(b"before " * 100 + content + b" after" * 100)
    assert saved(sc.Mesh.load(file)) == content


def test_archives_of_more_than_two_gigabytes_are_read(content, monkeypatch):
    """Their numbers are in records of their own, which are written here for small ones."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    large = saved(sc.Mesh.load(io.BytesIO(content)))
    assert b"PK\6\6" in large
    assert large != content
    for mesh in (sc.Mesh.load(io.BytesIO(large)), sc.Mesh.load(io.BytesIO(b"before" + large))):
        monkeypatch.undo()
        assert saved(mesh) == content


def test_memory_is_a_small_multiple_of_the_file():
    mesh = sc.Mesh(*meshes.torus(120, 60))
    mesh.build()
    content = saved(mesh)
    assert peak(content) < 20 * len(content)


def test_a_file_with_an_order_of_int64_could_not_be_cast_at(engine, tmp_path):
    mesh = sc.Mesh(SQUARE, HALVES)
    mesh.build()
    mesh.save(tmp_path / "mesh.npz")
    with np.load(tmp_path / "mesh.npz") as archive:
        arrays = dict(archive)
    arrays["tree_order"] = arrays["tree_order"].astype(np.int64)
    other = sc.Mesh.load(io.BytesIO(with_digest(arrays)), engine=engine)
    assert other.ray_cast((0.5, 0.25, 1), (0, 0, -1)).distance == 1
    other.refit(SQUARE)
