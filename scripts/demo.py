# SPDX-License-Identifier: GPL-3.0-or-later
"""Pick through the pixels of a view in a real scene, without a window, and draw what was hit.

    python scripts/demo.py

Sets up what it needs first, in the checkout. Prints what each pixel hit and writes a picture of
the scene with the rays in white, the hit triangles in yellow and the points in red. A thin yellow
line leads from the scene's origin to each point.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile

from build_extension import build
from checkout import CACHE, ROOT, SetupError, say
from environment import command_environment, environment

PICTURE = ROOT / "dist" / "demo.png"
_BLENDER = "bpy-5.0"


def main() -> int:
    """Set up, and run the demonstration in Blender; return its exit status."""
    try:
        python = environment(_BLENDER)
        extension = build()
    except SetupError as error:
        say(str(error))
        return 1
    PICTURE.parent.mkdir(exist_ok=True)
    profile = tempfile.mkdtemp(prefix="demo-", dir=CACHE)
    try:
        run = subprocess.run(
            [python, ROOT / "scripts" / "demo_in_blender.py", extension, PICTURE],
            env={**command_environment(), "BLENDER_USER_RESOURCES": profile},
        )
    finally:
        shutil.rmtree(profile, ignore_errors=True)
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
