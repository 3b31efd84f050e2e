# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes that a process keeps: each made once, the last used kept, as many as fit."""

import threading

import pytest

import standalone_core as sc
from standalone_core.distributed.mesh_cache import MeshCache, most_bytes, nbytes_of

from ..meshes import cube, torus


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
