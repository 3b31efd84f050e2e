# SPDX-License-Identifier: MIT
"""Loading of the compiled engine, if numba is installed, and the rule when it is loaded.

Importing numba and loading its kernels takes half a second. The first time, another process
compiles them, which takes half a minute or more, and they are kept on disk. NumPy's seconds are
counted, and :func:`engine_after` decides. A thread does the work.
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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np

from ...bvh import Tree, over_boxes
from ...cast.hits import joined
from ...cast.rays import Geometry, LoneRay, Query
from ...concurrency import forks
from ...numerics.columns import concatenated
from ...numerics.values import immutable
from . import kernel_cache

# Seconds of NumPy's work after which it pays to load kernels, and to compile them. Compiling takes
# longer, but later processes need not do it again.
_LOADING, _COMPILING = 0.5, 10.0

# The first queries of a batch, which also prepare the mesh, and those after them, which tell how
# long the others take: with fewer, the call costs the most.
_FIRST, _SAMPLE = 1 << 9, 1 << 11

# Seconds of a piece of a batch: after each piece, the compiled engine may take over.
_PIECE = 0.5

# Seconds a triangle that NumPy takes for a tree.
_BUILD = 4e-7

# Seconds between two looks at the thread that loads.
_STEP = 0.05

_BATCHES = frozenset({"any_hit", "cast_many", "cast_nearest", "closest", "count_hits"})

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
_reason: str | None = None
_state = State("idle")
_start = 0.0
_next_look = _LOADING
_leaving = False


def reason() -> str | None:
    """Why there is no compiled engine, or None."""
    if _reason is None and not _is_installed():
        return "numba is not installed (pip install numba)"
    return _reason


@cache  # finding out takes longer than a pick
def _is_installed() -> bool:
    return importlib.util.find_spec("numba") is not None


def state() -> State:
    """The state of the compiled engine now."""
    why = reason()
    if _engine is None and why is not None:
        return State("missing", why) if _reason is None else replace(_state, reason=why)
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
    """The engine if it is ready; loading it, or compiling it, begins once that pays.

    NumPy has worked for the seconds `spent`, and for the present call it would need those
    `expected`. If that is longer than loading takes, the call waits until loading has gone on for
    as long; a load that is late is not waited for again. It never waits for a compiler.
    """
    global _next_look
    seconds = spent + expected
    if _thread is None and seconds >= _next_look and reason() is None:
        if seconds >= _COMPILING or _is_on_disk():
            begin()
        else:  # Look again later: other processes may compile meanwhile.
            _next_look = min(2.0 * seconds, _COMPILING)
    if _engine is None and expected >= _LOADING:
        end = _start + expected
        while _state.status != "compiling" and not wait_for(_STEP) and time.monotonic() < end:
            pass
    return _engine


def _is_on_disk() -> bool:
    """Whether all kernels seem to be compiled on disk, judged without importing numba."""
    digest = kernel_cache.digest()
    with contextlib.suppress(OSError, RuntimeError):
        place = None if digest is None else kernel_cache.place(digest)
        return place is not None and any(place.glob("complete-*"))
    return False


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
    thread = _thread
    if thread is None:
        return True
    thread.join(timeout)
    return not thread.is_alive()


def scene_engine() -> ModuleType | None:
    """The module that casts batches at scenes, if the engine is ready."""
    return None if _engine is None else importlib.import_module(f"{__package__}.scene_engine")


def nbytes(tree: Tree) -> int:
    """Memory that the engine keeps beside a tree, in bytes."""
    return 0 if _engine is None else int(_engine.nbytes(tree))


# In the thread


def _bring_up() -> None:
    global _engine, _reason
    try:
        with _kernel_folder() as folder:
            module = _imported(folder)
    except _LeavingError:
        pass
    except Exception as error:  # numba must never be a reason for a cast to fail
        _set_state("failed")
        _reason = f"{type(error).__name__}: {error}"
    else:
        _set_state("ready")
        _engine = module


@contextlib.contextmanager
def _kernel_folder() -> Iterator[Path | None]:
    """The folder for kernels, else a temporary one of this process; None if neither is safe."""
    digest = kernel_cache.digest()
    own = None if digest is None else kernel_cache.folder(digest)
    if digest is None or own is not None:
        yield own
        return
    # Removal is registered before it is made, in case an interrupt comes in between.
    alone = Path(tempfile.gettempdir()).resolve() / f"raypick-{secrets.token_hex(8)}"
    remove = atexit.register(lambda: shutil.rmtree(alone, ignore_errors=True))
    try:
        folder = alone / digest
        for made in (alone, folder):
            made.mkdir(mode=0o700)
        yield folder if kernel_cache.is_safe(folder) else None
    finally:
        remove()
        atexit.unregister(remove)


def _imported(folder: Path | None) -> ModuleType:
    """Import the engine, all compiled: by another process if kernels can be kept on disk."""
    _set_state("importing", kernel_cache.kernel_count())
    with _at_work():
        is_kept = folder is not None and kernel_cache.is_complete(folder)
    if not is_kept:
        _set_state("compiling")
        if folder is not None and kernel_cache.compile_apart(folder, _count_kernel):
            is_kept = True
            _set_state("importing")
    with _at_work():
        kernel_cache.keep_in(folder, _count_kernel if is_kept else _compile_kernel)
        module = importlib.import_module(f"{__package__}.numba_engine")
        importlib.import_module(f"{__package__}.scene_engine")
        _use(module)
        if folder is not None:
            kernel_cache.set_complete(folder)
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


def _set_state(status: Status, kernel_count: int | None = None) -> None:
    global _state
    count = _state.kernel_count if kernel_count is None else kernel_count
    kernels = count if status == "ready" else _state.kernels
    _state = State(status, None, kernels, count, time.monotonic() - _start)


def _compile_kernel() -> None:
    """As :func:`_count_kernel`, and let forks happen, as this process compiles for a minute."""
    forks.compiling.pause()
    _count_kernel()


def _count_kernel() -> None:
    """Count a kernel that is about to be compiled or loaded; raise if the process ends."""
    global _state
    _go_on()
    _state = replace(_state, kernels=min(_state.kernels + 1, _state.kernel_count))


# When the process ends or forks


class _LeavingError(Exception):
    """The process ends, so loading stops."""


@contextlib.contextmanager
def _at_work() -> Iterator[None]:
    with forks.compiling.here:
        _go_on()
        yield


def _go_on() -> None:
    if _leaving:
        raise _LeavingError


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
    global _thread, _reason, _state
    if _engine is None:
        _thread, _state = None, State("idle")
        if forks.compiling.was_cut:
            _reason = "the process was forked while numba was at work"
            _state = State("failed")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


# While NumPy answers


class TimedEngine:
    """An engine that counts its seconds, and leaves work to a better one.

    Before large work, and after each piece of it, ``better`` is called with the seconds spent so
    far, and those that the rest is expected to take. It returns a better engine, or None.
    """

    def __init__(self, engine: Any, better: Callable[..., Any]) -> None:
        self._engine = engine
        self._better = better
        self._pace: dict[str, float] = {}
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        work = partial(self._timed, getattr(self._engine, name))
        return partial(self._in_pieces, name, work) if name in _BATCHES else work

    def build(self, geometry: Geometry, *given: Any) -> Any:
        """A tree, see :class:`.EngineModule`."""
        better = self._better(self.seconds, _BUILD * len(geometry.triangles))
        if better is not None:
            return better.build(geometry, *given)
        return self._timed(self._engine.build, geometry, *given)

    def _timed(self, work: Callable[..., Any], *arguments: Any) -> Any:
        # Processor time: other processes slow down loading as well.
        start = time.thread_time()
        try:
            return work(*arguments)
        finally:
            self.seconds += time.thread_time() - start
            self._better(self.seconds)

    def _in_pieces(self, name: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """The answer to a batch; a large one is cut into pieces."""
        count = len(arguments[2])
        parts: list[tuple[int, Any]] = []
        start = 0
        while start < count or not parts:
            pace = self._pace.get(name, 0.0)
            better = self._better(self.seconds, pace * (count - start))
            if better is not None:
                rest = getattr(better, name)(*_part(arguments, start, count))
                parts.append((start, rest))
                break
            known = name in self._pace
            length = max(_SAMPLE, round(_PIECE / pace) if pace else 0) if known else _FIRST
            # A short rest joins the last piece.
            end = count if count - start < 2 * length else start + length
            before = self.seconds
            parts.append((start, work(*_part(arguments, start, end))))
            if end - start >= length:
                # The first call is not timed, as it also prepares what later ones use.
                self._pace[name] = (self.seconds - before) / (end - start) if known else 0.0
            start = end
        return _joined(parts)


def _part(arguments: tuple[Any, ...], start: int, end: int) -> tuple[Any, ...]:
    """The arguments for a slice of a batch of rays, or of points with their limits."""
    geometry, tree, asked, *given = arguments
    if (start, end) == (0, len(asked)):
        return arguments
    rows = slice(start, end)
    if not given:
        return geometry, tree, asked.take(rows)
    limits, excluded = given
    return geometry, tree, asked[rows], limits[rows], excluded


def _joined(parts: list[tuple[int, Any]]) -> Any:
    """The answers of all parts as one; each part is given with its first row."""
    answers = [answer for _, answer in parts]
    if len(parts) == 1:
        return answers[0]
    if isinstance(answers[0], tuple):
        return joined([(rows + start, hits) for start, (rows, hits) in parts])
    return np.concatenate(answers) if isinstance(answers[0], np.ndarray) else concatenated(answers)
