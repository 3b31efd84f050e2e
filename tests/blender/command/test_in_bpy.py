# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands in the module bpy, in a process of their own, as tasks on Dask run them."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from checkout import ROOT

POSIX = pytest.mark.skipif(os.name != "posix", reason="Windows ends programs without a signal")


@POSIX
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_at_the_moment_the_profile_is_made_leaves_none(tmp_path, name):
    program = f"""
        import os, signal
        make = os.mkdir

        def make_and_be_ended(path, *mode, **options):
            make(path, *mode, **options)
            if "raypick-profile-" in os.fspath(path):
                os.kill(os.getpid(), signal.{name})

        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.mkdir = make_and_be_ended
        from standalone_core.distributed import in_bpy
        in_bpy.main(["--extension", "none.zip", "shot.blend", "--", "info"])
        """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (128 + getattr(signal, name), b"")
    assert list(tmp_path.iterdir()) == []


@POSIX
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
