# SPDX-License-Identifier: GPL-3.0-or-later
"""Building a mesh's tree in a thread: what can be asked meanwhile, and what ends it."""

import itertools
import threading

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import bvh, tree_mesh
from standalone_core.building import buildable
from standalone_core.building.buildable import RentOrBuy, TreeBuild
from standalone_core.concurrency.threads import ThreadLimit, thread_count
from standalone_core.tree_mesh import TreeMesh

from .. import meshes
from ..meshes import HALVES, SQUARE
from ..questions import assert_same_bits, assert_same_hits, toward

SOON = 30.0
"""Seconds that are enough for anything here, on any machine."""

SHAPE = meshes.torus(60, 40)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    """Have a build report often."""
    monkeypatch.setattr(bvh.build, "_BLOCK", 1024)


@pytest.fixture
def mesh():
    """A mesh that is scanned until it is told to build."""
    return sc.Mesh(*SHAPE, building="never", engine="numpy")


@pytest.fixture
def gate():
    """Progress that holds a build, and lets it go in the end."""
    held = Gate()
    yield held
    held.go.set()


class Gate:
    """Progress that holds the build at half of its way, until it is told to go on."""

    def __init__(self):
        self.reached, self.go = threading.Event(), threading.Event()

    def __call__(self, done):
        if done >= 0.4 and not self.reached.is_set():
            self.reached.set()
            assert self.go.wait(SOON)


def assert_answers(rng, mesh, vertices=SHAPE[0]):
    """The mesh gives the hits of one that only scans."""
    rays = toward(rng, vertices, SHAPE[1], 10)
    plain = sc.Mesh(vertices, SHAPE[1], building="never")
    assert_same_bits(mesh.cast_rays(*rays), plain.cast_rays(*rays))
    for ray in zip(*rays, strict=True):
        assert_same_hits(mesh.ray_cast_all(*ray), plain.ray_cast_all(*ray))


# The thread


def test_a_build_runs_in_a_thread_of_its_own_and_ends():
    threads, told = [], []

    def build(report):
        threads.append(threading.current_thread())
        report(0.5)

    one = TreeBuild(build, told.append)
    assert one.wait(SOON)
    assert one.done
    assert one.error is None
    assert threads != [threading.main_thread()]
    assert not threads[0].is_alive()
    assert told == [0.5]


def test_waiting_ends_with_the_time_that_is_given():
    go = threading.Event()
    one = TreeBuild(lambda report: go.wait(SOON), lambda done: None)
    assert not one.wait(0.01)
    assert not one.done
    go.set()
    assert one.wait()


def test_a_cancelled_build_ends_at_its_next_report_and_tells_nobody():
    go, told, ended = threading.Event(), [], []

    def build(report):
        report(0.25)
        go.wait(SOON)
        report(0.5)
        ended.append(True)

    one = TreeBuild(build, told.append)
    one.cancel()
    go.set()
    assert one.wait(SOON)
    assert one.error is None
    assert ended == []
    assert 0.5 not in told


@pytest.mark.parametrize("error", [ValueError("bad"), KeyboardInterrupt(), MemoryError()])
def test_what_a_build_or_its_progress_raises_is_kept(error):
    def fail(_):
        raise error

    for build, progress in ((fail, fail), (lambda report: report(0.5), fail)):
        one = TreeBuild(build, progress)
        assert one.wait(SOON)
        assert one.error is error


# The mesh


@pytest.mark.parametrize("threaded", [False, True])
def test_the_progress_of_a_build_goes_from_0_to_1(mesh, threaded):
    told = []
    if threaded:
        assert mesh.build_in_thread(told.append).wait(SOON)
    else:
        mesh.build(told.append)
    assert told[0] == 0
    assert told[-1] == 1
    assert len(told) > 4
    assert all(a <= b for a, b in itertools.pairwise(told))


@pytest.mark.parametrize("engine", ["auto", "numpy"])
def test_a_tree_that_was_built_in_a_thread_is_as_good_as_any(rng, engine):
    threaded, plain = (sc.Mesh(*SHAPE, building="never", engine=engine) for _ in range(2))
    one = threaded.build_in_thread()
    assert one.wait(SOON)
    assert one.error is None
    assert threaded.stats.build_seconds > 0
    threaded.validate()
    plain.build()
    assert threaded.stats.nodes == plain.stats.nodes
    assert_answers(rng, threaded)


def test_casts_go_on_by_scans_while_a_tree_is_built(rng, mesh, gate):
    one = mesh.build_in_thread(gate)
    assert gate.reached.wait(SOON)
    assert_answers(rng, mesh)
    assert mesh.tree is None
    assert mesh.stats.scans == 20
    assert not one.done
    gate.go.set()
    assert one.wait(SOON)
    assert mesh.tree is not None
    assert_answers(rng, mesh)
    assert mesh.stats.scans == 20


@pytest.mark.parametrize("building", ["auto", "thread"])
def test_no_cast_waits_for_a_build_that_was_started_in_a_thread(rng, gate, building):
    mesh = sc.Mesh(*SHAPE, building=building, engine="numpy")
    mesh.build_in_thread(gate)
    assert gate.reached.wait(SOON)
    rays = toward(rng, *SHAPE, 200)
    caster = threading.Thread(target=mesh.cast_rays, args=rays)
    caster.start()
    caster.join(SOON)
    waited = caster.is_alive()
    gate.go.set()
    caster.join(SOON)
    assert not waited


def test_a_build_that_is_under_way_is_not_started_again(mesh, gate):
    one = mesh.build_in_thread(gate)
    assert gate.reached.wait(SOON)
    assert mesh.build_in_thread() is one
    gate.go.set()
    mesh.build()
    assert one.done
    tree = mesh.tree
    assert mesh.build_in_thread().wait(SOON)
    mesh.build()
    assert mesh.tree is tree


def test_a_cancelled_build_leaves_no_tree_and_a_mesh_that_answers(rng, mesh, gate):
    one = mesh.build_in_thread(gate)
    assert gate.reached.wait(SOON)
    one.cancel()
    gate.go.set()
    assert one.wait(SOON)
    assert one.error is None
    assert mesh.tree is None
    assert mesh.stats.build_seconds == 0
    assert_answers(rng, mesh)
    again = mesh.build_in_thread()
    assert again is not one
    assert again.wait(SOON)
    assert mesh.tree is not None
    assert_answers(rng, mesh)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("threaded", [False, True])
def test_an_error_in_the_progress_ends_the_build_and_nothing_else(rng, mesh, share, threaded):
    def fail(done):
        if done >= share:
            raise ArithmeticError(done)

    if threaded:
        one = mesh.build_in_thread(fail)
        assert one.wait(SOON)
        assert type(one.error) is ArithmeticError
    else:
        with pytest.raises(ArithmeticError):
            mesh.build(fail)
    assert mesh.tree is None
    assert_answers(rng, mesh)
    mesh.build()
    mesh.validate()
    assert_answers(rng, mesh)


def test_a_refit_during_a_build_leaves_no_stale_tree(rng, mesh, gate):
    one = mesh.build_in_thread(gate)
    assert gate.reached.wait(SOON)
    moved = SHAPE[0] * 2 + 7
    mesh.refit(moved)
    gate.go.set()
    assert one.wait(SOON)
    assert mesh.tree is None
    assert_answers(rng, mesh, moved)
    mesh.build()
    mesh.validate()
    assert_answers(rng, mesh, moved)


def test_refits_at_any_time_of_a_build_leave_no_stale_tree_and_no_stale_bounds(rng, mesh):
    for shift in range(30):
        one = mesh.build_in_thread()
        one.wait(rng.uniform(0, 4e-3))
        moved = SHAPE[0] + shift * 10.0
        mesh.refit(moved)
        mesh.validate()
        assert one.wait(SOON)
        mesh.validate()
        np.testing.assert_array_equal(mesh.bounds, [moved.min(axis=0), moved.max(axis=0)])
        if shift % 3 == 0:
            mesh.build()


def test_bounds_that_a_build_was_about_to_keep_are_not_kept_after_a_refit(monkeypatch, mesh):
    began, go, bound = threading.Event(), threading.Event(), tree_mesh.finite_bounds

    def slowly(vertices):
        result = bound(vertices)
        if threading.current_thread() is not threading.main_thread():
            began.set()
            assert go.wait(SOON)
        return result

    monkeypatch.setattr(tree_mesh, "finite_bounds", slowly)
    one = mesh.build_in_thread()
    assert began.wait(SOON)
    moved = SHAPE[0] + 100
    mesh.refit(moved)
    go.set()
    assert one.wait(SOON)
    np.testing.assert_array_equal(mesh.bounds, [moved.min(axis=0), moved.max(axis=0)])


def test_a_mesh_that_builds_in_a_thread_by_itself_never_changes_its_answers(rng):
    mesh = sc.Mesh(*SHAPE, building="thread", engine="numpy")
    plain = sc.Mesh(*SHAPE, building="never")
    rays = toward(rng, *SHAPE, 600)
    first = mesh.cast_rays(*(part[:1] for part in rays))
    assert mesh.stats.scans == 1
    for start in range(0, 600, 100):
        part = [column[start : start + 100] for column in rays]
        assert_same_bits(mesh.cast_rays(*part), plain.cast_rays(*part))
    assert first.hit.all()
    assert mesh.build_in_thread().wait(SOON)
    assert mesh.stats.nodes > 0
    mesh.validate()
    scans = mesh.stats.scans
    assert_answers(rng, mesh)
    assert mesh.stats.scans == scans


def test_a_thread_that_finds_a_tree_built_another():
    mesh = sc.Mesh(SQUARE, HALVES)
    mesh.build()
    tree = mesh.tree
    assert mesh.build_in_thread().wait(60)
    assert mesh.tree is tree


# How many threads it may use


@pytest.fixture
def counts(monkeypatch):
    """How many threads each build of a tree may use."""
    found = []
    build = TreeMesh._build

    def counted(mesh, progress):
        found.append(thread_count())
        build(mesh, progress)

    monkeypatch.setattr(TreeMesh, "_build", counted)
    return found


def polygon_mesh(split=None):
    """The same triangles as polygons; each is asked for where `split` is given."""
    vertices, triangles = SHAPE
    if split is None:
        return sc.PolygonMesh(vertices, triangles.ravel(), 3, building="never", engine="numpy")
    return sc.PolygonMesh(*HOUSE, split, building="never", engine="numpy")


HOUSE = ([(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0)], [0, 1, 2, 3, 4], 5)
"""A polygon that only a function can split, as :class:`PolygonMesh` takes it."""


def test_a_build_uses_as_many_threads_as_it_is_told(mesh, counts):
    mesh.build(threads=3)
    polygon_mesh().build(threads=2)
    assert counts == [3, 2]


def test_a_build_in_a_thread_does_too(mesh, counts):
    mesh.build_in_thread(threads=3).wait(SOON)
    polygon_mesh().build_in_thread(threads=2).wait(SOON)
    assert counts == [3, 2]


def test_a_build_that_a_cast_begins_uses_as_many_as_the_cast(counts):
    with ThreadLimit(3):
        mesh = sc.Mesh(*SHAPE, building="thread", engine="numpy")
        mesh.cast_rays(np.full((1000, 3), 9.0), (0, 0, -1))
    assert mesh._thread.wait(SOON)
    assert counts == [3]


def test_a_build_goes_on_with_as_many_threads_as_it_began_with(counts):
    mesh = polygon_mesh(lambda faces: np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4)]))
    assert mesh.build_in_thread(threads=3).wait(SOON)
    assert counts == []
    mesh.continue_build()
    assert mesh._thread.wait(SOON)
    assert counts == [3]


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_a_wrong_number_of_threads_builds_nothing(mesh, threads):
    for build in (mesh.build, mesh.build_in_thread):
        with pytest.raises(sc.errors.ArgumentError, match="threads"):
            build(threads=threads)
    assert mesh.tree is None
    assert mesh._thread is None


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves by hand."""
    now = [0.0]
    monkeypatch.setattr(buildable.time, "perf_counter", lambda: now[0])

    def run(activity, seconds):
        with activity():
            now[0] += seconds

    return run


def scans_until_build(account, clock, seconds):
    spent = 0
    while not account.should_build(1):
        clock(account.scanning, seconds)
        spent += 1
        assert spent < 10**6
    return spent


@pytest.mark.parametrize("seconds", [1e-3, 0.05, 10.0])
def test_a_tree_is_built_once_the_scans_have_cost_as_much(clock, seconds):
    price = buildable._BUILD_SECONDS * 1_000_000
    account = RentOrBuy(1_000_000)
    scans = scans_until_build(account, clock, seconds)
    assert account.scan_seconds == pytest.approx(scans * seconds)
    assert (scans - 1) * seconds < price * (1 + 1e-9)
    assert scans * seconds >= price * (1 - 1e-9)


def test_the_dearer_a_scan_the_sooner_the_build(clock):
    counts = [scans_until_build(RentOrBuy(100_000), clock, s) for s in (1e-4, 1e-3, 1e-2)]
    assert counts[0] > counts[1] > counts[2] >= 1


def test_the_first_ray_never_builds():
    for triangles in (1, 1000, 10**8):
        assert not RentOrBuy(triangles).should_build(1)


def test_a_batch_that_would_cost_more_than_a_build_builds_at_once():
    account = RentOrBuy(10_000)
    assert not account.should_build(2)
    assert account.should_build(10_000)


def test_scans_and_seconds_are_counted(clock):
    account = RentOrBuy(100)
    for _ in range(3):
        clock(account.scanning, 0.25)
    clock(account.building, 2.0)
    assert (account.scans, account.scan_seconds, account.build_seconds) == (3, 0.75, 2.0)


def test_an_empty_mesh_has_an_account_too():
    assert isinstance(RentOrBuy(0).should_build(1), bool)
