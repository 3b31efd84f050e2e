# SPDX-License-Identifier: GPL-3.0-or-later
"""When the compiled engine comes, who waits for it, and what the end and forks make of it."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.concurrency import forks
from standalone_core.engines import timed_engine
from standalone_core.engines.numba import compiling, kernel_cache
from standalone_core.engines.numba.compiling import State
from standalone_core.engines.timed_engine import TimedEngine

from ... import meshes, new_engine
from ...forked import SOON, in_child, needs_forks

ROOT = Path(sc.__file__).parents[1]

BEGIN = """
import os, sys, time, warnings
import standalone_core as sc
from standalone_core.engines.numba import compiling
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
    new_engine.forget(monkeypatch)
    mesh = sc.Mesh(*meshes.cube(), engine="numba")
    plain = sc.Mesh(*meshes.cube(), engine="numpy")
    plain.build()
    monkeypatch.setattr(compiling, "_state", State("failed", "it is broken"))
    with pytest.warns(sc.EngineWarning, match="it is broken"):
        mesh.build()
    assert mesh.engine == "numpy"
    ray = (0.1, 0.2, 9), (0, 0, -1)
    with pytest.warns(sc.EngineWarning, match="it is broken"):
        hit = mesh.ray_cast(*ray)
    assert hit.distance == plain.ray_cast(*ray).distance
    with pytest.raises(sc.errors.EngineError, match="it is broken"):
        sc.Mesh(*meshes.cube(), engine="numba")


# When it comes


def test_a_few_rays_neither_import_numba_nor_start_a_thread():
    assert run(
        "import threading\n"
        "mesh.ray_cast(*ray); mesh.build(); mesh.ray_cast(*ray); mesh.cast_rays([ray[0]], ray[1])\n"
        "scene = sc.Scene(); scene.add(mesh); scene.ray_cast(*ray)\n"
        "print('numba' in sys.modules, threading.active_count())\n"
        "print(any('kernel_cache' in name for name in sys.modules))"
    ) == ["False", "1", "False"]


def test_sources_that_changed_before_kernels_are_looked_for_have_no_name():
    assert run(
        "compiling._IMPORTED = 0.0\n"  # long before its sources were written
        "print(compiling._kernel_cache().digest())"
    ) == ["None"]


def test_work_that_takes_long_brings_it_up():
    pytest.importorskip("numba")
    assert run(
        "compiling._bring_up = lambda: print('begins')\n"
        "compiling._kernel_cache().seems_complete = lambda: True\n"
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
        "compiling._kernel_cache().seems_complete = lambda: True\n"
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


@pytest.mark.parametrize(
    ("is_compiled", "is_safe", "not_after", "after"),
    [
        pytest.param(True, True, (0.1, 0.4), 0.6, id="loaded"),
        pytest.param(False, True, (2.1, 5.0, 9.9), 10.1, id="compiled"),
        pytest.param(False, False, (2.1, 9.9), 10.1, id="compiled where no folder is safe"),
    ],
)
def test_it_comes_once_that_pays(kernels, monkeypatch, is_compiled, is_safe, not_after, after):
    folder, comes_after = kernels
    if is_compiled:
        (folder / "complete-0").touch()
    if not is_safe:
        monkeypatch.setattr(kernel_cache, "folder", lambda digest: None)
    assert not any(comes_after(seconds) for seconds in not_after)
    assert comes_after(after)


def test_what_another_process_compiled_meanwhile_is_noticed(kernels):
    folder, comes_after = kernels
    assert not comes_after(3.0)  # so the next look is after 6 seconds
    (folder / "complete-0").touch()
    assert not comes_after(5.9)
    assert comes_after(6.1)


def test_nothing_is_looked_up_between_two_looks(kernels, monkeypatch):
    _, comes_after = kernels
    looks = []
    monkeypatch.setattr(kernel_cache, "seems_complete", lambda: looks.append(1))
    for step in range(1, 1000):
        assert not comes_after(step / 100)
    assert len(looks) == 5  # after 0.5, 1, 2, 4 and 8 seconds


def test_what_is_asked_for_comes_whatever_it_costs(kernels):
    _, comes_after = kernels
    assert not comes_after(2.1)
    assert compiling.engine(wait=True) is sys


# Who waits


class Loading:
    """Kernels on disk, loading of which takes so many seconds of a clock that waiting moves on."""

    def __init__(self, takes):
        self.takes, self.now, self.waited = takes, 0.0, 0.0

    def begin(self):
        compiling._thread, compiling._start = self, self.now
        compiling._report("importing")

    def wait_for(self, seconds):
        assert self.now < 1e5, "it waits for ever"
        if compiling._thread is None:
            return True
        self.now += seconds
        self.waited += seconds
        if self.now - compiling._start >= self.takes:
            compiling._engine = sys
        return compiling._engine is sys


@pytest.fixture
def loading(kernels, monkeypatch):
    """Have kernels loaded in so many seconds."""
    folder, _ = kernels
    (folder / "complete-0").touch()

    def taking(seconds):
        loads = Loading(seconds)
        clock = SimpleNamespace(monotonic=lambda: loads.now, thread_time=lambda: loads.now)
        for module in (compiling, timed_engine):
            monkeypatch.setattr(module, "time", clock)
        for name in ("begin", "wait_for"):
            monkeypatch.setattr(compiling, name, getattr(loads, name))
        return loads

    return taking


@pytest.mark.parametrize(
    ("takes", "spent", "expected", "waits"),
    [
        pytest.param(0.4, 0.0, 0.5, 0.4, id="longer than loading"),
        pytest.param(0.4, 0.6, 0.0, 0.0, id="a call of no known length"),
        pytest.param(0.4, 0.6, 0.4, 0.0, id="a shorter call"),
        pytest.param(3.0, 0.0, 0.6, 0.6, id="no longer than NumPy takes"),
        pytest.param(6.0, 0.0, 9e9, 5.0, id="no longer than five seconds"),
    ],
)
def test_a_call_waits_for_loading_if_numpy_would_take_longer(
    loading, takes, spent, expected, waits
):
    loads = loading(takes)
    comes = waits == takes
    assert compiling.engine_after(spent, expected) is (sys if comes else None)
    assert loads.waited == pytest.approx(waits, abs=compiling._STEP)
    assert compiling._thread is loads


def test_nobody_waits_for_a_compiler(loading):
    loads = loading(float("inf"))
    compiling.engine_after(0.6)
    compiling._report("compiling")
    assert compiling.engine_after(0.6, 9e9) is None
    assert loads.waited == 0.0


def test_nobody_waits_if_nothing_is_loaded(loading, monkeypatch):
    loads = loading(1.0)
    monkeypatch.setattr(kernel_cache, "seems_complete", lambda: False)
    assert compiling.engine_after(0.0, 5.0) is None
    assert loads.now == 0.0
    assert compiling._thread is None


@pytest.mark.parametrize("longest", [0.6, 3.0, 4000.0])
def test_all_waits_for_a_loader_that_never_ends_are_no_longer_than_the_longest_call(
    loading, longest
):
    loads = loading(float("inf"))
    for share in (0.5, 1.0, 0.9, 1.0):
        for _ in range(10):
            assert compiling.engine_after(0.0, share * longest) is None
        loads.now += 0.01
    assert loads.waited <= min(longest, compiling._LATE) + compiling._STEP


def test_numpy_answers_all_of_a_batch_while_a_loader_never_ends(loading):
    loads = loading(float("inf"))

    def closest(geometry, tree, points, limits, excluded):
        loads.now += 1e-3 * len(points)
        return 2 * points

    points = np.arange(100_000)
    engine = TimedEngine(SimpleNamespace(closest=closest), compiling.engine_after)
    found = engine.closest(None, None, points, points, None)
    np.testing.assert_array_equal(found, 2 * points)
    assert compiling._thread is loads
    assert loads.waited <= compiling._LATE + compiling._STEP
    assert engine.seconds == pytest.approx(100.0)


# The end of the process


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
        "kernel_cache = compiling._kernel_cache()\n"
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
        f"if not {apart}: compiling._kernel_cache().compile_apart = lambda *_: False\n"
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
    new_engine.forget(monkeypatch)
    monkeypatch.setattr(forks.compiling, "patience", 0.1)
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
