# SPDX-License-Identifier: GPL-3.0-or-later
"""How many threads calls use: they may say it, the process, the environment, or the system."""

import os
import threading

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.concurrency import thread_count as module
from standalone_core.concurrency.thread_count import ThreadLimit, set_threads, thread_count

needs_affinity = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="processes run on all processors"
)

WRONG = [(0, "1 or more"), (-2, "1 or more"), (1.0, "integer"), (True, "integer"), ("2", "integer")]
WRONG += [(np.float64(2), "integer"), (np.True_, "integer"), ([2], "integer")]


@pytest.fixture(autouse=True)
def _no_default(monkeypatch):
    monkeypatch.setattr(module, "_default", None)
    monkeypatch.delenv("RAYPICK_THREADS", raising=False)


def test_the_nearest_says_how_many(monkeypatch):
    monkeypatch.setattr(module, "_processors", lambda: 7)
    assert thread_count() == 7
    monkeypatch.setenv("RAYPICK_THREADS", " 6 ")
    assert thread_count() == 6
    set_threads(5)
    assert thread_count() == 5
    with ThreadLimit(4):
        assert thread_count() == 4
        with ThreadLimit(None):
            assert thread_count() == 4
        with ThreadLimit(np.int8(3)):
            assert thread_count() == 3
        assert thread_count() == 4
    assert thread_count() == 5
    set_threads(None)
    assert thread_count() == 6


def test_a_limit_ends_with_an_error_too():
    with pytest.raises(ArithmeticError), ThreadLimit(4):
        raise ArithmeticError
    assert module.limit_here() is None


def test_a_limit_is_that_of_a_thread_and_the_default_that_of_the_process():
    set_threads(3)
    found = []
    with ThreadLimit(2):
        other = threading.Thread(target=lambda: found.append(thread_count()))
        other.start()
        other.join()
    assert found == [3]


@pytest.mark.parametrize(("value", "text"), WRONG)
def test_what_is_no_number_of_threads_is_refused(value, text):
    for take in (set_threads, ThreadLimit):
        with pytest.raises(sc.errors.ArgumentError, match=text):
            take(value)
    assert module._default is None


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5", "²", "9" * 5000])
def test_an_environment_that_is_wrong_is_told(monkeypatch, value):
    monkeypatch.setenv("RAYPICK_THREADS", value)
    with pytest.raises(sc.errors.ArgumentError, match="RAYPICK_THREADS"):
        thread_count()


@needs_affinity
def test_a_process_that_may_run_on_one_processor_uses_one_thread():
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert thread_count() == 1
    finally:
        os.sched_setaffinity(0, allowed)
    assert thread_count() == len(allowed)


@pytest.mark.parametrize("known", [None, 5])
def test_newer_pythons_are_asked_first(monkeypatch, known):
    monkeypatch.setattr(os, "process_cpu_count", lambda: known, raising=False)
    assert thread_count() == (known or 1)
