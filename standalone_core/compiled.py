# SPDX-License-Identifier: MIT
"""The compiled engine, which gives NumPy's answers sooner: its state, and how to get it now.

It comes by itself once NumPy would need longer for the work than loading it takes.
"""

from . import arguments
from .building.buildable import callable_progress
from .concurrency.threads import Progress
from .engines import check_engine
from .engines.numba import compiling
from .engines.numba.compiling import State
from .errors import ArgumentError

__all__ = ["State", "compile", "state"]

# Seconds between two reports.
_STEP = 0.1


def state() -> State:
    """The state of the compiled engine in this process; returns at once.

    Examples
    --------
    >>> state().status in ("missing", "idle", "importing", "compiling", "ready", "failed")
    True
    """
    return compiling.state()


def compile(wait: bool = True, progress: Progress | None = None) -> State:
    """Get the compiled engine now, whether it pays or not.

    Parameters
    ----------
    wait : bool
        Whether to wait for it. Otherwise a thread gets it, and NumPy answers until then.
    progress : callable, optional
        Called in this thread, while it waits, with the share that is done, from 0 to 1. An
        exception from it ends the waiting, not the work.

    Returns
    -------
    State
        What :func:`state` returns then.

    Raises
    ------
    EngineError
        If numba is missing, or fails.
    ArgumentError, DtypeError
        If there is a `progress` without `wait`, or it is not callable.

    Notes
    -----
    In a container image, ``python -c "import standalone_core; standalone_core.compile()"``
    compiles for all processes to come. They need the same processor features, the same user, the
    same path of the package, and the same ``NUMBA_CACHE_DIR`` if that is set.

    Examples
    --------
    >>> compile().status  # doctest: +SKIP
    'ready'

    In the background there is nothing to report to:

    >>> compile(wait=False, progress=print)
    Traceback (most recent call last):
        ...
    standalone_core.errors.ArgumentError: progress is told to those who wait: it needs wait=True
    """
    report = callable_progress(progress)
    waits = arguments.flag(wait, "wait")
    if progress is not None and not waits:
        raise ArgumentError("progress is told to those who wait: it needs wait=True")
    check_engine("numba")
    compiling.begin()
    if not waits:
        return state()
    while not compiling.wait_for(_STEP):
        now = state()
        report(now.kernels / max(now.kernel_count, 1))
    check_engine("numba")
    if compiling.engine(wait=False) is not None:
        report(1.0)
    return state()


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
