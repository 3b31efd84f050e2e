# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads that help a call wait a moment for the next one, and then end."""

import gc
import sys
import threading
import time
import weakref

import pytest

from standalone_core.concurrency import helpers as module
from standalone_core.concurrency.helpers import begun

from ..forked import SOON, in_child, needs_forks

pytestmark = pytest.mark.usefixtures("helpers")


def done(work=lambda: None):
    """Have it done by a helper, for certain; the thread that did it."""
    has_begun, found = threading.Event(), []

    def begin():
        has_begun.set()
        found.append(threading.current_thread())
        work()

    end = begun(begin)
    assert has_begun.wait(SOON)
    end()
    return found[0]


def test_one_after_the_other_is_done_by_the_same_thread():
    found = {done() for _ in range(5)}
    assert len(found) == 1
    assert threading.current_thread() not in found


def test_what_is_begun_together_is_done_by_different_threads():
    both, found = threading.Barrier(3, timeout=SOON), []

    def work():
        both.wait()
        found.append(threading.current_thread())

    ends = [begun(work), begun(work)]
    both.wait()
    for end in ends:
        end()
    assert len(set(found)) == 2


def test_the_end_of_what_has_begun_is_waited_for():
    has_begun, may_end, has_ended = threading.Event(), threading.Event(), []

    def work():
        has_begun.set()
        may_end.wait(SOON)
        has_ended.append(True)

    end = begun(work)
    assert has_begun.wait(SOON)
    assert not has_ended
    threading.Timer(0.05, may_end.set).start()
    end()
    assert has_ended


def test_what_has_not_begun_is_left_out(monkeypatch):
    """As at the end of a process, when threads that wait are not woken any more."""
    monkeypatch.setattr(module._Helper, "start", lambda helper: None)
    found = []
    ending = threading.Thread(target=begun(lambda: found.append(True)), daemon=True)
    ending.start()
    ending.join(SOON)
    assert not ending.is_alive()
    assert not found


def test_nothing_is_begun_when_the_process_ends(monkeypatch):
    monkeypatch.setattr(sys, "is_finalizing", lambda: True)
    with pytest.raises(RuntimeError):
        begun(lambda: None)


def test_helpers_end_soon_after_their_last_call(helpers):
    both = threading.Barrier(3, timeout=SOON)
    ends = [begun(both.wait) for _ in range(2)]
    both.wait()
    for end in ends:
        end()
    assert len(helpers()) == 2
    assert not module._idle


def test_nothing_is_done_twice_or_waited_for_in_vain_while_helpers_resign(monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    found = []
    for number in range(2000):
        begun(lambda number=number: found.append(number))()
    assert found == sorted(set(found))


def test_a_helper_that_is_taken_waits_for_its_work(monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.5)
    done()
    helper = module._idle.pop()
    time.sleep(0.7)
    found = threading.Event()
    job = module._Job(found.set)
    helper.give(job)
    assert found.wait(SOON)
    job.end()


def test_a_helper_that_is_taken_and_given_nothing_ends(monkeypatch, helpers):
    monkeypatch.setattr(module, "_PATIENCE", 0.01)
    done()
    if module._idle:
        module._idle.pop()
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
