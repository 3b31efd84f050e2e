# SPDX-License-Identifier: GPL-3.0-or-later
"""Files, read where the casts are if they are what they were; meshes that a process keeps."""

import base64
import json
import threading

import pytest

import standalone_core as sc
from standalone_core.distributed.target import MeshCache, most_bytes, nbytes_of

from ..meshes import cube, torus
from .helpers import assert_same_bits, copies, rays_around

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
    fresh = MeshCache(most_bytes)
    monkeypatch.setattr("standalone_core.distributed.target.meshes", fresh)
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


def made(_=None):
    return sc.Mesh(*cube())


SIZE = made().nbytes


def test_what_is_there_is_not_made_again():
    cache = MeshCache(lambda: 10 * SIZE)
    first = cache.get("a", made)
    assert cache.get("a", made) is first
    assert (cache.made, len(cache)) == (1, 1)


def test_those_used_last_are_kept():
    cache = MeshCache(lambda: 2 * SIZE)
    a, b = cache.get("a", made), cache.get("b", made)
    assert cache.get("a", made) is a
    cache.get("c", made)
    assert (cache.get("a", made) is a, cache.made) == (True, 3)
    assert cache.get("b", made) is not b


def test_one_that_is_too_large_is_kept_alone():
    cache = MeshCache(lambda: SIZE - 1)
    cache.get("a", made)
    large = cache.get("b", made)
    assert len(cache) == 1
    assert cache.get("b", made) is large


def test_a_tree_that_came_later_counts():
    cache = MeshCache(lambda: nbytes_of(mesh) + SIZE)
    mesh = sc.Mesh(*torus(60, 40))
    cache.get("a", lambda: mesh)
    limit = mesh.nbytes + SIZE
    cache = MeshCache(lambda: limit)
    cache.get("a", lambda: mesh)
    mesh.build()
    cache.get("b", made)
    assert len(cache) == 1


def test_threads_that_want_the_same_wait_for_one_to_make_it():
    cache, gate, found = MeshCache(lambda: 9 * SIZE), threading.Event(), []

    def slowly():
        gate.wait(60)
        return made()

    threads = [
        threading.Thread(target=lambda: found.append(cache.get("a", slowly))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    assert cache.get("b", made) is not None  # which does not wait for "a"
    gate.set()
    for thread in threads:
        thread.join()
    assert (len({id(mesh) for mesh in found}), cache.made) == (1, 2)


def test_what_could_not_be_made_is_tried_again():
    cache = MeshCache(lambda: 9 * SIZE)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 / 0)
    assert len(cache) == 0
    assert cache.get("a", made) is cache.get("a", made)


def test_a_scene_has_the_size_of_its_meshes_each_once():
    scene, mesh = sc.Scene(), made()
    scene.add(mesh)
    scene.add(mesh, name="again")
    assert nbytes_of(scene) == mesh.nbytes == SIZE


def test_a_variable_says_how_much_is_kept(monkeypatch):
    monkeypatch.delenv("RAYPICK_MESH_CACHE", raising=False)
    assert most_bytes() == 1 << 30
    monkeypatch.setenv("RAYPICK_MESH_CACHE", " 4096 ")
    assert most_bytes() == 4096
    monkeypatch.setenv("RAYPICK_MESH_CACHE", "4 GB")
    with pytest.raises(sc.errors.ArgumentError, match="whole number of bytes, not '4 GB'"):
        most_bytes()


def test_one_that_is_being_made_is_not_made_again_where_room_is_short():
    cache, begun, gate, found = MeshCache(lambda: 1), threading.Event(), threading.Event(), []

    def slowly():
        begun.set()
        gate.wait(60)
        return made()

    def get():
        found.append(cache.get("a", slowly))

    threads = [threading.Thread(target=get) for _ in range(2)]
    threads[0].start()
    begun.wait(60)
    b = cache.get("b", made)
    assert cache.get("b", made) is b  # "a" is none yet that it would have to make room for
    threads[1].start()
    gate.set()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]
    assert cache.made == 2
