# SPDX-License-Identifier: GPL-3.0-or-later
"""A forked child goes on, whatever the other threads of its parent were in the middle of."""

import ast
import os
import threading
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.building.buildable import BetterTree
from standalone_core.concurrency import forks, threads
from standalone_core.concurrency.threads import ThreadLimit
from standalone_core.distributed.target import MeshCache
from standalone_core.distributed.workers import ThreadShare
from standalone_core.engines.numpy_engine import _Chunk
from standalone_core.instancing.placements import InstanceIndex

from .. import meshes
from ..forked import SOON, becomes_of, in_child, is_right_in_both, needs_forks


class Paused:
    """Something that is called, and once it is called waits until it may go on."""

    def __init__(self, function=lambda *_: None):
        self._function = function
        self.begun, self.may_end = threading.Event(), threading.Event()

    def __call__(self, *arguments):
        self.begun.set()
        assert self.may_end.wait(SOON)
        return self._function(*arguments)


@contextmanager
def meanwhile(work, paused):
    """Let a thread come to where it is paused; it goes on after the block."""
    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert paused.begun.wait(SOON)
        yield
    finally:
        paused.may_end.set()
        thread.join(SOON)
    assert not thread.is_alive()


# Locks, and values that are kept


@needs_forks
def test_a_lock_that_another_thread_holds_is_free_in_a_child():
    lock, paused = forks.Lock(), Paused()

    def hold():
        with lock.here:
            paused()

    def take():
        with lock.here:
            return True

    with meanwhile(hold, paused):
        assert in_child(take) == ""
        assert lock.here.locked()
    assert not lock.here.locked()


@needs_forks
def test_a_thread_that_forks_lets_go_of_a_lock_in_both_processes():
    lock = forks.Lock()
    with lock.here:
        child = os.fork()
    is_free = not lock.here.locked()
    if not child:
        os._exit(0 if is_free else 1)
    assert becomes_of(child) == ""
    assert is_free


@needs_forks
def test_all_locks_are_free_in_a_child_while_threads_make_others():
    stop, kept = threading.Event(), [forks.Lock()]

    def make():
        while not stop.is_set():
            kept[:] = [forks.Lock() for _ in range(1000)]

    making = [threading.Thread(target=make) for _ in range(2)]
    for each in making:
        each.start()
    try:
        held = forks.Lock()
        held.here.acquire()
        for _ in range(20):
            assert in_child(lambda: not held.here.locked()) == ""
    finally:
        stop.set()
        for each in making:
            each.join(SOON)


class Computed:
    def __init__(self, compute):
        self.compute = compute

    @forks.cached
    def value(self):
        """What is computed."""
        return self.compute()


def test_a_cached_value_is_computed_once():
    asked = Computed(lambda: [1])
    assert asked.value is asked.value
    assert vars(asked)["value"] is asked.value
    assert Computed.value.__doc__ == "What is computed."


def test_threads_that_compute_a_cached_value_together_get_the_same():
    both = threading.Barrier(2, timeout=SOON)

    def compute():
        both.wait()
        return []

    asked, found = Computed(compute), []
    asking = [threading.Thread(target=lambda: found.append(asked.value)) for _ in range(2)]
    for each in asking:
        each.start()
    for each in asking:
        each.join(SOON)
    assert len(found) == 2
    assert found[0] is found[1] is asked.value


@needs_forks
def test_a_child_computes_a_value_that_another_thread_was_computing():
    paused = Paused(lambda: 3)
    asked, other = Computed(paused), Computed(lambda: 4)

    def ask():
        paused.may_end.set()
        return (asked.value, other.value) == (3, 4)

    with meanwhile(lambda: asked.value, paused):
        assert in_child(ask) == ""


# What a fork waits for


@pytest.fixture
def awaited(monkeypatch):
    """A function that makes a lock which forks wait for so many seconds, until the test ends."""
    monkeypatch.setattr(forks, "_awaited", [*forks._awaited])
    return forks.AwaitedLock


@needs_forks
@pytest.mark.parametrize("lock", forks._awaited)
def test_a_fork_waits_for_what_a_child_must_not_find_half_done(lock):
    held, done = threading.Event(), []

    def work():
        with lock.here:
            held.set()
            time.sleep(0.2)
            done.append(True)

    def free():
        with lock.here:
            return done == [True] and not lock.was_cut

    thread = threading.Thread(target=work)
    thread.start()
    assert held.wait(SOON)
    assert in_child(free) == ""
    thread.join(SOON)
    assert lock.here.acquire(timeout=SOON)
    lock.here.release()


@needs_forks
def test_a_fork_waits_while_the_compiled_engine_calculates_and_changes():
    """The fork held the lock for linear algebra, and waited for an engine that wanted that."""
    held, go = threading.Event(), threading.Event()

    def work():
        with forks.compiling.here:
            held.set()
            assert go.wait(SOON)
            time.sleep(0.1)
            for lock in forks._awaited:
                with lock.here:
                    pass

    thread = threading.Thread(target=work)
    thread.start()
    assert held.wait(SOON)
    go.set()
    assert in_child(lambda: not any(lock.was_cut for lock in forks._awaited)) == ""
    thread.join(SOON)


@needs_forks
def test_a_fork_does_not_wait_for_ever_and_the_child_knows_that_something_was_cut(awaited):
    lock, paused = awaited(0.01), Paused()

    def work():
        with lock.here:
            paused()

    def free():
        with lock.here:
            return lock.was_cut

    with meanwhile(work, paused):
        assert in_child(free) == ""
    assert lock.here.acquire(timeout=SOON)


@needs_forks
def test_a_thread_that_forks_in_a_change_does_not_wait_for_itself():
    def free():
        with forks.changing.here:
            return not forks.changing.was_cut

    with forks.changing.here:
        assert in_child(free) == ""
    assert not forks.changing._held
    assert not forks.changing._waiting


@needs_forks
def test_long_work_lets_forks_go_on_where_it_pauses(awaited):
    lock, held, stop = awaited(SOON), threading.Event(), threading.Event()

    def work():
        with lock.here:
            held.set()
            while not stop.is_set():
                lock.pause()
                time.sleep(0.001)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert held.wait(SOON)
        assert in_child(lambda: lock.was_cut and lock.here.acquire(timeout=SOON)) == ""
    finally:
        stop.set()
        thread.join(SOON)
    assert not thread.is_alive()


# Calls that threads share


@needs_forks
def test_a_child_goes_on_with_a_call_in_whose_middle_it_was_forked():
    """The fork waits for what the helpers have begun: the child has no helpers to do it."""
    caller, begun, forking = threading.current_thread(), threading.Event(), threading.Event()

    def work(fork):
        def square(x):
            if threading.current_thread() is not caller:
                begun.set()
                assert forking.wait(SOON)
                time.sleep(0.1)
            elif not forking.is_set():
                assert begun.wait(SOON)
                forking.set()
                fork()
            return x * x

        with ThreadLimit(3):
            results = threads.on_all_cores(square, iter(range(30)), 10**9)
        return results == [x * x for x in range(30)]

    assert is_right_in_both(work)
    assert not threads._under_way


@needs_forks
def test_a_call_whose_helper_is_left_behind_fails_in_the_child(monkeypatch):
    """Where the helper did not end in time; to wait for it would be for ever."""
    monkeypatch.setattr(threads, "_FORK_PATIENCE", 0.01)
    caller, paused = threading.current_thread(), Paused()

    def work(fork):
        def call(number):
            if threading.current_thread() is not caller:
                paused()
            elif paused.begun.wait(SOON) and fork():
                paused.may_end.set()
            return number

        with ThreadLimit(2):
            try:
                return threads.on_all_cores(call, range(2), 10**9) == [0, 1]
            except RuntimeError as error:
                return not paused.may_end.is_set() and "left behind" in str(error)

    assert is_right_in_both(work)


def test_a_fork_waits_for_all_helpers_together_not_for_each_in_turn(monkeypatch):
    """Fifteen that were busy held it up for 75 seconds."""
    caller, busy, may_end = threading.current_thread(), threading.Barrier(8), threading.Event()
    seconds = count(1)
    monkeypatch.setattr(threads, "time", SimpleNamespace(monotonic=lambda: next(seconds)))

    def call(number):
        busy.wait(SOON)
        if threading.current_thread() is not caller:
            assert may_end.wait(SOON)
            return number
        threads._before_fork()
        may_end.set()
        return next(seconds)

    with ThreadLimit(8):
        found = threads.on_all_cores(call, range(8), 10**9)
    assert max(found) <= threads._FORK_PATIENCE + 8  # each look at the clock takes a second


# Meshes, polygons and scenes


@needs_forks
@pytest.mark.parametrize("name", ["_axes", "_items"])
def test_a_child_casts_while_another_thread_prepared_a_chunk_of_rays(monkeypatch, name):
    """Two children of twelve hung: Python 3.11's cached_property has one lock for all objects."""
    mesh = sc.Mesh(*meshes.torus(20, 12), engine="numpy")
    mesh.build()
    rays = np.linspace(-1, 1, 300)[:, None] * (1.0, 0.3, 0.0) + (0, 0, 3), (0.0, 0.0, -1.0)
    expected = mesh.cast_rays(*rays)
    kept = vars(_Chunk)[name]
    paused = Paused(kept._function)
    monkeypatch.setattr(kept, "_function", paused)

    def cast():
        paused.may_end.set()
        return mesh.cast_rays(*rays) == expected

    with meanwhile(lambda: mesh.cast_rays(*rays), paused):
        assert in_child(cast) == ""


@needs_forks
def test_a_child_finds_a_mesh_refitted_or_not_and_its_scene_follows(monkeypatch):
    mesh = sc.Mesh(*meshes.cube(), engine="numpy")
    scene = sc.Scene()
    scene.add(mesh)
    assert scene.bounds[1][0] < 2.0
    begun, announce = threading.Event(), sc.Mesh._announce

    def announce_slowly():
        begun.set()
        time.sleep(0.2)
        announce()

    monkeypatch.setattr(sc.Mesh, "_announce", staticmethod(announce_slowly))
    thread = threading.Thread(target=lambda: mesh.refit(mesh.vertices + 5))
    thread.start()
    assert begun.wait(SOON)
    assert in_child(lambda: mesh.revision == 1 and scene.bounds[1][0] > 2.0) == ""
    thread.join(SOON)


@needs_forks
def test_a_child_finds_all_instances_of_a_change_moved_or_none():
    scene, begun = sc.Scene(), threading.Event()
    ids = scene.add_many(sc.Mesh(*meshes.cube(), engine="numpy"), [np.eye(4)] * 2)
    before = scene.bounds[1][0]

    class Slow(dict):
        def __setitem__(self, key, value):
            super().__setitem__(key, value)
            begun.set()
            time.sleep(0.1)

    scene._instances = Slow(scene._instances)
    away = np.eye(4)
    away[0, 3] = 5.0
    thread = threading.Thread(target=lambda: scene.set_matrices(ids, [away] * 2))
    thread.start()
    assert begun.wait(SOON)

    def moved():
        scene._instances = dict(scene._instances)
        return all(scene[each].matrix[0, 3] == 5.0 for each in ids) and scene.bounds[1][0] > before

    assert in_child(moved) == ""
    thread.join(SOON)


@needs_forks
def test_a_child_of_a_process_that_indexes_a_scene_indexes_it_itself(monkeypatch):
    """The fork does not wait, however long it takes; nothing is half done."""
    scene = sc.Scene()
    scene.add(sc.Mesh(*meshes.cube(), engine="numpy"))
    expected = sc.Scene()
    expected.add(sc.Mesh(*meshes.cube(), engine="numpy"))
    wanted = expected.bounds[1].tolist()
    paused = Paused(InstanceIndex.of)
    monkeypatch.setattr(InstanceIndex, "of", paused)

    def bounds():
        paused.may_end.set()
        return scene.bounds[1].tolist() == wanted and scene.add(sc.Mesh(*meshes.cube())) == 1

    with meanwhile(lambda: scene.bounds, paused):
        assert in_child(bounds) == ""


@needs_forks
@pytest.mark.parametrize("maker", ["mesh", "better tree", "mesh cache", "thread share"])
def test_a_child_finds_the_locks_of_objects_free(maker):
    made = {
        "mesh": lambda: sc.Mesh(*meshes.cube()),
        "better tree": lambda: BetterTree(3),
        "mesh cache": lambda: MeshCache(lambda: 1),
    }
    paused = Paused()
    if maker == "thread share":
        share = ThreadShare(2)

        def hold():
            with share._change.here:
                paused()

        def take():
            with share.held() as count:
                return count == 2
    else:
        owner = made[maker]()

        def hold():
            with owner._lock.here:
                paused()

        def take():
            return not owner._lock.here.locked()

    with meanwhile(hold, paused):
        assert in_child(take) == ""


# The rule


CORE = Path(sc.__file__).parent


def products(path):
    """The lines of a file where NumPy may call BLAS or LAPACK."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        is_product = isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(
            node.op, ast.MatMult
        )
        names = {"dot", "inner", "linalg", "matmul", "tensordot", "vdot"}
        of_numpy = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if is_product or (of_numpy and node.value.id == "np" and node.attr in names):
            yield node.lineno


def test_a_fork_can_wait_for_all_linear_algebra_of_the_core():
    found = {path.relative_to(CORE).as_posix(): [*products(path)] for path in CORE.rglob("*.py")}
    assert {name for name, lines in found.items() if lines} == {"numerics/vectors.py"}
