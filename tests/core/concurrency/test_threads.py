# SPDX-License-Identifier: GPL-3.0-or-later
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

import standalone_core as sc
from standalone_core.concurrency import threads

ROOT = Path(sc.__file__).parents[1]


@pytest.mark.parametrize("length", [0, 1, threads._WORTH_IT, 10**9])
def test_the_results_come_in_the_order_of_what_is_given(length):
    assert threads.on_all_cores(lambda x: x * x, range(50), length) == [x * x for x in range(50)]
    assert threads.on_all_cores(len, [], length) == []


def test_what_is_short_stays_in_the_thread_that_asks():
    asked = threads.on_all_cores(lambda _: threading.current_thread(), range(5), 100)
    assert set(asked) == {threading.current_thread()}


def test_what_is_long_is_done_elsewhere():
    asked = threads.on_all_cores(lambda _: threading.current_thread(), range(5), 10**9)
    assert threading.current_thread() not in asked


@pytest.mark.parametrize("length", [0, 10**9])
def test_what_is_raised_comes_out(length):
    def fail(x):
        raise ArithmeticError(x)

    with pytest.raises(ArithmeticError):
        threads.on_all_cores(fail, range(5), length)


def test_a_task_that_was_queued_as_its_thread_failed_to_start_runs_once(monkeypatch):
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

    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(threading.Thread, "start", start_the_second_in_vain)
    assert threads.on_all_cores(run, range(6), 10**9) == [x * x for x in range(6)]
    assert len(failed) >= 2
    assert sorted(ran) == list(range(6))


def test_what_runs_ends_at_its_next_step_where_nobody_waits_for_it_any_more():
    begun, ended = threading.Event(), []

    def run(number):
        if number == 0:
            return number
        begun.set()
        while True:  # for ever, but for the step
            try:
                threads.go_on()
            except CancelledError:
                ended.append(number)
                raise

    results = threads.one_by_one(run, range(3), 10**9)
    assert next(results) == 0
    begun.wait()
    results.close()
    assert ended
    threads.go_on()


def test_a_thread_that_waits_for_others_ends_them_with_itself(monkeypatch):
    monkeypatch.setattr(threads, "_PATIENCE", 0.01)
    begun, ended = threading.Event(), []

    def inner(_):
        begun.set()
        try:
            while True:
                threads.go_on()
        finally:
            ended.append("inner")

    def outer(number):
        return number and threads.on_all_cores(inner, range(1), 10**9)

    results = threads.one_by_one(outer, range(2), 10**9)
    assert next(results) == 0
    begun.wait()
    results.close()
    assert ended == ["inner"]


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
