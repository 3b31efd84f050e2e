# SPDX-License-Identifier: MIT
"""Memory of a large answer, which serves the next one when nobody holds the first any more.

Fresh memory of the system has to be cleared, which takes a tenth of the time of a batch of rays and
more on virtual machines. One piece is kept, that of the last answer, of 64 MiB at most.
"""

import sys
from contextlib import suppress

import numpy as np

from .arrays import FloatArray

# Pieces of more numbers go back to the system.
_MOST = 1 << 23

_kept: list[FloatArray] = []


def numbers(count: int) -> FloatArray:
    """An array (count,) of anything."""
    memory: list[FloatArray] = []
    with suppress(IndexError):
        memory.append(_kept.pop())  # So that no other thread takes it too.
        if not count <= len(memory[0]) <= 2 * count or _holders(memory) > _ALONE:
            memory.clear()
    if not memory:
        memory.append(np.empty(count))
    lent = memory[0][:count]
    if len(memory[0]) <= _MOST:
        _kept[:] = memory
    return lent


def _holders(memory: list[FloatArray]) -> int:
    """How many references there are to the only array of a list; each view of it has one."""
    return sys.getrefcount(memory[0])


# Measured, as it is not the same in all versions of Python.
_ALONE = _holders([np.empty(1)])
