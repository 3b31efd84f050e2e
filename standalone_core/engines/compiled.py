# SPDX-License-Identifier: MIT
"""The compiled engine, if numba is installed: brought up in a thread, while NumPy answers.

Importing numba takes a second, and compiling for the first time some more; what is compiled is
kept on disk for the next time.
"""

from __future__ import annotations

import importlib
import importlib.util
import threading
from functools import cache
from types import ModuleType

import numpy as np

from ..bvh import Tree, over_boxes
from ..geometry import Geometry
from ..ray_batch import LoneRay, Question

_lock = threading.Lock()
_thread: threading.Thread | None = None
_engine: ModuleType | None = None
_reason: str | None = None


def is_there() -> bool:
    """Whether numba is installed, and has not failed to work."""
    return reason() is None


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
    """The engine if it is ready; its coming is set off by the first call.

    Parameters
    ----------
    wait : bool
        Wait until it is ready, or has failed to be.
    """
    global _thread
    if _engine is not None:
        return _engine
    with _lock:
        if _thread is None and is_there():
            thread = threading.Thread(target=_bring_up, name="numba warm-up")
            thread.start()
            _thread = thread
    if wait and _thread is not None:
        _thread.join()
    return _engine


def nbytes(tree: Tree) -> int:
    """Memory that the engine keeps beside a tree, in bytes."""
    return 0 if _engine is None else int(_engine.nbytes(tree))


def _bring_up() -> None:
    """Import the engine and have all of its code compiled by using it once."""
    global _engine, _reason
    try:
        module = importlib.import_module(f"{__package__}.numba_engine")
        _use(module)
    except Exception as error:  # numba must never be a reason for a cast to fail
        _reason = f"{type(error).__name__}: {error}"
    else:
        _engine = module


def _use(module: ModuleType) -> None:
    corners = np.eye(3)
    triangles = np.array([[0, 1, 2]], dtype=np.int32)
    geometry = Geometry(corners, triangles, None)
    tree = over_boxes(np.zeros((1, 3)), np.ones((1, 3)))
    for every in (False, True):
        ray = LoneRay((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 3**0.5, np.inf, Question(every=every))
        module.scan(geometry, ray, 1.0)
        module.cast_one(geometry, tree, ray)
        module.met_boxes(tree, np.zeros((1, 3)), np.ones((1, 3)), 0.0, ray)
        module.cast(geometry, tree, ray.batch())
