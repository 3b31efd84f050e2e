# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call says without Dask, and the threads of a worker, which its tasks share."""

import contextlib
import subprocess
import sys
import threading
import time

import pytest

from checkout import ROOT
from standalone_core.distributed.workers import ThreadShare, threads_here

CALLS = {
    "cast_rays": "sc.distributed.cast_rays(mesh, [[0, 0, 1.0]], (0, 0, -1))",
    "cast_rays_all": "sc.distributed.cast_rays_all(mesh, [[0, 0, 1.0]], (0, 0, -1))",
    "survey": "sc.distributed.survey('a.blend', None, '1-3', 'out')",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_without_dask_says_what_to_install(call):
    code = f"""
import sys
sys.modules["dask"] = None
import standalone_core as sc
mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
try:
    {CALLS[call]}
except sc.errors.MissingPackageError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert run.stderr == ""
    assert "standalone_core.distributed needs Dask" in run.stdout
    assert 'pip install "raypick-core[dask]"' in run.stdout


def test_importing_the_core_imports_no_dask():
    code = "import sys, standalone_core as sc; sc.distributed.survey; print('dask' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("False\n", "")


def test_one_that_is_alone_has_all():
    share = ThreadShare(4)
    for _ in range(2):
        with share.held() as mine:
            assert mine == 4


def test_the_next_waits_for_one_that_is_free():
    share, order = ThreadShare(2), []

    def next_one():
        with share.held() as mine:
            order.append(("next", mine))

    with share.held():
        thread = threading.Thread(target=next_one)
        thread.start()
        time.sleep(0.05)
        order.append(("first", 2))
    thread.join()
    assert order == [("first", 2), ("next", 2)]


def test_those_that_wait_share_what_gets_free():
    share, both, had = ThreadShare(4), threading.Barrier(2, timeout=60), []

    def task():
        with share.held() as mine, contextlib.suppress(threading.BrokenBarrierError):
            had.append(mine)
            both.wait()

    threads = [threading.Thread(target=task) for _ in range(2)]
    with share.held():
        for thread in threads:
            thread.start()
        end = time.monotonic() + 60
        while share._waiting < 2 and time.monotonic() < end:
            time.sleep(0.01)
    for thread in threads:
        thread.join()
    assert had == [2, 2]


@pytest.mark.parametrize("count", [1, 3, 8])
def test_never_are_more_used_than_there_are_and_all_have_one(rng, count):
    share, lock, used, most, had = ThreadShare(count), threading.Lock(), 0, 0, []
    pauses = rng.uniform(0, 0.004, 40)

    def task(pause):
        nonlocal used, most
        with share.held() as mine:
            with lock:
                used += mine
                most = max(most, used)
                had.append(mine)
            time.sleep(pause)
            with lock:
                used -= mine

    threads = [threading.Thread(target=task, args=[pause]) for pause in pauses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most <= count
    assert len(had) == 40
    assert min(had) >= 1


def test_a_task_that_fails_gives_back_its_threads():
    share = ThreadShare(2)
    with pytest.raises(ZeroDivisionError), share.held():
        _ = 1 / 0
    with share.held() as mine:
        assert mine == 2


def test_without_a_worker_a_task_has_one_thread_or_as_many_as_asked_for():
    with threads_here(None) as mine:
        assert mine == 1
    with threads_here(5) as mine:
        assert mine == 5
