# SPDX-License-Identifier: GPL-3.0-or-later
"""The core and the extension have one version."""

import tomllib

import standalone_core as sc
from build_extension import manifest
from checkout import ROOT


def test_one_version_number_serves_the_package_and_the_extension():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {
        "attr": "standalone_core.__version__"
    }
    assert tomllib.loads(manifest())["version"] == sc.__version__
