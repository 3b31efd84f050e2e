# SPDX-License-Identifier: GPL-3.0-or-later
"""Both distributions of the core, built once."""

import tarfile

import pytest

import build_core


@pytest.fixture(scope="session")
def distributions(tmp_path_factory):
    """Return the paths of the wheel and of the source distribution."""
    return build_core.build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def wheel(distributions):
    """Return the path of the wheel."""
    return distributions[0]


@pytest.fixture(scope="session")
def sources(distributions, tmp_path_factory):
    """Return the folder of the unpacked source distribution."""
    folder = tmp_path_factory.mktemp("sources")
    with tarfile.open(distributions[1]) as archive:
        archive.extractall(folder, filter="data")
    (inner,) = folder.iterdir()
    return inner
