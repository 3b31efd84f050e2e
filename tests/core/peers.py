# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries that the core works with and does not need; where one is missing its tests skip."""

import importlib
import os
import warnings

import pytest


def peer(name):
    """Import a library, or skip; one that ``RAYPICK_PEERS`` names must be there, as in "dask"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it warns of at import is its own affair
        if name.partition(".")[0] in os.environ.get("RAYPICK_PEERS", "").split(","):
            return importlib.import_module(name)
        return pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)
