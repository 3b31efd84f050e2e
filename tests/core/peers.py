# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries that the core works with and does not need; where one is missing its tests skip."""

import importlib
import os
import warnings

import pytest


def peer(name):
    """Import a library, or skip. With ``RAYPICK_PEERS=required`` one that is missing is a fault."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it warns of at import is its own affair
        if os.environ.get("RAYPICK_PEERS") == "required":
            return importlib.import_module(name)
        return pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)
