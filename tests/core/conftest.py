# SPDX-License-Identifier: GPL-3.0-or-later
"""A warning of NumPy is a fault: the core asks only what has an answer."""

import warnings

import pytest


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
