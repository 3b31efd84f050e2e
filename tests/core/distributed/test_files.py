# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes in files: read where the casts are, if they are what they were when these were planned."""

import base64
import json

import pytest

import standalone_core as sc
from standalone_core.distributed import mesh_cache

from ..meshes import cube
from .rays import assert_same_bits, copies, rays_around

DOWN = (0, 0, -1.0)


@pytest.fixture
def file(tmp_path):
    mesh = sc.Mesh(*cube())
    mesh.build()
    mesh.save(tmp_path / "cube.npz")
    return tmp_path / "cube.npz"


@pytest.fixture(autouse=True)
def cache(monkeypatch):
    """Return the cache of this process, empty."""
    fresh = mesh_cache.MeshCache(mesh_cache.most_bytes)
    monkeypatch.setattr("standalone_core.distributed.sources.meshes", fresh)
    return fresh


def test_a_file_is_read_once_for_all_chunks(rng, da, file, cache):
    origins, directions = rays_around(rng, (60,))
    chunked = da.from_array(origins, chunks=(7, 3))
    hits = sc.distributed.cast_rays(file, chunked, directions)
    assert cache.made == 0
    wanted = sc.Mesh(*cube()).cast_rays(origins, directions)
    assert_same_bits(hits.compute(), wanted)
    assert_same_bits(sc.distributed.cast_rays(str(file), chunked, directions).compute(), wanted)
    assert cache.made == 1


@pytest.mark.parametrize("change", ["other", "gone", "damaged"])
def test_a_file_that_is_not_what_it_was_is_an_error_that_names_it(da, file, change):
    origins = copies(da, (0.1, 0.2, 5), 4, 2)
    hits = sc.distributed.cast_rays(file, origins, DOWN)
    if change == "gone":
        file.unlink()
    else:
        moved = sc.Mesh(cube()[0] + 1, cube()[1])
        moved.save(file) if change == "other" else file.write_bytes(file.read_bytes()[:-9])
    reason = "cannot be read here" if change == "gone" else "has changed since"
    with pytest.raises(sc.errors.MeshFileError, match=rf"cube\.npz' {reason}"):
        hits.compute()


def test_a_file_of_no_mesh_is_an_error_that_names_it(da, tmp_path):
    (tmp_path / "no.npz").write_bytes(b"nothing")
    hits = sc.distributed.cast_rays(tmp_path / "no.npz", da.zeros((4, 3)), DOWN)
    with pytest.raises(sc.errors.MeshFileError, match=r"no\.npz'"):
        hits.compute()


def test_a_file_that_changes_while_it_is_read_is_an_error(da, file, monkeypatch):
    hits = sc.distributed.cast_rays(file, da.zeros((4, 3)), DOWN)

    def read(*arguments, load=sc.Mesh.load, **options):
        mesh = load(*arguments, **options)
        sc.Mesh(cube()[0] + 1, cube()[1]).save(file)
        return mesh

    monkeypatch.setattr(sc.Mesh, "load", read)
    with pytest.raises(sc.errors.MeshFileError, match=r"cube\.npz' changes while it is read"):
        hits.compute()


def gltf(buffer):
    return json.dumps({"asset": {"version": "2.0"}, "buffers": [buffer]}).encode()


def glb(buffer):
    text = gltf(buffer)
    sizes = (len(text).to_bytes(4, "little") for _ in range(2))
    return b"glTF" + (2).to_bytes(4, "little") + next(sizes) + next(sizes) + b"JSON" + text


WITHIN = {"byteLength": 3, "uri": "data:;base64," + base64.b64encode(b"abc").decode()}
BESIDE = {"byteLength": 3, "uri": "beside.bin"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.gltf", gltf(BESIDE)),
        ("a.GLTF", gltf(BESIDE)),
        ("a.glb", glb(BESIDE)),
        ("a.inp", b"*NODE\n1, 0, 0, 0\n*Include, INPUT=other.inp\n"),
        ("a.xdmf", b"<Xdmf/>"),
    ],
)
def test_a_file_with_parts_in_others_is_refused(da, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(sc.errors.MeshFileError, match="may have parts in other files"):
        sc.distributed.cast_rays(tmp_path / name, da.zeros((4, 3)), DOWN)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.gltf", gltf(WITHIN)),
        ("a.gltf", b"no json"),
        ("a.gltf", b'{"buffers": 3}'),
        ("a.glb", glb({"byteLength": 3})),
        ("a.glb", b""),
        ("a.inp", b"*NODE\n1, 0, 0, 0\n"),
        ("a.stl", gltf(BESIDE)),
    ],
)
def test_a_file_of_another_tool_that_is_whole_is_taken(da, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert sc.distributed.cast_rays(tmp_path / name, da.zeros((4, 3)), DOWN).face.shape == (4,)


def test_the_same_bytes_under_another_ending_are_another_mesh(da, tmp_path):
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    origins = copies(da, (0.2, 0.2, 1), 2, 2)
    for name in ("a.obj", "a.ply"):
        (tmp_path / name).write_text(text)
    hits = sc.distributed.cast_rays(tmp_path / "a.obj", origins, DOWN)
    assert hits.distance.compute().tolist() == [1.0, 1.0]
    with pytest.raises(sc.errors.MeshFileError, match=r"a\.ply'"):
        sc.distributed.cast_rays(tmp_path / "a.ply", origins, DOWN).distance.compute()
