# SPDX-License-Identifier: GPL-3.0-or-later
"""Pick through the pixels of a view in a real scene, without a window, and draw what was hit.

    python scripts/demo.py

Sets up what it needs first, in the checkout. Prints what each pixel hit and writes a picture of
the scene with the rays in white, the hit triangles in yellow and the points in red. A thin yellow
line leads from the scene's origin to each point.
"""

import tempfile

from build_extension import build
from checkout import CACHE, ROOT, run_script
from environment import run_in

PICTURE = ROOT / "dist" / "demo.png"


def main() -> int:
    extension = build()
    PICTURE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="demo-", dir=CACHE) as profile:
        command = "-m", "demo_in_blender", extension, PICTURE
        return run_in("bpy-5.0", *command, BLENDER_USER_RESOURCES=profile)


if __name__ == "__main__":
    run_script(main)
