# SPDX-License-Identifier: MIT
"""Threads for long calls of NumPy and of compiled code, which let go of Python's lock.

An interrupt (Ctrl-C) reaches the thread that waits. The calls that it waits for then end at their
next :func:`go_on`.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")

# Arrays shorter than this are done sooner than a thread is started.
_WORTH_IT = 1 << 16

# Seconds of waiting after which an interrupt is looked for: Windows does not wake up for it.
_PATIENCE = 0.1

_task = threading.local()


def go_on() -> None:
    """End a long task that nobody waits for; it should call this ten times a second.

    CancelledError in a thread of :func:`one_by_one` whose results are not needed any more.
    """
    is_over: threading.Event | None = getattr(_task, "is_over", None)
    if is_over is not None and is_over.is_set():
        raise CancelledError


def on_all_cores(
    function: Callable[[Given], Result], given: Iterable[Given], length: int
) -> list[Result]:
    """The function of each, in threads if the arrays that it works on have enough `length`."""
    return list(one_by_one(function, given, length))


def one_by_one(
    function: Callable[[Given], Result], given: Iterable[Given], length: int
) -> Iterator[Result]:
    """As :func:`on_all_cores`, each as soon as it and those before it are there.

    Closing the iterator cancels calls that have not begun and ends the others at their next
    :func:`go_on`.
    """
    if length < _WORTH_IT:
        yield from map(function, given)
        return
    is_over = threading.Event()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            for result in [_begun(pool, function, one, is_over) for one in given]:
                yield result()
        finally:
            is_over.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _begun(
    pool: ThreadPoolExecutor,
    function: Callable[[Given], Result],
    given: Given,
    is_over: threading.Event,
) -> Callable[[], Result]:
    """What waits for the function's result."""
    lock = threading.Lock()
    results: list[Result] = []

    def once() -> Result:
        with lock:
            if not results:
                before, _task.is_over = getattr(_task, "is_over", None), is_over
                try:
                    results.append(function(given))
                finally:
                    _task.is_over = before
            return results[0]

    try:
        future = pool.submit(once)
    except RuntimeError:  # no thread can be started, but another may have taken it all the same
        return once

    def result() -> Result:
        while True:
            try:
                future.exception(_PATIENCE)
            except TimeoutError:
                go_on()
            else:
                return future.result()

    return result
