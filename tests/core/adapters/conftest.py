# SPDX-License-Identifier: GPL-3.0-or-later
"""The libraries that the adapters are compared with; where one is missing its tests skip."""

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
