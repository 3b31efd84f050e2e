# SPDX-License-Identifier: MIT
"""Ways to take rays through the same tree, all with the same answers."""

from __future__ import annotations

from types import ModuleType
from typing import Literal

from ..errors import EngineError
from . import numpy_engine

Engine = Literal["auto", "numpy", "numba"]


def engine_named(name: str) -> ModuleType:
    """The engine of the given name; ``"auto"`` takes the fastest that is there.

    Raises
    ------
    EngineError
        If there is no engine of that name, or it cannot be used here.
    """
    if name in ("auto", "numpy"):
        return numpy_engine
    if name == "numba":
        raise EngineError('engine "numba" is not part of this version: use "auto" or "numpy"')
    raise EngineError(f'engine must be "auto", "numpy" or "numba", not {name!r}')
