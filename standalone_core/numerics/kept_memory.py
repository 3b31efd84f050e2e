# SPDX-License-Identifier: MIT
"""Memory of a large answer, which serves the next one when nobody holds the first any more.

Fresh memory of the system has to be cleared, which takes a tenth of the time of a batch of rays and
more on virtual machines. One piece at most is kept.
"""

from weakref import finalize

import numpy as np

from .arrays import FloatArray

# Pieces of more numbers go back to the system.
_MOST = 1 << 23


class _Memory(np.ndarray[tuple[int], np.dtype[np.float64]]):
    """What is kept.

    A view of a view holds the array that owns the memory alone, unless that is of another type:
    then it holds the view, whose end so is that of all its views.
    """


_kept: list[_Memory] = []


def numbers(count: int) -> FloatArray:
    """An array (count,) of anything."""
    memory = _taken(count)
    lent = np.ndarray((count,), np.float64, memory)
    if len(memory) <= _MOST:
        finalize(lent, _keep, memory).atexit = False
    return lent


def _taken(count: int) -> _Memory:
    try:
        memory = _kept.pop()
    except IndexError:
        return _Memory((count,))
    if count <= len(memory) <= 2 * count:
        return memory
    _keep(memory)
    return _Memory((count,))


def _keep(memory: _Memory) -> None:
    _kept[:] = [memory]
