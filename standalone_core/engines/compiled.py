# SPDX-License-Identifier: MIT
"""The compiled engine, if numba is installed: brought up in a thread, while NumPy answers.

Importing numba takes a second, and compiling for the first time some more; what is compiled is
kept on disk for the next time.
"""

import atexit
import contextlib
import importlib
import importlib.util
import os
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np

from ..bvh import Tree, over_boxes
from ..cast.geometry import Geometry
from ..cast.rays import LoneRay, Query
from . import cache_folder

# How long a fork waits for what cannot be left half done: that takes a second or two, unless
# kernels are compiled in this process for want of another.
_PATIENCE = 10.0

_lock = threading.Lock()
_thread: threading.Thread | None = None
_engine: ModuleType | None = None
_reason: str | None = None

# Held while numba and LLVM are at work in the thread.
_busy = threading.Lock()
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
        if _thread is not None:
            _thread.join()
    return _engine


def scene_engine() -> ModuleType | None:
    """What casts batches at scenes, if the engine is ready."""
    return None if _engine is None else importlib.import_module(f"{__package__}.scene_engine")


def begin() -> None:
    """Have the engine brought up in a thread, unless it is or cannot be."""
    global _thread
    with _lock:
        if _thread is None and not _leaving and is_there():
            # It must not hold the process at its end.
            thread = threading.Thread(target=_bring_up, name="numba warm-up", daemon=True)
            thread.start()
            _thread = thread


def nbytes(tree: Tree) -> int:
    """Memory that the engine keeps beside a tree, in bytes."""
    return 0 if _engine is None else int(_engine.nbytes(tree))


def _bring_up() -> None:
    """Import the engine and have all of its code compiled by using it once."""
    global _engine, _reason
    try:
        with _kept() as folder:
            with _at_work():
                kernel_cache = importlib.import_module(f"{__package__}.kernel_cache")
                ready = folder is None or kernel_cache.is_complete(folder)
            if folder is not None and not ready:
                from . import compile_process  # takes longer to import than a pick to answer

                package = (__package__ or "").rpartition(".")[0]
                compile_process.run(package, cache_folder.PACKAGE, folder)
            with _at_work():
                kernel_cache.keep_in(folder, _go_on)
                module = importlib.import_module(f"{__package__}.numba_engine")
                importlib.import_module(f"{__package__}.scene_engine")
                _use(module)
                if folder is not None:
                    kernel_cache.set_complete(folder)
    except _LeavingError:
        pass
    except Exception as error:  # numba must never be a reason for a cast to fail
        _reason = f"{type(error).__name__}: {error}"
    else:
        _engine = module


@contextlib.contextmanager
def _kept() -> Iterator[Path | None]:
    """The folder for compiled code, if need be one for this process alone; None if none is safe."""
    digest = cache_folder.digest()
    if digest is None:
        yield None
        return
    folder = cache_folder.folder(digest)
    if folder is not None:
        yield folder
        return
    import shutil
    import tempfile

    alone = tempfile.mkdtemp()
    remove = atexit.register(lambda: shutil.rmtree(alone, ignore_errors=True))
    try:
        folder = Path(alone).resolve() / digest
        folder.mkdir(mode=0o700)
        yield folder if cache_folder.is_safe(folder) else None
    finally:
        remove()
        atexit.unregister(remove)


@contextlib.contextmanager
def _at_work() -> Iterator[None]:
    with _busy:
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
        ray = LoneRay((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 3**0.5, np.inf, Query(every=every))
        module.scan(geometry, ray, 1.0)
        module.cast(geometry, tree, ray)
        module.met_boxes(tree, np.zeros((1, 3)), np.ones((1, 3)), 0.0, ray)
        module.cast_many(geometry, tree, ray.batch())
    module.improve(geometry, tree)


@atexit.register
def _leave() -> None:
    """Wait for LLVM, whose memory the end of the process takes away; nothing more is begun.

    What is waited for is one import, or one kernel: up to two seconds, if this process compiles.
    """
    global _leaving
    _leaving = True
    _busy.acquire()


def _before_fork() -> None:
    """Let nothing be half done in the child."""
    global _held
    _held = not _leaving and _busy.acquire(timeout=_PATIENCE)


def _after_fork_in_parent() -> None:
    if _held:
        _busy.release()


def _after_fork_in_child() -> None:
    """Go on without the thread, which only the parent has."""
    global _lock, _busy, _thread, _reason
    _lock, _busy = threading.Lock(), threading.Lock()
    if _engine is None:
        _thread = None
        if not _held:
            _reason = "the process was forked while numba was at work"


_held = False
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
