# SPDX-License-Identifier: GPL-3.0-or-later
"""How the compiled engine comes, and what becomes of it when the process ends or forks."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

import standalone_core as sc
from standalone_core.concurrency import forks
from standalone_core.engines import compile_price, compiled

from .. import meshes, new_engine
from ..forked import SOON, in_child, needs_forks

ROOT = Path(sc.__file__).parents[1]

BEGIN = """
import os, sys, time, warnings
import standalone_core as sc
from standalone_core.engines import compile_price, compiled
mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
ray = (0.25, 0.25, 1), (0, 0, -1)
"""


@pytest.fixture
def warm(request):
    """See that numba is there, and all kernels are kept: no test is to wait for a compiler."""
    pytest.importorskip("numba")
    compiled.engine(wait=True)


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
    monkeypatch.setattr(compiled, "_engine", None)
    mesh = sc.Mesh(*meshes.cube())
    assert (mesh.engine, mesh.wanted_engine) == ("numpy", "auto")


def test_a_warning_says_so_where_numpy_answers_for_the_compiled_engine(monkeypatch):
    monkeypatch.setattr(compiled, "_is_installed", lambda: True)
    monkeypatch.setattr(compiled, "_reason", None)
    mesh = sc.Mesh(*meshes.cube(), engine="numba")
    plain = sc.Mesh(*meshes.cube(), engine="numpy")
    plain.build()
    monkeypatch.setattr(compiled, "_engine", None)
    monkeypatch.setattr(compiled, "_thread", threading.Thread())
    monkeypatch.setattr(compiled, "engine", lambda wait: None)
    monkeypatch.setattr(compiled, "_reason", "it is broken")
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
        "compiled._bring_up = lambda: print('begins')\n"
        "from standalone_core import engines\n"
        "mesh.build(); mesh.ray_cast(*ray)\n"
        "compiled._due = engines._timed_numpy.seconds + 1e-9\n"
        "mesh.ray_cast(*ray)"
    ) == ["begins"]


def test_a_large_batch_brings_it_up_before_it_is_cast():
    pytest.importorskip("numba")
    assert run(
        "import numpy as np\n"
        "compiled._bring_up = lambda: print('begins')\n"
        "from standalone_core.engines import numpy_engine\n"
        "work = numpy_engine.cast_nearest\n"
        "def cast(*given):\n"
        "    compiled.wait_for(); print('casts')\n"
        "    return work(*given)\n"
        "numpy_engine.cast_nearest = cast\n"
        "mesh.build()\n"
        "mesh.cast_rays(np.tile(ray[0], (60_000, 1)), ray[1])"
    ) == ["begins", "casts"]


@pytest.fixture
def prices(monkeypatch, tmp_path):
    """Prices that are 2 s and 20 s, and an engine that comes at once; whether it did."""
    folder = tmp_path / "place" / ("0" * 32)
    folder.mkdir(parents=True)
    compile_price.write(folder, compile_price.Prices(2.0, 20.0, 0.0))
    new_engine.forget(monkeypatch)
    monkeypatch.setattr(compiled, "_imported", lambda folder: sys)
    monkeypatch.setattr(compiled.cache_folder, "digest", lambda: folder.name)
    monkeypatch.setattr(compiled.cache_folder, "folder", lambda digest: folder)

    def worked(seconds):
        compiled.worked(seconds)
        compiled.wait_for()
        return compiled.is_ready()

    return folder, worked


def test_loading_pays_sooner_than_compiling(prices):
    folder, worked = prices
    (folder / "complete-0").touch()
    assert [worked(seconds) for seconds in (0.4, 1.0, 1.9, 2.1)] == [False, False, False, True]


def test_compiling_is_paid_by_the_work_of_all_processes(prices):
    folder, worked = prices
    assert [worked(seconds) for seconds in (1.0, 2.0, 19.0)] == [False] * 3
    assert compile_price.read(folder).rent == 19.0
    # Another process begins to count at 0.
    compiled._counted, compiled._due = 0.0, compiled._FIRST_LOOK
    assert [worked(seconds) for seconds in (0.4, 0.9, 1.1)] == [False, False, True]


def test_what_another_process_compiled_meanwhile_is_noticed(prices):
    folder, worked = prices
    assert not worked(3.0)
    (folder / "complete-0").touch()
    assert worked(6.1)


def test_what_is_asked_for_comes_whatever_it_costs(prices):
    _, worked = prices
    assert not worked(0.6)
    assert compiled.engine(wait=True) is sys


def exits_at_random_moments(rng, count, longest):
    """End so many processes while the engine is brought up; each must end well, and soon."""
    for _ in range(count):
        run(f"compiled.begin(); time.sleep({rng.uniform(0, longest)})")


def test_a_process_that_ends_meanwhile_ends_well(rng, warm):
    exits_at_random_moments(rng, 3, 1.5)


def test_the_end_does_not_wait_for_another_process_that_compiles(warm):
    (still_compiles,) = run(
        "from standalone_core.engines import compile_process\n"
        "import atexit, subprocess, threading\n"
        "from standalone_core.engines import kernel_cache\n"
        "begun = threading.Event()\n"
        "def long(*_):\n"
        "    global other\n"
        "    nowhere = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}\n"
        "    other = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=-1, **nowhere)\n"
        "    begun.set(); other.wait()\n"
        "compile_process.run, kernel_cache.is_complete = long, lambda folder: False\n"
        "compiled.begin(); begun.wait()\n"
        "atexit.unregister(compiled._leave)\n"
        "def told(): print(other.poll() is None); other.stdin.close()\n"
        "atexit.register(told); atexit.register(compiled._leave)\n"
    )
    assert still_compiles == "True"


@pytest.mark.parametrize("apart", [True, False], ids=["apart", "in this process"])
def test_the_end_does_not_wait_for_kernels_that_are_being_compiled(tmp_path, apart):
    """One may be waited for, but not all of them, which take 10 to 20 seconds."""
    pytest.importorskip("numba")
    run(
        f"os.environ['NUMBA_CACHE_DIR'] = {str(tmp_path)!r}\n"
        "from standalone_core.engines import compile_process\n"
        f"if not {apart}: compile_process.run = lambda *_: False\n"
        "compiled.begin(); time.sleep(2.0)\n"
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
    monkeypatch.setattr(compiled, "_engine", None)
    monkeypatch.setattr(compiled, "_reason", None)
    monkeypatch.setattr(forks.compiling, "patience", 0.1)
    monkeypatch.setattr(compiled, "_is_installed", lambda: True)
    asleep = threading.Thread(target=lambda: time.sleep(1))
    asleep.start()
    monkeypatch.setattr(compiled, "_thread", asleep)
    mesh = sc.Mesh(*meshes.cube(), engine="numba", building="never")

    def work():
        assert compiled._thread is None
        assert compiled.is_there() == rest
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

        compiling = threading.Thread(target=compile)
        compiling.start()
        assert held.wait(SOON)
        assert in_child(work) == ""
        over.set()
        compiling.join()
    asleep.join()


@needs_forks
def test_a_child_that_is_forked_while_the_engine_comes_has_it_too(rng, warm):
    assert (
        run(
            f"compiled.begin(); time.sleep({rng.uniform(0, 1)})\n"
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
    monkeypatch.setattr(os, "mkdir", make_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt), compiled._kept("0" * 32, None):
        pass
    assert len(made) == made_before + 1
    assert list(tmp_path.iterdir()) == []
