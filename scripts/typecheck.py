# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the types of the extension: the add-on with the core inside it, as Blender imports them.

The two are linked together in a folder of their own; messages name the files of the checkout.

    python scripts/typecheck.py
"""

import subprocess
import sys

from build_extension import link_out
from checkout import CACHE, ROOT, command_environment, locked, run_script
from environment import environment

_STAGE = CACHE / "types" / "raypick"


def main() -> int:
    python = environment("core")
    with locked("types"):
        link_out(_STAGE)
        run = subprocess.run(
            [python, "-m", "mypy", "-p", "raypick", *sys.argv[1:]],
            cwd=ROOT,
            env=command_environment(MYPYPATH=str(_STAGE.parent)),
            stdout=subprocess.PIPE,
            text=True,
        )
    staged = _STAGE.relative_to(ROOT)
    found = run.stdout.replace(f"{staged / 'standalone_core'}", "standalone_core")
    print(found.replace(str(staged), "blender_addon"), end="", flush=True)
    return run.returncode


if __name__ == "__main__":
    run_script(main)
