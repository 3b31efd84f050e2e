# SPDX-License-Identifier: GPL-3.0-or-later
"""The packaging tool of each Blender finds nothing wrong with the extension's zip."""

import subprocess
import sys
from pathlib import Path

from build_extension import packaging_tool


def test_this_blenders_packaging_tool_accepts_the_zip(extension_zip):
    tool = packaging_tool(Path(sys.executable))
    command = [sys.executable, tool, "validate", extension_zip]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (run.stdout + run.stderr).lower()
    assert run.returncode == 0, said
    assert "error" not in said
    assert "warning" not in said
