# SPDX-License-Identifier: GPL-3.0-or-later
"""How many threads calls use, what they share, and helpers that wait a moment for the next call."""

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.concurrency import threads
from standalone_core.concurrency.threads import (
    CancelledError,
    ThreadLimit,
    set_threads,
    thread_count,
)

from ..forked import SOON, in_child, needs_forks

ROOT = Path(sc.__file__).parents[1]

pytestmark = pytest.mark.usefixtures("helpers")

# How many

needs_affinity = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="processes run on all processors"
)

WRONG = [(0, "1 or more"), (-2, "1 or more"), (1.0, "integer"), (True, "integer"), ("2", "integer")]
WRONG += [(np.float64(2), "integer"), (np.True_, "integer"), ([2], "integer")]


@pytest.fixture(autouse=True)
def _no_default(monkeypatch):
    monkeypatch.setattr(threads, "_default", None)
    monkeypatch.delenv("RAYPICK_THREADS", raising=False)


def test_the_nearest_says_how_many(monkeypatch):
    monkeypatch.setattr(threads, "_processors", lambda: 7)
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
    assert threads.limit_here() is None


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
    assert threads._default is None


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


# Calls that threads share


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


def test_one_thread_starts_no_other(monkeypatch):
    monkeypatch.setattr(threading.Thread, "start", pytest.fail)
    with ThreadLimit(1):
        assert workers(1, 3) == {threading.current_thread()}


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
    with mock.patch.object(threads._Part, "awaited", side_effect=KeyboardInterrupt):
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


# Helpers


class Task:
    """Work that one helper does, while the thread that asks for it waits."""

    def __init__(self, work=lambda: None):
        self.work = work
        self.helpers, self.begun, self.thread = [], threading.Event(), None

    def help(self):
        self.thread = threading.current_thread()
        self.begun.set()
        self.work()

    def end(self):
        assert self.begun.wait(SOON)
        assert self.helpers[0].wait()


def done(work=lambda: None):
    """The helper that did it."""
    task = Task(work)
    threads._hand_over(task)
    task.end()
    return task.thread


def test_one_after_the_other_is_done_by_the_same_thread():
    found = {done() for _ in range(5)}
    assert len(found) == 1
    assert threading.current_thread() not in found


def test_what_is_begun_together_is_done_by_different_threads():
    both = threading.Barrier(3, timeout=SOON)
    tasks = [Task(both.wait), Task(both.wait)]
    for task in tasks:
        threads._hand_over(task)
    both.wait()
    for task in tasks:
        task.end()
    assert len({task.thread for task in tasks}) == 2


def test_the_end_of_what_has_begun_is_waited_for():
    has_begun, may_end, has_ended = threading.Event(), threading.Event(), []

    def call(_):
        has_begun.set()
        may_end.wait(SOON)
        has_ended.append(True)

    work = threads._SharedWork(call, range(5))
    work.begin(2)
    assert has_begun.wait(SOON)
    assert not has_ended
    threading.Timer(0.05, may_end.set).start()
    work.dismiss()
    assert len(has_ended) == 1


def test_what_has_not_begun_is_left_out(monkeypatch):
    """As at the end of a process, when threads that wait are not woken any more."""
    monkeypatch.setattr(threads._Helper, "start", lambda helper: None)
    found = []
    work = threads._SharedWork(found.append, range(5))
    work.begin(2)
    ending = threading.Thread(target=work.dismiss, daemon=True)
    ending.start()
    ending.join(SOON)
    assert not ending.is_alive()
    work.help()  # a helper that comes late
    assert not found


def test_nothing_is_begun_when_the_process_ends(monkeypatch):
    monkeypatch.setattr(sys, "is_finalizing", lambda: True)
    with pytest.raises(RuntimeError):
        threads._hand_over(Task())


def test_helpers_end_soon_after_their_last_call(helpers):
    both = threading.Barrier(3, timeout=SOON)
    for _ in range(2):
        threads._hand_over(Task(both.wait))
    both.wait()
    assert len(helpers()) == 2
    assert not threads._idle


def test_nothing_is_done_twice_or_waited_for_in_vain_while_helpers_resign(monkeypatch):
    monkeypatch.setattr(threads, "_IDLE_PATIENCE", 0.0)
    found = []
    for number in range(2000):
        work = threads._SharedWork(found.append, [number])
        work.begin(2)
        work.dismiss()
    assert found == sorted(set(found))


def test_a_helper_that_is_taken_waits_for_its_work(monkeypatch):
    monkeypatch.setattr(threads, "_IDLE_PATIENCE", 0.5)
    done()
    helper = threads._idle.pop()
    time.sleep(0.7)
    found = threading.Event()
    helper.given.put(Task(found.set))
    assert found.wait(SOON)


def test_a_helper_that_is_taken_and_given_nothing_ends(monkeypatch, helpers):
    monkeypatch.setattr(threads, "_IDLE_PATIENCE", 0.01)
    done()
    if threads._idle:
        threads._idle.pop()
    helpers()


def test_an_idle_helper_keeps_nothing_of_its_work():
    class Work:
        def __call__(self):
            pass

    work = Work()
    done(work)
    left = weakref.ref(work)
    del work
    gc.collect()
    assert left() is None


def test_a_helper_whose_work_fails_is_waited_for_and_not_used_again(monkeypatch):
    failed = []
    monkeypatch.setattr(threading, "excepthook", lambda given: failed.append(given.exc_type))

    def work():
        raise KeyboardInterrupt

    assert done(work) is not done()
    assert failed == [KeyboardInterrupt]


@needs_forks
def test_a_forked_process_has_helpers_of_its_own():
    done()
    assert in_child(done) == ""


@needs_forks
def test_idle_helpers_end_before_a_fork(helpers):
    """Python 3.12 and later warn of a fork while there are threads."""
    idle = done()
    assert in_child(lambda: None) == ""
    assert not idle.is_alive()
    assert not helpers()
