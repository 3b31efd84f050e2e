# SPDX-License-Identifier: MIT
"""The compiled engine, if numba is installed: brought up in a thread, while NumPy answers.

Importing numba takes a second, and compiling for the first time much longer; what is compiled is
kept on disk for the next time. When either pays, :mod:`.compile_price` knows.
"""

import atexit
import contextlib
import importlib
import importlib.util
import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np

from ..bvh import Tree, over_boxes
from ..cast.rays import Geometry, LoneRay, Query
from ..concurrency.forks import Lock, compiling
from . import cache_folder, compile_price, compile_process
from .compiled_state import State, Status

# Seconds of NumPy's work after which the prices are first looked at, which takes no time beside it.
_FIRST_LOOK = 0.5

_lock = Lock()
_thread: threading.Thread | None = None
_engine: ModuleType | None = None
_reason: str | None = None
_state = State("idle")
_start = 0.0

# Seconds that NumPy worked in this process, those of them that are in the kept rent, and those at
# which the prices are looked at again. `_wanted` if compiled code is to come whatever it costs.
_seconds, _counted, _due = 0.0, 0.0, _FIRST_LOOK
_wanted = False

_leaving = False


class _LeavingError(Exception):
    """The process ends; nothing is begun any more."""


def is_there() -> bool:
    """Whether numba is installed, and has not failed to work."""
    return reason() is None


def is_ready() -> bool:
    """Whether the compiled engine can answer now."""
    return _engine is not None


def reason() -> str | None:
    """Why there is no compiled engine, or None."""
    if _reason is None and not _is_installed():
        return "numba is not installed (pip install numba)"
    return _reason


@cache
def _is_installed() -> bool:
    """Asked once, as the answer takes longer than a pick."""
    return importlib.util.find_spec("numba") is not None


def engine(wait: bool) -> ModuleType | None:
    """The engine if it is ready; `wait` has it brought up, until it is ready or has failed."""
    if _engine is None and wait and not _leaving:
        begin()
        wait_for()
    return _engine


def scene_engine() -> ModuleType | None:
    """What casts batches at scenes, if the engine is ready."""
    return None if _engine is None else importlib.import_module(f"{__package__}.scene_engine")


def begin() -> None:
    """Have the engine brought up in a thread, unless it is or cannot be."""
    global _wanted
    with _lock.here:
        _wanted = True
        _start_thread()


def worked(seconds: float) -> None:
    """Hear how long NumPy has worked in all, with the work in hand; begin if compiled code pays."""
    global _seconds
    if seconds >= _due and _thread is None:
        with _lock.here:
            _seconds = seconds
            _start_thread()


def wait_for(timeout: float | None = None) -> bool:
    """Wait until the engine is ready or has failed, so many seconds at most; whether it is so."""
    thread = _thread
    if thread is not None:
        thread.join(timeout)
    return thread is None or not thread.is_alive()


def state() -> State:
    """Where it stands."""
    why = reason()
    if _engine is None and why is not None:
        return State("missing", why) if _reason is None else replace(_state, reason=why)
    known = _state
    at_work = known.status in ("importing", "compiling")
    return replace(known, seconds=time.monotonic() - _start) if at_work else known


def _start_thread() -> None:
    """Start the thread, unless there was one; the lock is held."""
    global _thread
    if _thread is None and not _leaving and is_there():
        # It must not hold the process at its end.
        thread = threading.Thread(target=_bring_up, name="numba warm-up", daemon=True)
        thread.start()
        _thread = thread


def nbytes(tree: Tree) -> int:
    """Memory that the engine keeps beside a tree, in bytes."""
    return 0 if _engine is None else int(_engine.nbytes(tree))


def _bring_up() -> None:
    """Make the engine ready, if that is due."""
    global _engine, _reason, _start
    _start = time.monotonic()
    try:
        digest = cache_folder.digest()
        own = None if digest is None else cache_folder.folder(digest)
        if not _is_due(own):
            return
        with _kept(digest, own) as folder:
            module = _imported(folder)
    except _LeavingError:
        pass
    except Exception as error:  # numba must never be a reason for a cast to fail
        _set_state("failed")
        _reason = f"{type(error).__name__}: {error}"
    else:
        _set_state("ready")
        _engine = module


def _is_due(folder: Path | None) -> bool:
    """Whether compiled code is wanted or pays; if not, the thread is over, and `_due` is set."""
    global _thread, _counted, _due
    prices = compile_price.read(folder)
    kept = folder is not None and any(folder.glob("complete-*"))
    seconds = _seconds
    if not kept:
        prices = prices._replace(rent=prices.rent + seconds - _counted)
        compile_price.write(folder, prices)
        _counted = seconds
    with _lock.here:
        if _wanted or compile_price.is_due(prices, seconds, kept):
            return True
        _due = compile_price.next_look(prices, seconds, kept)
        _thread = None
        return False


def _imported(folder: Path | None) -> ModuleType:
    """The engine; all of its code is compiled by then, in another process if it can be kept."""
    began = time.monotonic()
    prices = compile_price.read(folder)
    _set_state("importing", compile_process.kernel_count(cache_folder.PACKAGE))
    with _at_work():
        kernel_cache = importlib.import_module(f"{__package__}.kernel_cache")
        kept = folder is not None and kernel_cache.is_complete(folder)
    if not kept:
        _set_state("compiling")
    load, began = time.monotonic() - began, time.monotonic()
    if folder is not None and not kept:
        is_first = not any(folder.iterdir())
        package = (__package__ or "").rpartition(".")[0]
        kept = compile_process.run(package, cache_folder.PACKAGE, folder, _count_kernel)
        if kept:
            _set_state("importing")
            if is_first:
                prices = prices._replace(compile=time.monotonic() - began)
        began = time.monotonic()
    with _at_work():
        kernel_cache.keep_in(folder, _count_kernel if kept else _compile_kernel)
        module = importlib.import_module(f"{__package__}.numba_engine")
        importlib.import_module(f"{__package__}.scene_engine")
        _use(module)
        if folder is not None:
            kernel_cache.set_complete(folder)
    if kept:
        prices = prices._replace(load=load + time.monotonic() - began)
    compile_price.write(folder, prices._replace(rent=0.0))
    return module


def _set_state(status: Status, kernel_count: int | None = None) -> None:
    global _state
    count = _state.kernel_count if kernel_count is None else kernel_count
    kernels = count if status == "ready" else _state.kernels
    _state = State(status, None, kernels, count, time.monotonic() - _start)


def _compile_kernel() -> None:
    """As :func:`_count_kernel`, where this process compiles: for a minute, which no fork waits."""
    compiling.pause()
    _count_kernel()


def _count_kernel() -> None:
    """Count a kernel that is begun, and go on with it unless the process ends."""
    global _state
    _go_on()
    _state = replace(_state, kernels=min(_state.kernels + 1, _state.kernel_count))


@contextlib.contextmanager
def _kept(digest: str | None, own: Path | None) -> Iterator[Path | None]:
    """The folder for compiled code, if need be one for this process alone; None if none is safe."""
    if digest is None or own is not None:
        yield own
        return
    # The name comes first, so that it is removed wherever the making is interrupted.
    alone = Path(tempfile.gettempdir()).resolve() / f"raypick-{secrets.token_hex(8)}"
    remove = atexit.register(lambda: shutil.rmtree(alone, ignore_errors=True))
    try:
        folder = alone / digest
        for made in (alone, folder):
            made.mkdir(mode=0o700)
        yield folder if cache_folder.is_safe(folder) else None
    finally:
        remove()
        atexit.unregister(remove)


@contextlib.contextmanager
def _at_work() -> Iterator[None]:
    with compiling.here:
        _go_on()
        yield


def _go_on() -> None:
    if _leaving:
        raise _LeavingError


def _use(module: ModuleType) -> None:
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
        module.lengths_of(corners, corners)
    module.improve(geometry, tree, lambda done: None)
    module.closest(geometry, tree, corners, np.ones(3), None)


@atexit.register
def _leave() -> None:
    """Wait for LLVM, whose memory the end of the process takes away; nothing more is begun.

    What is waited for is one import, or one kernel: up to two seconds, if this process compiles.
    """
    global _leaving
    _leaving = True
    compiling.here.acquire()


def _after_fork_in_child() -> None:
    """Go on without the thread, which only the parent has."""
    global _thread, _reason, _state
    if _engine is None:
        _thread, _state = None, State("idle")
        if compiling.was_cut:
            _reason = "the process was forked while numba was at work"
            _state = State("failed")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
