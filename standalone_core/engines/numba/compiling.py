# SPDX-License-Identifier: MIT
"""The compiled engine: its state, the rule when it is loaded, and the thread that loads it.

A call that NumPy would need longer for than loading takes loads first, and a long batch asks again
after each piece. Shorter calls add up: once NumPy has worked for as long, a thread loads meanwhile.

What no process has compiled before takes half a minute or more. Another process compiles it, once
NumPy has worked for ten seconds, and no call waits for that.
"""

import atexit
import importlib
import importlib.util
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import Any, Literal

import numpy as np

from ...bvh import Tree, over_boxes
from ...cast.rays import Geometry, LoneRay, Query
from ...concurrency import forks
from ...numerics.values import immutable

# Seconds of NumPy's work after which it pays to load kernels, which takes 0.4 s, and to compile
# them. Compiling takes longer, but later processes need not do it again.
_LOADING, _COMPILING = 0.5, 10.0

# Seconds of loading after which it is late, and no call waits for it any more.
_LATE = 5.0

# Seconds between two looks at the thread that loads.
_STEP = 0.05

# When the core's sources were imported.
_IMPORTED = time.time()

Status = Literal["missing", "idle", "importing", "compiling", "ready", "failed"]


@immutable
@dataclass(frozen=True, slots=True)
class State:
    """The state of the compiled engine, see :func:`standalone_core.compiled.state`.

    Attributes
    ----------
    status : {"missing", "idle", "importing", "compiling", "ready", "failed"}
        ``"missing"``: numba is not installed. ``"idle"``: NumPy answers, as compiled code would not
        pay yet. ``"importing"``: numba is being imported, and kernels loaded.
        ``"compiling"``: kernels are being compiled. ``"ready"``: compiled code answers where "auto"
        or "numba" is asked for. ``"failed"``: it cannot be used in this process.
    reason : str or None
        Why it is missing, or has failed.
    kernels, kernel_count : int
        How many kernels are compiled or loaded so far, of how many; 0 while it is idle or missing.
    seconds : float
        How long loading has taken so far, or took in all; 0 while it is idle or missing.

    Examples
    --------
    >>> State("compiling", kernels=3, kernel_count=12).kernels
    3
    """

    status: Status
    reason: str | None = None
    kernels: int = 0
    kernel_count: int = 0
    seconds: float = 0.0


_lock = forks.Lock()
_thread: threading.Thread | None = None
_engine: ModuleType | None = None
_state = State("idle")
_start = 0.0
_next_look = _LOADING
_leaving = False


def _why_missing() -> str:
    return "numba is not installed (pip install numba)"


def reason() -> str | None:
    """Why there is no compiled engine, or None."""
    return _state.reason if _is_installed() else _why_missing()


def explain_missing(words: Callable[[], str]) -> None:
    """Let a program that brings numba in its own way say why it is missing, in all messages."""
    global _why_missing
    _why_missing = words


@cache  # finding out takes longer than a pick
def _is_installed() -> bool:
    return importlib.util.find_spec("numba") is not None


def state() -> State:
    """The state of the compiled engine now."""
    if not _is_installed():
        return State("missing", reason())
    known = _state
    at_work = known.status in ("importing", "compiling")
    return replace(known, seconds=time.monotonic() - _start) if at_work else known


def engine(wait: bool) -> ModuleType | None:
    """The engine if it is ready; `wait` first loads it, until it is ready or has failed."""
    if _engine is None and wait and not _leaving:
        begin()
        wait_for()
    return _engine


def engine_after(spent: float, expected: float = 0.0) -> ModuleType | None:
    """The engine if it is ready; if it pays, this loads it first, or has a thread load it.

    NumPy has worked for the seconds `spent`, and for the present call it would need those
    `expected`. If that is longer than loading takes, the call waits until loading has gone on for
    as long, or for five seconds. So a thread waits no longer in all, however late loading is.
    """
    global _next_look
    seconds = spent + expected
    if _thread is None and seconds >= _next_look and reason() is None:
        if seconds >= _COMPILING or _kernel_cache().seems_complete():
            begin()
        else:  # Look again later: other processes may compile meanwhile.
            _next_look = min(2.0 * seconds, _COMPILING)
    if _engine is None and expected >= _LOADING:
        end = _start + min(expected, _LATE)
        while _state.status != "compiling" and time.monotonic() < end and not wait_for(_STEP):
            pass
    return _engine


def begin() -> None:
    """Load the engine in a thread, unless that has begun or cannot succeed."""
    global _thread, _start
    with _lock.here:
        if _thread is None and not _leaving and reason() is None:
            _start = time.monotonic()
            # A daemon, so that the process can end without it.
            thread = threading.Thread(target=_bring_up, name="numba warm-up", daemon=True)
            thread.start()
            _thread = thread


def wait_for(timeout: float | None = None) -> bool:
    """Wait at most `timeout` seconds for the thread that loads; return whether it is done."""
    if (thread := _thread) is not None:
        thread.join(timeout)
    return thread is None or not thread.is_alive()


def scene_engine() -> ModuleType | None:
    """The module that casts batches at scenes, if the engine is ready."""
    return None if _engine is None else importlib.import_module(f"{__package__}.scene_engine")


def nbytes(tree: Tree) -> int:
    """Memory that the engine keeps beside a tree, in bytes."""
    return 0 if _engine is None else int(_engine.nbytes(tree))


def _kernel_cache() -> Any:
    """The module of kernels on disk, whose imports most processes do not need."""
    module: Any = forks.imported(f"{__package__}.kernel_cache")
    module.imported = min(module.imported, _IMPORTED)
    return module


def _report(status: Status, **changes: Any) -> None:
    global _state
    _state = replace(_state, status=status, seconds=time.monotonic() - _start, **changes)


# In the thread


def _bring_up() -> None:
    global _engine
    try:
        with _kernel_cache().safe_folder() as folder:
            module = _imported(folder)
    except Exception as error:  # numba must never be a reason for a cast to fail
        _report("failed", reason=f"{type(error).__name__}: {error}")
    else:
        _engine = module
        _report("ready", kernels=_state.kernel_count)


def _imported(folder: Any) -> ModuleType:
    """Import the engine, all compiled: by another process if kernels can be kept on disk."""
    kernels = _kernel_cache()
    _report("importing", kernel_count=kernels.kernel_count())
    with forks.compiling.here:
        _go_on()
        is_kept = folder is not None and kernels.is_complete(folder)
    if not is_kept:
        _report("compiling")
        if folder is not None and kernels.compile_apart(folder, _count_kernel):
            is_kept = True
            _report("importing")
    with forks.compiling.here:
        _go_on()
        kernels.keep_in(folder, _count_kernel if is_kept else _compile_kernel)
        module = importlib.import_module(f"{__package__}.numba_engine")
        importlib.import_module(f"{__package__}.scene_engine")
        _use(module)
        if folder is not None:
            kernels.set_complete(folder)
    return module


def _use(module: ModuleType) -> None:
    """Call every function once, so that a broken one fails here and not in a cast."""
    corners = np.eye(3)
    triangles = np.array([[0, 1, 2]], dtype=np.int32)
    geometry = Geometry(corners, triangles, None)
    tree = over_boxes(np.zeros((1, 3)), np.ones((1, 3)))
    for every in (False, True):
        ray = LoneRay((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 3**0.5, 0.0, np.inf, Query(every=every))
        module.scan(geometry, ray, 1.0)
        module.cast(geometry, tree, ray)
        module.met_boxes(tree, np.zeros((1, 3)), np.ones((1, 3)), 0.0, ray)
        module.cast_many(geometry, tree, ray.batch())
        module.measured(corners, 0.5 * corners)
    module.improve(geometry, tree, lambda done: None)
    module.closest(geometry, tree, corners, np.ones(3), None)
    module.winding(geometry, tree, corners, np.ones(3), None)


def _compile_kernel() -> None:
    """As :func:`_count_kernel`, and let forks happen, as this process compiles for a minute."""
    forks.compiling.pause()
    _count_kernel()


def _count_kernel() -> None:
    """Count a kernel that is about to be compiled or loaded; raise if the process ends."""
    _go_on()
    _report(_state.status, kernels=min(_state.kernels + 1, _state.kernel_count))


# When the process ends or forks


def _go_on() -> None:
    if _leaving:
        raise SystemExit


@atexit.register
def _leave() -> None:
    """Stop loading, and wait for LLVM, whose memory is freed when the process ends.

    The wait is for one import or one kernel: up to two seconds, if this process compiles.
    """
    global _leaving
    _leaving = True
    forks.compiling.here.acquire()


def _after_fork_in_child() -> None:
    """Go on without the thread, which only the parent has."""
    global _thread, _state
    if _engine is None and _state.reason is None:
        why = "the process was forked while numba was at work" if forks.compiling.was_cut else None
        _thread, _state = None, State("failed" if why else "idle", why)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
