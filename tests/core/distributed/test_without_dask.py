# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Dask is not installed nothing needs it, and what does says how to have it."""

import subprocess
import sys

import pytest

from checkout import ROOT

CALLS = {
    "cast_rays": "sc.distributed.cast_rays(mesh, [[0, 0, 1.0]], (0, 0, -1))",
    "cast_rays_all": "sc.distributed.cast_rays_all(mesh, [[0, 0, 1.0]], (0, 0, -1))",
    "survey": "sc.distributed.survey('a.blend', None, '1-3', 'out')",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_without_dask_says_what_to_install(call):
    code = f"""
import sys
sys.modules["dask"] = None
import standalone_core as sc
mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
try:
    {CALLS[call]}
except sc.errors.MissingPackageError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert run.stderr == ""
    assert "standalone_core.distributed needs Dask" in run.stdout
    assert 'pip install "raypick-core[dask]"' in run.stdout


def test_importing_the_core_imports_no_dask():
    code = "import sys, standalone_core as sc; sc.distributed.survey; print('dask' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("False\n", "")
