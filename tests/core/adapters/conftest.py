# SPDX-License-Identifier: GPL-3.0-or-later
"""The libraries that the adapters are compared with; where one is missing its tests skip."""

import sys

import pytest

from ..peers import peer


@pytest.fixture(scope="session")
def trimesh():
    """Return trimesh."""
    return peer("trimesh")


@pytest.fixture(scope="session")
def open3d():
    """Return Open3D."""
    return peer("open3d")


@pytest.fixture(autouse=True)
def _a_program_without_open3d(request, monkeypatch):
    """Hide Open3D, which other tests have imported, from tests that do not ask for it."""
    if "open3d" not in request.fixturenames:
        monkeypatch.delitem(sys.modules, "open3d", raising=False)
