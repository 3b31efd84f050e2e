# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled engine as at the start of a process in which numba is installed."""

from standalone_core.engines import compiled
from standalone_core.engines.compiled_state import State

START = {
    "_engine": None,
    "_reason": None,
    "_thread": None,
    "_state": State("idle"),
    "_wanted": False,
    "_seconds": 0.0,
    "_counted": 0.0,
    "_due": compiled._FIRST_LOOK,
    "_is_installed": lambda: True,
}


def forget(monkeypatch):
    """Forget the engine until the end of the test."""
    for name, value in START.items():
        monkeypatch.setattr(compiled, name, value)
