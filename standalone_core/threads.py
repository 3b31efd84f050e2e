# SPDX-License-Identifier: MIT
"""Threads for the long calls of NumPy, which let go of Python's lock."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
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
    if length < _WORTH_IT or sys.is_finalizing() or not threading.main_thread().is_alive():
        return [function(one) for one in given]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, given))
