# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the checkout into an installed Blender as a live extension: edit a file, reload, see it.

Links in Blender's folder of extensions lead to the files of the checkout. Whenever the extension
is enabled there, by its checkbox or by *Reload Scripts* (F3), all its files are read anew. Blender
itself would reload only ``__init__.py``.

    python scripts/live.py                             # the Blender on the PATH
    python scripts/live.py --blender /opt/blender-5.0/blender
"""

import argparse
import shutil
import subprocess
from pathlib import Path

from build_extension import ADDON, CORE, link_out
from checkout import SetupError, run_script, say

REPOSITORY = "user_default"
_MARK = "# Written by scripts/live.py of Raypick."
_FIND = (
    "import bpy; "
    "print('FOLDER', *(repository.directory for repository in bpy.context.preferences.extensions"
    f".repos if repository.module == {REPOSITORY!r} and repository.enabled), sep='=')"
)

# The file that Blender imports. It drops modules that an earlier or failed import left, so that all
# are imported anew.
_INIT = """
import sys

for name in [name for name in sys.modules if name.startswith(__name__ + ".")]:
    del sys.modules[name]
with open(SOURCE, encoding="utf-8") as file:
    exec(compile(file.read(), SOURCE, "exec"))


def unregister(unregister=unregister):
    try:
        unregister()
    finally:
        sys.modules.pop(__name__, None)
"""


def lay_out(folder: Path, addon: Path = ADDON, core: Path = CORE) -> Path:
    """Lay out the live extension in Blender's folder of extensions, and return its own folder."""
    live = folder / "raypick"
    init = live / "__init__.py"
    is_unfinished = init.is_symlink() or not init.exists()  # an interrupted call left it so
    if not (is_unfinished or init.read_text("utf-8").startswith(_MARK)):
        raise SetupError(f"{live} exists already: uninstall Raypick in that Blender first")
    link_out(live, addon, core)
    init.unlink()  # a link: writing to it would change the checkout
    source = f"SOURCE = {str(addon / '__init__.py')!r}"
    init.write_text(f"{_MARK}\n{source}\n{_INIT}", encoding="utf-8")
    return live


def extensions_folder(blender: str) -> Path:
    """Ask a Blender for its folder of extensions that users install from files."""
    command = [blender, "--background", "--python-exit-code", "1", "--python-expr", _FIND]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{blender} does not start: {error}") from None
    found = [line for line in run.stdout.splitlines() if line.startswith("FOLDER=")]
    if not found:
        raise SetupError(f"{blender} has no folder for extensions; Raypick needs Blender 4.2")
    return Path(found[0].removeprefix("FOLDER="))


def main() -> int:
    parser = argparse.ArgumentParser(description="Put the checkout into Blender, live.")
    parser.add_argument("--blender", help="the program (default: the one on the PATH)")
    parser.add_argument("--user-dir", type=Path, help="its folder of extensions (default: ask it)")
    options = parser.parse_args()
    blender = options.blender or shutil.which("blender")
    if not (blender or options.user_dir):
        raise SetupError("there is no Blender on the PATH: name one with --blender")
    live = lay_out((options.user_dir or extensions_folder(blender)).resolve())
    say(f"{live} is live")
    say("enable Raypick in Preferences > Add-ons; after an edit, press F3 and run Reload Scripts")
    say("run this again after adding a file at the top of blender_addon or editing its manifest")
    return 0


if __name__ == "__main__":
    run_script(main)
