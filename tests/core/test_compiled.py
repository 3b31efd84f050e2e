# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the compiled engine stands, and how to have it at once."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import standalone_core as sc
from standalone_core import extension
from standalone_core.engines.numba import compiling
from standalone_core.engines.numba.compiling import State

from . import new_engine

ROOT = Path(sc.__file__).parents[1]


@pytest.fixture
def idle(monkeypatch):
    """The engine as if it were installed, and had not come yet; its thread does `work`."""
    new_engine.forget(monkeypatch)

    def work(function):
        monkeypatch.setattr(compiling, "_imported", function)

    yield work
    if compiling._thread is not None:
        compiling._thread.join()


@pytest.fixture
def gate():
    """An event that is set in the end."""
    event = threading.Event()
    yield event
    event.set()


def test_it_is_idle_until_it_is_wanted(idle):
    assert sc.compiled.state() == State("idle")


def test_what_is_wanted_comes_and_is_ready(idle):
    idle(lambda folder: sys)
    ready = sc.compile()
    assert ready == sc.compiled.state()
    assert (ready.status, ready.reason) == ("ready", None)
    assert 0.0 <= ready.seconds < 60.0


def test_kernels_and_seconds_are_counted_while_it_comes(idle, gate):
    begun = threading.Event()

    def work(folder):
        compiling._report("importing", kernel_count=3)
        compiling._report("compiling")
        for _ in range(2):
            compiling._count_kernel()
        begun.set()
        gate.wait()
        return sys

    idle(work)
    assert sc.compile(wait=False).status in ("idle", "importing", "compiling")
    assert begun.wait(60)
    one, other = sc.compiled.state(), sc.compiled.state()
    assert (one.status, one.kernels, one.kernel_count) == ("compiling", 2, 3)
    assert other.seconds > one.seconds > 0.0
    gate.set()
    assert sc.compile().kernels == 3


def test_who_waits_hears_how_far_it_is(idle, gate):
    def work(folder):
        compiling._report("compiling", kernel_count=4)
        compiling._count_kernel()
        gate.wait()
        return sys

    told = []

    def progress(done):
        told.append(done)
        if done == 0.25:
            gate.set()

    idle(work)
    sc.compile(progress=progress)
    assert told == sorted(told)
    assert 0.25 in told
    assert told[-1] == 1.0


def test_who_stops_waiting_leaves_it_to_its_thread(idle, gate):
    idle(lambda folder: gate.wait() and sys)

    def progress(done):
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        sc.compile(progress=progress)
    gate.set()
    assert sc.compile().status == "ready"


def test_what_fails_says_why(idle):
    def work(folder):
        raise OSError("no space left")

    idle(work)
    with pytest.raises(sc.errors.EngineError, match="no space left"):
        sc.compile()
    failed = sc.compiled.state()
    assert (failed.status, failed.reason) == ("failed", "OSError: no space left")
    with pytest.raises(sc.errors.EngineError, match="no space left"):
        sc.compile(wait=False)


def test_a_program_around_the_core_says_why_numba_is_missing(monkeypatch):
    monkeypatch.setattr(compiling, "_is_installed", lambda: False)
    monkeypatch.setattr(compiling, "_why_missing", compiling._why_missing)
    assert "pip install numba" in sc.compiled.state().reason
    extension.explain_missing(lambda: "it is in the larger zip")
    assert sc.compiled.state() == State("missing", "it is in the larger zip")
    with pytest.raises(sc.errors.EngineError, match=r"cannot be used: it is in the larger zip$"):
        sc.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], engine="numba")


def test_without_numba_it_is_missing():
    code = """
import sys
sys.modules["numba"] = None
import standalone_core as sc
state = sc.compiled.state()
assert state.status == "missing" and "pip install numba" in state.reason
try:
    sc.compile()
except sc.errors.EngineError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "pip install numba" in run.stdout, run.stderr


def test_progress_is_for_those_who_wait(idle):
    with pytest.raises(sc.errors.ArgumentError, match="wait=True"):
        sc.compile(wait=False, progress=print)
    with pytest.raises(sc.errors.DtypeError, match="callable"):
        sc.compile(progress=3)
    assert compiling._thread is None
