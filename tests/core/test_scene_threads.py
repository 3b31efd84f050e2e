# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene that some threads change while others cast at it, pickle it, or make its index."""

import copy
import pickle
import sys
import threading

import numpy as np

import standalone_core as sc
from standalone_core import scene as scene_module

from . import meshes
from .meshes import HALVES, SQUARE

DOWN = (0, 0, -1)


class SlowToMeasure(sc.Mesh):
    """A square whose bounds are not told to a thread of the name "caster" before `go`."""

    def __init__(self):
        super().__init__(SQUARE, HALVES)
        self.asked, self.go = threading.Event(), threading.Event()

    @property
    def bounds(self):
        found = super().bounds
        if threading.current_thread().name == "caster":
            self.asked.set()
            assert self.go.wait(60)
        return found


def test_a_move_beside_a_cast_that_made_the_index_was_lost():
    mesh, scene = SlowToMeasure(), sc.Scene()
    instance = scene.add(mesh)
    caster = threading.Thread(target=scene.ray_cast, args=((0.1, 0.2, 5), DOWN), name="caster")
    mover = threading.Thread(
        target=scene.set_matrix, args=(instance, meshes.placement(offset=(50, 0, 0)))
    )
    caster.start()
    assert mesh.asked.wait(60)
    mover.start()
    mover.join(0.1)
    mesh.go.set()
    caster.join()
    mover.join()
    assert scene.ray_cast((50.1, 0.2, 5), DOWN).instance == instance


def test_casts_beside_changes_of_a_scene_raised_python_errors():
    scene, failures, over = sc.Scene(), [], threading.Event()
    mesh = sc.Mesh(SQUARE, HALVES)
    scene.add(mesh)

    def cast():
        try:
            while not over.is_set():
                hit = scene.ray_cast((0.1, 0.2, 5), DOWN, exclude=[0])
                assert hit is None or hit.instance > 0
                assert scene.ray_cast((0.1, 0.2, 5), DOWN, exclude=[0], only=[0]) is None
                assert list(scene)
                assert scene.cast_rays([(0.1, 0.2, 5)], DOWN).hit.all()
        except Exception as failure:
            failures.append(failure)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=cast) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(300):
            added = scene.add(mesh)
            scene.set_matrix(added, np.eye(4))
            scene.remove(added)
    finally:
        over.set()
        sys.setswitchinterval(before)
        for thread in threads:
            thread.join()
    assert failures == []


def test_pickling_a_scene_beside_changes_raised_and_a_copy_shared_its_instances():
    scene, mesh, over = sc.Scene(), sc.Mesh(SQUARE, HALVES), threading.Event()
    scene.add_many(mesh, [np.eye(4)] * 500)

    def change():
        while not over.is_set():
            scene.remove(scene.add(mesh))

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(20):
            again = pickle.loads(pickle.dumps(scene))
            assert max(again) < again.add(mesh)
    finally:
        over.set()
        changer.join()
    copied = copy.copy(scene)
    copied.add(mesh)
    assert (len(scene), len(copied)) == (500, 501)


def test_threads_made_the_same_index_one_after_the_other(monkeypatch):
    made, start = [], threading.Barrier(4)

    class Counted(scene_module.InstanceIndex):
        @classmethod
        def of(cls, instances):
            made.append(threading.current_thread())
            return super().of(instances)

    def cast():
        start.wait(60)
        assert scene.ray_cast((0.1, 0.2, 5), DOWN).instance == 0

    monkeypatch.setattr(scene_module, "InstanceIndex", Counted)
    scene = sc.Scene()
    scene.add_many(sc.Mesh(SQUARE, HALVES), np.tile(np.eye(4), (2_000, 1, 1)))
    threads = [threading.Thread(target=cast) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
