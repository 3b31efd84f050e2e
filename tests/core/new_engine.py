# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled engine: as at the start of a process with numba, and with its kernels loaded."""

from importlib import import_module

import pytest

import standalone_core as sc
from standalone_core.engines.numba import compiling
from standalone_core.engines.numba.compiling import State

START = {
    "_engine": None,
    "_thread": None,
    "_state": State("idle"),
    "_next_look": compiling._LOADING,
    "_is_installed": lambda: True,
}


def module_of_kernels(name):
    """Import a module of kernels after the engine, which loads those that it has kept.

    Imported before, it compiles its kernels anew.
    """
    pytest.importorskip("numba")
    sc.compile()
    return import_module(f"standalone_core.engines.numba.{name}")


def forget(monkeypatch):
    """Forget the engine until the end of the test."""
    for name, value in START.items():
        monkeypatch.setattr(compiling, name, value)
