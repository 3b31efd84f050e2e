# SPDX-License-Identifier: GPL-3.0-or-later
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from pathlib import Path
from unittest import mock

import pytest

import standalone_core as sc
from standalone_core.concurrency import threads
from standalone_core.concurrency.thread_count import ThreadLimit, thread_count

ROOT = Path(sc.__file__).parents[1]

SOON = 30.0
"""Seconds that are enough for anything here, on any machine."""


@pytest.mark.parametrize("length", [0, 1, threads._WORTH_IT, 10**9])
def test_the_results_come_in_the_order_of_what_is_given(length):
    assert threads.on_all_cores(lambda x: x * x, range(50), length) == [x * x for x in range(50)]
    assert threads.on_all_cores(len, [], length) == []


def test_what_is_short_stays_in_the_thread_that_asks():
    asked = threads.on_all_cores(lambda _: threading.current_thread(), range(5), 100)
    assert set(asked) == {threading.current_thread()}


def workers(count, calls):
    """The threads that do so many calls; the first of each waits for all threads to come."""
    barrier = threading.Barrier(count, timeout=SOON)
    seen = threading.local()

    def call(_):
        if not hasattr(seen, "came"):
            seen.came = True
            barrier.wait()
        return threading.current_thread()

    return set(threads.on_all_cores(call, range(calls), 10**9))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_what_is_long_is_done_by_so_many_threads_of_which_one_is_the_caller(count, helpers):
    with ThreadLimit(count):
        found = workers(count, 20)
    assert len(found) == count
    assert threading.current_thread() in found
    helpers()
    assert not any(thread.is_alive() for thread in found - {threading.current_thread()})


@pytest.mark.usefixtures("helpers")
def test_one_thread_starts_no_other(monkeypatch):
    monkeypatch.setattr(threading.Thread, "start", pytest.fail)
    with ThreadLimit(1):
        assert workers(1, 3) == {threading.current_thread()}


@pytest.mark.usefixtures("helpers")
def test_there_are_no_more_threads_than_calls(monkeypatch):
    start, started = threading.Thread.start, []
    monkeypatch.setattr(threading.Thread, "start", lambda one: started.append(one) or start(one))
    with ThreadLimit(50):
        assert len(workers(3, 3)) == 3
    assert len(started) == 2


def test_calls_in_calls_have_no_threads_of_their_own():
    def inner(_):
        return threading.current_thread(), thread_count()

    def outer(_):
        return threading.current_thread(), threads.on_all_cores(inner, range(3), 10**9)

    with ThreadLimit(4):
        for thread, found in threads.on_all_cores(outer, range(8), 10**9):
            assert found == [(thread, 1)] * 3
        assert thread_count() == 4


@pytest.mark.parametrize("length", [0, 10**9])
def test_what_is_raised_comes_out(length):
    def fail(x):
        raise ArithmeticError(x)

    with pytest.raises(ArithmeticError):
        threads.on_all_cores(fail, range(5), length)


def test_what_is_given_may_raise_too():
    def given():
        yield 1
        yield 2
        raise ArithmeticError

    with ThreadLimit(3):
        results = threads.one_by_one(str, given(), 10**9)
        assert [next(results), next(results)] == ["1", "2"]
        with pytest.raises(ArithmeticError):
            next(results)


def test_a_call_may_run_out_of_time():
    def fail(_):
        raise TimeoutError

    with ThreadLimit(2), pytest.raises(TimeoutError):
        threads.on_all_cores(fail, range(5), 10**9)


@pytest.mark.usefixtures("helpers")
def test_where_threads_cannot_be_started_the_others_do_the_work(monkeypatch):
    start, failed, ran = threading.Thread.start, [], []

    def start_the_second_in_vain(thread):
        failed.append(thread)
        if len(failed) % 2 == 0:
            raise RuntimeError("can't start new thread")
        start(thread)

    def run(x):
        time.sleep(0.01)
        ran.append(x)
        return x * x

    monkeypatch.setattr(threading.Thread, "start", start_the_second_in_vain)
    with ThreadLimit(4):
        assert threads.on_all_cores(run, range(6), 10**9) == [x * x for x in range(6)]
    assert len(failed) == 2
    assert sorted(ran) == list(range(6))


def test_what_runs_ends_at_its_next_step_where_nobody_waits_for_it_any_more():
    begun, ended = threading.Event(), []
    caller = threading.current_thread()

    def run(number):
        if threading.current_thread() is caller:
            assert begun.wait(SOON)
            return number
        begun.set()
        while True:  # for ever, but for the step
            try:
                threads.go_on()
            except CancelledError:
                ended.append(number)
                raise

    with ThreadLimit(2):
        results = threads.one_by_one(run, (number for number in (1, 2)), 10**9)
        with pytest.raises(KeyboardInterrupt):
            _interrupted(results)
    assert len(ended) == 1
    threads.go_on()


def _interrupted(results):
    """Close the results at the first, or while the first is waited for."""
    with mock.patch.object(threads._Call, "awaited", side_effect=KeyboardInterrupt):
        next(results)


def test_a_build_while_python_shuts_down_failed():
    code = """
import atexit
import numpy as np
import standalone_core as sc
rng = np.random.default_rng(0)
corners = rng.integers(0, 300_000, (100_000, 3))
mesh = sc.Mesh(rng.normal(size=(300_000, 3)), corners, engine="numpy")
def late():
    mesh.build()
    mesh.cast_rays(rng.normal(size=(20_000, 3)) * 9, (0, 0, 1))
    print("done")
atexit.register(late)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.stdout == "done\n", run.stderr
