# SPDX-License-Identifier: GPL-3.0-or-later
"""A warning of NumPy is a fault: the core asks only what has an answer. All engines are asked."""

import os
import sys
import warnings
from pathlib import Path

import pytest

import standalone_core as sc


def pytest_addoption(parser):
    parser.addoption(
        "--without-numba", action="store_true", help="test as if numba were not installed"
    )


def pytest_configure(config):
    if config.getoption("--without-numba"):
        sys.modules["numba"] = None
    os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[2] / ".cache" / "numba"))


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture(scope="session", params=["numpy", "numba"])
def engine(request):
    """Return the name of each engine that can be used here, NumPy's in any case."""
    try:
        sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], engine=request.param)
    except sc.errors.EngineError as error:
        if request.param == "numpy":
            raise
        pytest.skip(str(error))
    return request.param
