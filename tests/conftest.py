# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share: one seed for all that is random, shown in the header of the run.

``RAYPICK_SEED`` sets another seed than the fixed default. A test draws the same numbers whichever
tests run before it.
"""

import argparse
import gc
import os
import signal
import zlib

import numpy as np
import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

from checkout import CACHE

SEED = int(os.environ.get("RAYPICK_SEED", "20240229"))

# Tests that are told to end clean up as after Ctrl-C, from the first folder on that they make.
signal.signal(signal.SIGTERM, signal.default_int_handler)

set_hypothesis_home_dir(CACHE / "hypothesis")
# No deadline: how long an example takes depends on what else the machine does.
settings.register_profile("raypick", deadline=None)
settings.load_profile("raypick")


def pytest_addoption(parser):
    parser.addoption(
        "--random", action="store_true", help="run only the tests that draw anything by the seed"
    )
    parser.addoption(
        "--random-part",
        type=part,
        metavar="I/N",
        help="of the tests that draw anything by the seed, run only the I-th of N parts",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what another seed does not change, or random tests of other parts, if asked."""
    only_random, wanted = config.getoption("--random"), config.getoption("--random-part")
    chosen = [
        item for item in items if (_is_in(wanted, item) if _is_random(item) else not only_random)
    ]
    if len(chosen) < len(items):
        config.hook.pytest_deselected(items=list(set(items).difference(chosen)))
        items[:] = chosen


def pytest_collection_finish():
    """Let garbage collection leave out the tests themselves, which stay to the end."""
    gc.collect()
    gc.freeze()


def part(text):
    """Read ``2/3`` as (2, 3)."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError(f"{text!r} is no part such as 2/3")
    return int(number), int(count)


def _is_in(wanted, item):
    """Whether a test belongs to a part of all; each belongs to one, in every run to the same."""
    number, count = wanted or (1, 1)
    return zlib.crc32(item.nodeid.encode()) % count == number - 1


def _is_random(item):
    """Whether a test, or what it is given, takes the seed; or Hypothesis draws its examples."""
    takes_seed = "seed" in getattr(item, "fixturenames", ())
    return takes_seed or item.get_closest_marker("hypothesis") is not None


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
