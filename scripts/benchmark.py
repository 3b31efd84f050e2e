# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure Raypick and other ray casters in one run, and compare Raypick with its targets.

    python scripts/benchmark.py
    python scripts/benchmark.py --quick
    python scripts/benchmark.py --only first,build --mesh scan.npz
    python scripts/benchmark.py --meshes
    python scripts/benchmark.py --meshes folder --cad gears,tray
    python scripts/benchmark.py --blender
    python scripts/benchmark.py --blender --blender-version 4.2 --only first,later

It first installs what it needs in the checkout (3 GB). A ray caster that cannot be installed here
is left out with a note. It measures spheres of several sizes, for docs/speed-sizes.md.

With `--meshes` it measures what docs/speed.md shows, in about twenty minutes: averages over groups
of meshes, generated ones and npz files of a folder. These hold arrays `v` (V, 3) and `f` (T, 3),
and optionally a `kind`, "scan" or "cad".

With `--markdown` it prints what stands on the page: the machine, and the table of goals.

With `--blender` it measures the extension in Blender's module, with NumPy alone, beside Blender's
own ray casts. That takes about six minutes. With `--compiled` it measures the zip that
contains Numba, on Linux:

    python scripts/benchmark.py --blender --compiled --only survey
"""

import sys
import tempfile

from benchmarks.options import EXTENSION_VARIABLE, parse_arguments
from build_extension import build, build_compiled
from checkout import CACHE, run_script
from environment import add_optional_packages, open3d_variables, run_in


def main() -> int:
    options = parse_arguments()
    if options.blender:
        name, module = f"bpy-{options.blender_version}", "benchmarks.in_blender"
        package = build_compiled(["linux-x64-py311"])[0] if options.compiled else build()
        variables = {EXTENSION_VARIABLE: str(package)}
    else:
        add_optional_packages("bench")
        name, module, variables = "bench", "benchmarks", open3d_variables()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=CACHE) as profile:
        variables["BLENDER_USER_RESOURCES"] = variables["MPLCONFIGDIR"] = profile
        return run_in(name, "-m", module, *sys.argv[1:], **variables)


if __name__ == "__main__":
    run_script(main)
