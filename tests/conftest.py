# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share: one seed for all that is random, shown in the header of the run.

``RAYPICK_SEED`` sets another seed than the fixed default. A test draws the same numbers whichever
tests run before it.
"""

import os
import zlib

import numpy as np
import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

from checkout import CACHE

SEED = int(os.environ.get("RAYPICK_SEED", "20240229"))

set_hypothesis_home_dir(CACHE / "hypothesis")
# No deadline: how long an example takes depends on what else the machine does.
settings.register_profile("raypick", deadline=None)
settings.load_profile("raypick")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Hand the seed to Hypothesis, unless the command line names another."""
    if config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = SEED


def pytest_report_header():
    """Say how to repeat the run."""
    return f"raypick: RAYPICK_SEED={SEED}, NumPy {np.__version__}"


@pytest.fixture(scope="session")
def seed():
    """Return the seed of this run."""
    return SEED


@pytest.fixture
def rng(request, seed):
    """Return a random generator of this test's own."""
    return np.random.default_rng([seed, zlib.crc32(request.node.nodeid.encode())])
