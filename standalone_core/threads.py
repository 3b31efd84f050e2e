# SPDX-License-Identifier: MIT
"""Threads for long calls of NumPy and of compiled code, which let go of Python's lock."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")

# Arrays shorter than this are done sooner than a thread is started.
_WORTH_IT = 1 << 16


def on_all_cores(
    function: Callable[[Given], Result], given: Iterable[Given], length: int
) -> list[Result]:
    """The function of each, in threads if the arrays that it works on have enough `length`."""
    return list(one_by_one(function, given, length))


def one_by_one(
    function: Callable[[Given], Result], given: Iterable[Given], length: int
) -> Iterator[Result]:
    """As :func:`on_all_cores`, each as soon as it and those before it are there.

    Who stops asking cancels what has not begun.
    """
    if length < _WORTH_IT:
        yield from map(function, given)
        return
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            for result in [_begun(pool, function, one) for one in given]:
                yield result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begun(
    pool: ThreadPoolExecutor, function: Callable[[Given], Result], given: Given
) -> Callable[[], Result]:
    """What waits for the function's result."""
    lock = threading.Lock()
    results: list[Result] = []

    def once() -> Result:
        with lock:
            if not results:
                results.append(function(given))
            return results[0]

    try:
        return pool.submit(once).result
    except RuntimeError:  # no thread can be started, but another may have taken it all the same
        return once
