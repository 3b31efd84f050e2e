# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands in the module bpy, in a process of their own, as tasks on Dask run them."""

import os
import signal
import subprocess
import sys
import time

import pytest

from checkout import ROOT


@pytest.mark.skipif(os.name != "posix", reason="Windows ends programs without a signal")
def test_a_program_that_is_ended_while_bpy_loads_leaves_no_profile(extension_zip, tmp_path):
    words = "-m", "standalone_core.distributed.in_bpy", "--extension", extension_zip
    process = subprocess.Popen(
        [sys.executable, *words, tmp_path / "shot.blend", "--", "info"],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    end = time.monotonic() + 60
    while not list(tmp_path.glob("raypick-profile-*")):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.001)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGTERM
    assert list(tmp_path.glob("raypick-profile-*")) == []
