# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads that help a call wait a moment for the next one, and then end."""

import gc
import os
import threading
import time
import weakref

import pytest

from standalone_core.concurrency import helpers as module
from standalone_core.concurrency.helpers import begun

pytestmark = pytest.mark.usefixtures("helpers")


def thread_of(found):
    return lambda: found.append(threading.current_thread())


def test_one_after_the_other_is_done_by_the_same_thread():
    found = []
    for _ in range(5):
        begun(thread_of(found))()
    assert len(set(found)) == 1
    assert found[0] is not threading.current_thread()


def test_what_is_begun_together_is_done_by_different_threads():
    both, found = threading.Barrier(2, timeout=10), []

    def work():
        both.wait()
        found.append(threading.current_thread())

    for end in [begun(work), begun(work)]:
        end()
    assert len(set(found)) == 2


def test_the_end_is_waited_for():
    may_end, has_ended = threading.Event(), []

    def work():
        may_end.wait(10)
        has_ended.append(True)

    end = begun(work)
    assert not has_ended
    may_end.set()
    end()
    assert has_ended


def test_helpers_end_soon_after_their_last_call(helpers):
    for end in [begun(lambda: None) for _ in range(3)]:
        end()
    helpers()
    assert not module._idle


def test_work_is_done_whenever_it_comes_while_helpers_resign(monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    done = []
    for number in range(2000):
        begun(lambda number=number: done.append(number))()
    assert done == list(range(2000))


def test_a_helper_that_is_taken_waits_for_its_work(monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.01)
    begun(lambda: None)()
    helper = module._idle.pop()
    time.sleep(0.1)
    done, is_done = [], threading.Lock()
    is_done.acquire()
    helper.give(thread_of(done), is_done)
    assert is_done.acquire(timeout=10)
    assert done == [helper]


def test_an_idle_helper_keeps_nothing_of_its_work():
    class Work:
        def __call__(self):
            pass

    work = Work()
    begun(work)()
    left = weakref.ref(work)
    del work
    gc.collect()
    assert left() is None


def test_a_helper_whose_work_fails_is_waited_for_and_not_used_again(monkeypatch):
    failed, found = [], []
    monkeypatch.setattr(threading, "excepthook", lambda given: failed.append(given.exc_type))

    def work():
        found.append(threading.current_thread())
        raise KeyboardInterrupt

    begun(work)()
    begun(thread_of(found))()
    assert failed == [KeyboardInterrupt]
    assert found[0] is not found[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_helpers_of_its_own():
    begun(lambda: None)()
    child = os.fork()
    if not child:
        found = []
        begun(thread_of(found))()
        os._exit(0 if len(found) == 1 else 1)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.01)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child waits for a thread that it does not have")
    assert os.waitstatus_to_exitcode(status) == 0
