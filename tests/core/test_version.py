# SPDX-License-Identifier: GPL-3.0-or-later
"""The core and the extension have one version."""

import tomllib

import standalone_core as sc
from build_extension import manifest
from checkout import ROOT


def test_one_version_number_serves_the_package_and_the_extension():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"] == {"path": "standalone_core/__init__.py"}
    assert tomllib.loads(manifest())["version"] == sc.__version__
