# SPDX-License-Identifier: GPL-3.0-or-later
"""When the triangles and the tree of polygons are made, by whom, and what ends it."""

import itertools
import threading

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import polygon_mesh
from standalone_core.building.buildable import CancelledError

from ..polygon_meshes import assert_same_answers, both, quad_grid, questions
from ..questions import assert_same_bits, assert_same_hits


def test_the_owner_is_asked_only_for_open_faces_and_once(rng):
    polygons, plain, _, owner = both(rng, "numpy", (3, 4, 5))
    sizes = owner.sizes
    for one in zip(*questions(rng, plain), strict=True):
        polygons.ray_cast(*one)
    some = [face for call in owner.asked for face in call]
    assert 0 < len(some) == len(set(some)) < len(sizes)
    polygons.build()
    every = [face for call in owner.asked for face in call]
    assert len(owner.asked[-1]) == len(every) - len(some)
    ngons = set(np.flatnonzero(sizes > 4).tolist())
    assert ngons <= set(every)
    assert all(sizes[face] >= 4 for face in every)
    assert len(every) == len(set(every))


def test_a_thread_builds_and_leaves_the_owner_to_the_next_cast(rng):
    polygons, plain, _, owner = both(rng, "numpy", (4, 5))
    caller = threading.get_ident()
    threads = []
    polygons._splitter._split = lambda faces: threads.append(threading.get_ident()) or owner(faces)
    assert polygons.build_in_thread().wait(60)
    assert threads == []
    assert not polygons.built
    ray = tuple(part[0] for part in questions(rng, plain))
    assert_same_hits(polygons.ray_cast_all(*ray), plain.ray_cast_all(*ray))
    assert threads == [caller]
    assert polygons.build_in_thread().wait(60)
    assert polygons.built
    assert threads == [caller]
    assert_same_answers(rng, polygons, plain)


def test_the_caller_can_go_on_without_a_cast(rng):
    polygons, plain, _, owner = both(rng, "numpy", (4, 5))
    polygons.continue_build()
    assert owner.asked == []
    assert polygons.build_in_thread().wait(60)
    assert polygons.progress is not None
    polygons.continue_build()
    assert polygons.build_in_thread().wait(60)
    assert polygons.built
    assert polygons.progress is None
    assert len(owner.asked) == 1
    polygons.continue_build()
    assert_same_answers(rng, polygons, plain)


def test_a_thread_builds_all_of_what_needs_no_owner():
    vertices, corners = quad_grid(20)
    polygons = sc.PolygonMesh(vertices, corners, 4, building="never")
    shares = []
    build = polygons.build_in_thread(shares.append)
    assert build.wait(60)
    assert build.error is None
    assert polygons.built
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_the_second_cast_starts_the_thread_of_a_mesh_that_is_not_small(monkeypatch):
    vertices, corners = quad_grid(20)
    ray = (0.3, 0.4, 1), (0, 0, -1)
    for bound, started in ((399, True), (400, False)):
        monkeypatch.setattr(polygon_mesh, "_NO_TREE", bound)
        polygons = sc.PolygonMesh(vertices, corners, 4, building="thread")
        polygons.ray_cast(*ray)
        assert polygons._thread is None
        polygons.ray_cast(*ray)
        assert (polygons._thread is not None) == started
        if started:
            polygons._thread.wait(60)
        polygons.ray_cast(*ray)
        assert polygons.built == started


def test_a_mesh_of_its_own_accord_builds_when_scans_have_cost_as_much():
    vertices, corners = quad_grid(60)
    polygons = sc.PolygonMesh(vertices, corners, 4)
    casts = 0
    while not polygons.built:
        assert polygons.stats.scans == casts < 20_000
        polygons.ray_cast((0.3, 0.4, 1), (0, 0, -1))
        casts += 1
    assert polygons.stats.scans == casts - 1 > 0


def test_many_rays_build_at_once_and_few_do_not(monkeypatch):
    # How long a scan really takes depends on what else the machine does.
    ticks = itertools.count(0.0, 1e-5)
    clock = "standalone_core.building.buildable.time.perf_counter"
    monkeypatch.setattr(clock, lambda: next(ticks))
    vertices, corners = quad_grid(60)
    polygons = sc.PolygonMesh(vertices, corners, 4)
    polygons.cast_rays((0.3, 0.4, 1), np.tile((0, 0, -1.0), (3, 1)))
    assert (polygons.built, polygons.stats.scans) == (False, 3)
    monkeypatch.undo()
    polygons.cast_rays((0.3, 0.4, 1), np.tile((0, 0, -1.0), (5000, 1)))
    assert (polygons.built, polygons.stats.scans) == (True, 3)


def test_a_cancelled_build_leaves_a_mesh_that_scans():
    vertices, corners = quad_grid(20)
    polygons = sc.PolygonMesh(vertices, corners, 4, building="never")
    polygons.cancel()
    begun, go_on = threading.Event(), threading.Event()

    def progress(done):
        begun.set()
        go_on.wait(60)

    build = polygons.build_in_thread(progress)
    assert begun.wait(60)
    assert polygons.build_in_thread() is build
    polygons.cancel()
    assert polygons.ray_cast((0.3, 0.4, 1), (0, 0, -1)) is not None
    go_on.set()
    assert build.wait(60)
    assert build.error is None
    assert not polygons.built
    polygons.build()
    assert polygons.built


def test_what_a_progress_raises_ends_the_build():
    polygons = sc.PolygonMesh(*quad_grid(20), 4)

    def progress(done):
        raise CancelledError

    with pytest.raises(CancelledError):
        polygons.build(progress)
    assert not polygons.built


def test_a_build_that_failed_is_not_started_again_by_casts(monkeypatch):
    monkeypatch.setattr(polygon_mesh, "_NO_TREE", 0)
    polygons = sc.PolygonMesh(*quad_grid(20), 4, building="thread")

    def fail(*given):
        raise MemoryError

    monkeypatch.setattr(polygons._splitter, "triangulate", fail)
    for _ in range(4):
        assert polygons.ray_cast((0.3, 0.4, 1), (0, 0, -1)) is not None
    first = polygons._thread
    first.wait(60)
    polygons.ray_cast((0.3, 0.4, 1), (0, 0, -1))
    assert polygons._thread is first
    assert isinstance(first.error, MemoryError)


def test_rays_together_scan_while_a_thread_builds(rng):
    polygons, plain, _, _ = both(rng, "numpy", 4, building="thread")
    begun, go_on = threading.Event(), threading.Event()

    def progress(done):
        begun.set()
        go_on.wait(60)

    build = polygons.build_in_thread(progress)
    assert begun.wait(60)
    origins, directions, limits = questions(rng, plain)
    assert_same_bits(
        polygons.cast_rays(origins, directions, limits),
        plain.cast_rays(origins, directions, limits),
    )
    assert polygons.stats.scans == len(origins)
    go_on.set()
    build.wait(60)


def test_single_precision_is_let_go_when_there_is_a_tree():
    vertices, corners = quad_grid(30)
    polygons = sc.PolygonMesh(vertices, corners, 4)
    assert polygons.nbytes == vertices.nbytes + corners.nbytes
    polygons.build()
    assert polygons._polygons.vertices.dtype == np.float64
    stats = polygons.stats
    assert (stats.triangles, stats.vertices, stats.build_seconds > 0) == (1800, 961, True)
    assert polygons.nbytes == 2 * vertices.nbytes + corners.nbytes + 1800 * 12 + stats.nbytes


def test_the_progress_of_a_thread_is_told_while_it_runs():
    vertices, corners = quad_grid(20)
    polygons = sc.PolygonMesh(vertices, corners, 4, building="never")
    assert polygons.progress is None
    begun, go_on = threading.Event(), threading.Event()

    def progress(done):
        begun.set()
        go_on.wait(60)

    build = polygons.build_in_thread(progress)
    assert begun.wait(60)
    assert 0.0 <= polygons.progress <= 1.0
    go_on.set()
    assert build.wait(60)
    assert polygons.progress is None
    assert build.share == 1.0
