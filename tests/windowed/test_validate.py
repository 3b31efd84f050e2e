# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own command finds nothing wrong with the extension's zip."""

import shutil

import pytest

from tests.windowed.sandbox import Sandbox


@pytest.fixture
def sandbox(blender_build):
    """Return where programs run, closed after the test."""
    made = Sandbox(blender_build)
    yield made
    made.close()


def test_blenders_command_accepts_the_zip(sandbox, blender_build, extension_zip):
    package = sandbox.folder / extension_zip.name
    shutil.copyfile(extension_zip, package)
    command = ("--command", "extension", "validate", sandbox.inside(package))
    said = sandbox.run(blender_build.executable, *command, timeout=180).decode().lower()
    assert "success parsing toml" in said
    assert "error" not in said
