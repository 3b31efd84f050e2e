# SPDX-License-Identifier: GPL-3.0-or-later
"""How the compiled engine comes, and what becomes of it when the process ends or forks.

Until then NumPy's work is counted, told, and left to it where it comes.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.concurrency import forks
from standalone_core.engines import numpy_engine
from standalone_core.engines.numba import compiling, kernel_cache
from standalone_core.engines.numba.compiling import TimedEngine

from ... import meshes, new_engine
from ...forked import SOON, in_child, needs_forks
from ...questions import assert_same_bits, toward

ROOT = Path(sc.__file__).parents[1]

BEGIN = """
import os, sys, time, warnings
import standalone_core as sc
from standalone_core.engines.numba import compiling, kernel_cache
mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
ray = (0.25, 0.25, 1), (0, 0, -1)
"""


@pytest.fixture
def warm(request):
    """See that numba is there, and all kernels are kept: no test is to wait for a compiler."""
    pytest.importorskip("numba")
    compiling.engine(wait=True)


def run(code, timeout=SOON):
    """What a script that ends well has printed, and when it ended."""
    command = [sys.executable, "-X", "dev", "-c", BEGIN + code]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=timeout
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


# Which engine answers


def test_a_mesh_tells_which_engine_answers_now(engine):
    shapes = [
        sc.Mesh(*meshes.cube(), engine=engine),
        sc.PolygonMesh(sc.Mesh(*meshes.cube()).vertices, [0, 1, 2], 3, engine=engine),
    ]
    for mesh in shapes:
        assert mesh.wanted_engine == engine
        mesh.build()
        assert mesh.engine == engine


def test_a_mesh_that_waits_for_compiled_code_says_that_numpy_answers(monkeypatch):
    monkeypatch.setattr(compiling, "_engine", None)
    mesh = sc.Mesh(*meshes.cube())
    assert (mesh.engine, mesh.wanted_engine) == ("numpy", "auto")


def test_a_warning_says_so_where_numpy_answers_for_the_compiled_engine(monkeypatch):
    monkeypatch.setattr(compiling, "_is_installed", lambda: True)
    monkeypatch.setattr(compiling, "_reason", None)
    mesh = sc.Mesh(*meshes.cube(), engine="numba")
    plain = sc.Mesh(*meshes.cube(), engine="numpy")
    plain.build()
    monkeypatch.setattr(compiling, "_engine", None)
    monkeypatch.setattr(compiling, "_thread", threading.Thread())
    monkeypatch.setattr(compiling, "engine", lambda wait: None)
    monkeypatch.setattr(compiling, "_reason", "it is broken")
    with pytest.warns(sc.EngineWarning, match="it is broken"):
        mesh.build()
    assert mesh.engine == "numpy"
    ray = (0.1, 0.2, 9), (0, 0, -1)
    with pytest.warns(sc.EngineWarning, match="it is broken"):
        hit = mesh.ray_cast(*ray)
    assert hit.distance == plain.ray_cast(*ray).distance
    with pytest.raises(sc.errors.EngineError, match="it is broken"):
        sc.Mesh(*meshes.cube(), engine="numba")


# When it comes, and the end of the process


def test_a_few_rays_neither_import_numba_nor_start_a_thread():
    assert run(
        "import threading\n"
        "mesh.ray_cast(*ray); mesh.build(); mesh.ray_cast(*ray); mesh.cast_rays([ray[0]], ray[1])\n"
        "scene = sc.Scene(); scene.add(mesh); scene.ray_cast(*ray)\n"
        "print('numba' in sys.modules, threading.active_count())"
    ) == ["False", "1"]


def test_work_that_takes_long_brings_it_up():
    pytest.importorskip("numba")
    assert run(
        "compiling._bring_up = lambda: print('begins')\n"
        "compiling._is_on_disk = lambda: True\n"
        "from standalone_core import engines\n"
        "mesh.build(); mesh.ray_cast(*ray)\n"
        "compiling._next_look = engines._timed_numpy.seconds + 1e-9\n"
        "mesh.ray_cast(*ray)"
    ) == ["begins"]


def test_a_large_batch_brings_it_up_when_some_of_its_rays_are_cast():
    pytest.importorskip("numba")
    assert run(
        "import numpy as np\n"
        "compiling._bring_up = lambda: print('begins')\n"
        "compiling._is_on_disk = lambda: True\n"
        "from standalone_core.engines import numpy_engine\n"
        "work = numpy_engine.cast_nearest\n"
        "def cast(*given):\n"
        "    compiling.wait_for(); print('casts')\n"
        "    end = time.thread_time() + 2e-5 * len(given[2])\n"
        "    while time.thread_time() < end: pass\n"
        "    return work(*given)\n"
        "numpy_engine.cast_nearest = cast\n"
        "mesh.build()\n"
        "mesh.cast_rays(np.tile(ray[0], (100_000, 1)), ray[1])"
    )[:4] == ["casts", "casts", "begins", "casts"]


@pytest.fixture
def kernels(monkeypatch, tmp_path):
    """Where kernels are kept, and whether an engine that comes at once is there after seconds."""
    folder = tmp_path / "place" / ("0" * 32)
    folder.mkdir(parents=True)
    new_engine.forget(monkeypatch)
    monkeypatch.setattr(compiling, "_imported", lambda folder: sys)
    monkeypatch.setattr(kernel_cache, "digest", lambda: folder.name)
    for name in ("place", "folder"):
        monkeypatch.setattr(kernel_cache, name, lambda digest: folder)

    def comes_after(seconds):
        compiling.engine_after(seconds)
        compiling.wait_for()
        return compiling.engine_after(seconds) is sys

    return folder, comes_after


def test_loading_pays_sooner_than_compiling(kernels):
    _, comes_after = kernels
    assert [comes_after(seconds) for seconds in (2.1, 5.0, 9.9)] == [False] * 3
    assert comes_after(10.1)


def test_what_is_compiled_is_loaded_after_half_a_second(kernels):
    folder, comes_after = kernels
    (folder / "complete-0").touch()
    assert [comes_after(seconds) for seconds in (0.1, 0.4, 0.6)] == [False, False, True]


@pytest.fixture
def slow_loading(kernels, monkeypatch):
    """A folder of kernels, which are loaded once the event is set."""
    folder, _ = kernels
    (folder / "complete-0").touch()
    go = threading.Event()
    monkeypatch.setattr(compiling, "_imported", lambda folder: go.wait(SOON) and sys)
    yield go
    go.set()
    compiling.wait_for()


def test_a_call_that_would_take_longer_than_loading_waits_for_it(slow_loading):
    threading.Timer(0.2, slow_loading.set).start()
    assert compiling.engine_after(0.0, SOON) is sys


def test_other_calls_go_on_while_it_is_loaded(slow_loading):
    assert compiling.engine_after(0.6) is None
    assert compiling.engine_after(0.6, 0.4) is None
    assert compiling._thread.is_alive()


def test_nobody_waits_longer_than_numpy_would_take(slow_loading):
    assert compiling.engine_after(0.0, 0.6) is None
    assert compiling._thread.is_alive()


def test_nobody_waits_for_a_compiler(slow_loading, monkeypatch):
    compiling.engine_after(0.6)
    compiling._set_state("compiling", 3)
    with monkeypatch.context() as during:
        during.setattr(compiling, "wait_for", lambda *_: pytest.fail("it waits"))
        assert compiling.engine_after(0.6, SOON) is None


def test_nobody_waits_if_nothing_is_loaded(kernels, monkeypatch):
    monkeypatch.setattr(compiling, "_is_on_disk", lambda: False)
    monkeypatch.setattr(compiling, "begin", lambda: pytest.fail("it begins"))
    assert compiling.engine_after(0.0, 5.0) is None


def test_what_another_process_compiled_meanwhile_is_noticed(kernels):
    folder, comes_after = kernels
    assert not comes_after(3.0)  # so the next look is after 6 seconds
    (folder / "complete-0").touch()
    assert not comes_after(5.9)
    assert comes_after(6.1)


def test_nothing_is_looked_up_between_two_looks(kernels, monkeypatch):
    _, comes_after = kernels
    looks = []
    monkeypatch.setattr(compiling, "_is_on_disk", lambda: looks.append(1))
    for step in range(1, 1000):
        assert not comes_after(step / 100)
    assert len(looks) == 5  # after 0.5, 1, 2, 4 and 8 seconds


def test_where_no_folder_is_safe_it_is_compiled_when_that_pays(kernels, monkeypatch):
    _, comes_after = kernels
    monkeypatch.setattr(kernel_cache, "folder", lambda digest: None)
    assert [comes_after(seconds) for seconds in (2.1, 9.9, 10.1)] == [False, False, True]


def test_what_is_asked_for_comes_whatever_it_costs(kernels):
    _, comes_after = kernels
    assert not comes_after(2.1)
    assert compiling.engine(wait=True) is sys


def exits_at_random_moments(rng, count, longest):
    """End so many processes while the engine is brought up; each must end well, and soon."""
    for _ in range(count):
        run(f"compiling.begin(); time.sleep({rng.uniform(0, longest)})")


def test_a_process_that_ends_meanwhile_ends_well(rng, warm):
    exits_at_random_moments(rng, 3, 1.5)


def test_the_end_does_not_wait_for_another_process_that_compiles(warm):
    (still_compiles,) = run(
        "import atexit, subprocess, threading\n"
        "begun = threading.Event()\n"
        "def long(*_):\n"
        "    global other\n"
        "    nowhere = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}\n"
        "    other = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=-1, **nowhere)\n"
        "    begun.set(); other.wait()\n"
        "kernel_cache.compile_apart, kernel_cache.is_complete = long, lambda folder: False\n"
        "compiling.begin(); begun.wait()\n"
        "atexit.unregister(compiling._leave)\n"
        "def told(): print(other.poll() is None); other.stdin.close()\n"
        "atexit.register(told); atexit.register(compiling._leave)\n"
    )
    assert still_compiles == "True"


@pytest.mark.parametrize("apart", [True, False], ids=["apart", "in this process"])
def test_the_end_does_not_wait_for_kernels_that_are_being_compiled(tmp_path, apart):
    """One may be waited for, but not all of them, which take 10 to 20 seconds."""
    pytest.importorskip("numba")
    run(
        f"os.environ['NUMBA_CACHE_DIR'] = {str(tmp_path)!r}\n"
        f"if not {apart}: kernel_cache.compile_apart = lambda *_: False\n"
        "compiling.begin(); time.sleep(2.0)\n"
    )
    assert len([*tmp_path.glob("raypick/kernels-*/*/")]) == 1
    assert not [*tmp_path.rglob("complete*")]


# Forks


@needs_forks
def test_a_child_builds_and_refits_though_the_thread_that_built_is_gone():
    mesh = sc.Mesh(*meshes.torus(60, 40), engine="numpy", building="never")
    reached, go = threading.Event(), threading.Event()

    def progress(done):
        reached.set()
        assert go.wait(SOON)

    build = mesh.build_in_thread(progress)
    assert reached.wait(SOON)

    def work():
        assert build.done
        assert mesh.tree is None
        mesh.build()
        mesh.refit(mesh.vertices + 1)
        assert mesh.tree is not None
        assert mesh.build_in_thread() is not build

    try:
        assert in_child(work) == ""
    finally:
        go.set()
    assert build.wait(SOON)


@needs_forks
def test_a_fork_waits_for_a_change_that_another_thread_makes():
    scene, changed = sc.Scene(), []
    held = threading.Event()

    def change():
        with forks.changing.here:
            held.set()
            time.sleep(0.2)
            changed.append(True)

    thread = threading.Thread(target=change)
    thread.start()
    assert held.wait(SOON)

    def work():
        assert changed
        scene.add(sc.Mesh(*meshes.cube()))

    assert in_child(work) == ""
    thread.join()
    scene.add(sc.Mesh(*meshes.cube()))


@needs_forks
@pytest.mark.parametrize("rest", [True, False])
def test_a_child_of_a_process_that_was_compiling_answers(monkeypatch, rest):
    monkeypatch.setattr(compiling, "_engine", None)
    monkeypatch.setattr(compiling, "_reason", None)
    monkeypatch.setattr(forks.compiling, "patience", 0.1)
    monkeypatch.setattr(compiling, "_is_installed", lambda: True)
    asleep = threading.Thread(target=lambda: time.sleep(1))
    asleep.start()
    monkeypatch.setattr(compiling, "_thread", asleep)
    mesh = sc.Mesh(*meshes.cube(), engine="numba", building="never")

    def work():
        assert compiling._thread is None
        assert (compiling.reason() is None) == rest
        if not rest:
            with pytest.warns(sc.EngineWarning, match="forked"):
                mesh.build()
            assert mesh.engine == "numpy"

    if rest:
        assert in_child(work) == ""
    else:
        held, over = threading.Event(), threading.Event()

        def compile():
            with forks.compiling.here:
                held.set()
                over.wait(SOON)

        other = threading.Thread(target=compile)
        other.start()
        assert held.wait(SOON)
        assert in_child(work) == ""
        over.set()
        other.join()
    asleep.join()


@needs_forks
def test_a_child_that_is_forked_while_the_engine_comes_has_it_too(rng, warm):
    assert (
        run(
            f"compiling.begin(); time.sleep({rng.uniform(0, 1)})\n"
            "process = os.fork()\n"
            "mesh = sc.Mesh(mesh.vertices, mesh.triangles, engine='numba'); mesh.build()\n"
            "hit = mesh.ray_cast(*ray)\n"
            "if process: assert os.waitpid(process, 0)[1] == 0\n"
            "print(mesh.engine, hit.distance, flush=True)\n"
        )
        == ["numba", "1.0"] * 2
    )


@pytest.mark.parametrize("made_before", [0, 1])
def test_an_interrupt_as_soon_as_a_folder_of_its_own_is_made_leaves_none(
    tmp_path, monkeypatch, made_before
):
    make, made = os.mkdir, []

    def make_and_be_interrupted(*given):
        make(*given)
        made.append(given)
        if len(made) > made_before:
            raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(kernel_cache, "digest", lambda: "0" * 32)
    monkeypatch.setattr(kernel_cache, "folder", lambda digest: None)
    monkeypatch.setattr(os, "mkdir", make_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt), compiling._kernel_folder():
        pass
    assert len(made) == made_before + 1
    assert list(tmp_path.iterdir()) == []


# NumPy's work


class Clock:
    """A clock of its own, and what an engine told by it."""

    def __init__(self):
        self.now = 0.0
        self.told = []
        self.better = None

    def hear(self, spent, expected=0.0):
        self.told.append(spent + expected)
        return self.better

    def engine(self, **work):
        return TimedEngine(SimpleNamespace(**work), self.hear)


@pytest.fixture
def clock(monkeypatch):
    """The clock of the timed engine."""
    clock = Clock()
    monkeypatch.setattr(compiling.time, "thread_time", lambda: clock.now)
    return clock


@pytest.fixture
def cast(clock):
    """Work that takes as many seconds as it is told."""

    def cast(seconds):
        clock.now += seconds
        if seconds > 100:
            raise ArithmeticError
        return seconds

    return clock.engine(cast=cast).cast


def test_the_seconds_are_told_after_each_piece_of_work(clock, cast):
    assert [cast(2.0), cast(0.5)] == [2.0, 0.5]
    assert clock.told == [2.0, 2.5]


def test_work_that_fails_costs_too(clock, cast):
    with pytest.raises(ArithmeticError):
        cast(101)
    assert clock.told == [101]


def test_what_the_engine_cannot_do_it_cannot_do_here(clock):
    with pytest.raises(AttributeError):
        _ = clock.engine().dance


# Batches


class Rays:
    """As much of a batch as a timed engine asks for."""

    def __init__(self, count):
        self.numbers = np.arange(count)

    def __len__(self):
        return len(self.numbers)

    def take(self, rows):
        part = Rays(0)
        part.numbers = self.numbers[rows]
        return part


def counting(clock, seconds):
    """An engine that takes so many seconds a ray, and answers with the ray's number."""

    def count_hits(geometry, tree, rays):
        clock.now += seconds * len(rays)
        return rays.numbers

    return clock.engine(count_hits=count_hits)


def test_rays_of_a_batch_tell_what_the_others_will_take(clock):
    engine = counting(clock, 3e-5)
    assert len(engine.count_hits(None, None, Rays(10_000))) == 10_000
    first = compiling._FIRST * 3e-5
    both = first + compiling._SAMPLE * 3e-5
    assert clock.told == pytest.approx([0.0, first, first, both, 0.3, 0.3])


def test_the_first_rays_which_also_prepare_a_mesh_are_no_measure(clock):
    seconds = [7.0]

    def count_hits(geometry, tree, rays):
        clock.now += seconds.pop() if seconds else 1e-5 * len(rays)
        return rays.numbers

    clock.engine(count_hits=count_hits).count_hits(None, None, Rays(10_000))
    assert max(clock.told) < 7.2


def test_the_next_batch_is_told_before_it_is_cast(clock):
    engine = counting(clock, 3e-5)
    engine.count_hits(None, None, Rays(10_000))
    engine.count_hits(None, None, Rays(1))
    clock.told.clear()
    engine.count_hits(None, None, Rays(20_000))
    assert clock.told[0] == pytest.approx(0.3 + 3e-5 + 0.6)


def test_a_large_build_is_told_before_it_begins(clock):
    many = SimpleNamespace(triangles=range(10_000_000))
    builds = clock.engine(build=lambda geometry: "NumPy's").build
    assert builds(many) == "NumPy's"
    assert clock.told[0] == pytest.approx(10_000_000 * compiling._BUILD)
    clock.better = SimpleNamespace(build=lambda geometry: "a better one")
    assert builds(many) == "a better one"


def test_single_rays_are_no_measure_of_batches(clock):
    engine = counting(clock, 1.0)
    for _ in range(2):
        engine.count_hits(None, None, Rays(1))
    clock.told.clear()
    engine.count_hits(None, None, Rays(2))
    assert clock.told[0] == pytest.approx(2.0)


@pytest.mark.parametrize("count", [0, 1, 4095, 4097, 100_000, 199_999, 200_001, 1_000_000])
def test_a_batch_in_pieces_is_answered_whole(clock, count):
    found = counting(clock, 1e-5).count_hits(None, None, Rays(count))
    np.testing.assert_array_equal(found, np.arange(count))


def test_a_slow_batch_is_cut_into_pieces_of_about_the_same_time(clock):
    engine = counting(clock, 1e-4)
    engine.count_hits(None, None, Rays(30_000))
    ends = clock.told[1::2]
    steps = np.diff(ends[1:])
    assert len(steps) == 5
    assert steps[:-1] == pytest.approx(compiling._PIECE)
    assert compiling._PIECE < steps[-1] < 2 * compiling._PIECE


def test_a_better_engine_that_comes_takes_the_rest_of_a_batch(clock):
    engine = counting(clock, 1e-5)
    sizes = []

    def count_hits(geometry, tree, rays):
        sizes.append(len(rays))
        return -rays.numbers

    def told(spent, expected=0.0):
        if clock.now > 5.0:
            clock.better = SimpleNamespace(count_hits=count_hits)
        return clock.better

    engine._better = told
    sampled = compiling._FIRST + compiling._SAMPLE
    clock.now = engine.seconds = 5.0 - sampled * 1e-5
    found = engine.count_hits(None, None, Rays(1_000_000))
    assert sizes == [1_000_000 - sampled - 50_000]
    assert found[sampled + 49_999] == sampled + 49_999
    assert found[sampled + 50_000] == -sampled - 50_000


@pytest.mark.parametrize("sample", [1 << 11, 7])
def test_the_answers_of_pieces_are_those_of_the_whole(rng, monkeypatch, sample):
    monkeypatch.setattr(compiling, "_FIRST", sample)
    monkeypatch.setattr(compiling, "_SAMPLE", sample)
    monkeypatch.setattr(compiling, "_PIECE", 0.0)
    engine = TimedEngine(numpy_engine, lambda *seconds: None)
    vertices, triangles = meshes.torus(20, 12)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    rays = toward(rng, vertices, triangles, 50)
    pieced = sc.Mesh(vertices, triangles)
    pieced.build()
    monkeypatch.setattr("standalone_core.mesh.engine_named", lambda name: engine)
    nearest, (every, splits) = pieced.cast_rays(*rays), pieced.cast_rays_all(*rays)
    any_hit, counts = pieced.any_hit(*rays), pieced.count_hits(*rays)
    monkeypatch.undo()
    assert_same_bits(nearest, mesh.cast_rays(*rays))
    same, same_splits = mesh.cast_rays_all(*rays)
    assert_same_bits(every, same)
    np.testing.assert_array_equal(splits, same_splits)
    np.testing.assert_array_equal(any_hit, mesh.any_hit(*rays))
    np.testing.assert_array_equal(counts, mesh.count_hits(*rays))
