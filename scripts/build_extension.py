# SPDX-License-Identifier: GPL-3.0-or-later
"""Build ``dist/raypick-<version>.zip``, the extension that Blender installs.

The add-on and the core are laid out together in a folder of their own, the core as a subpackage
of the add-on. Blender's own packaging tool, which ships with the ``bpy`` module, then makes the
zip and validates it. The same sources give the same bytes.

    python scripts/build_extension.py
"""

import os
import re
import shutil
import tempfile
import zipfile
from pathlib import Path

from checkout import CACHE, ROOT, SetupError, locked, remove_tree, run_captured, run_script, say
from environment import command_environment, environment

ADDON = ROOT / "blender_addon"
CORE = ROOT / "standalone_core"
DIST = ROOT / "dist"
MANIFEST = "blender_manifest.toml"

_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.py[co]", ".*", "*.zip", "*.egg-info", "*.md")
_NO_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold


def build(addon: Path = ADDON, core: Path = CORE, dist: Path = DIST) -> Path:
    """Build and validate the extension; return its zip, which replaces an older one in `dist`."""
    if not (addon / MANIFEST).is_file():
        raise SetupError(f"there is no {MANIFEST} in {addon}")
    python = environment("bpy-5.0")
    tool = _packaging_tool(python)
    CACHE.mkdir(exist_ok=True)
    with locked("build"), tempfile.TemporaryDirectory(dir=CACHE, prefix="build-") as scratch:
        stage, output = Path(scratch, "raypick"), Path(scratch, "output")
        output.mkdir()
        lay_out(addon, core, stage)
        _run_tool(python, tool, "build", "--source-dir", stage, "--output-dir", output)
        (built,) = output.glob("*.zip")
        package = Path(scratch, built.name)
        repack(built, package)
        _run_tool(python, tool, "validate", package)
        dist.mkdir(parents=True, exist_ok=True)
        # A rename, so that whoever reads the zip sees the old one or the new one and no half.
        return package.replace(dist / package.name)


def lay_out(addon: Path, core: Path, stage: Path) -> None:
    """Copy what belongs into the extension to ``stage``: the add-on with the core inside it."""
    shutil.copytree(addon, stage, ignore=_LEFT_OUT)
    shutil.copytree(core, stage / "standalone_core", ignore=_LEFT_OUT)
    (stage / MANIFEST).write_text(manifest(addon, core), encoding="utf-8")


def link_out(stage: Path, addon: Path = ADDON, core: Path = CORE) -> None:
    """Lay out at ``stage`` links to the files of the extension, instead of copies.

    What is there already is replaced. The manifest is a file: it has the version of the core. A
    new file at the top of the add-on needs another call; those in folders are there at once.
    """
    remove_tree(stage)
    stage.mkdir(parents=True)
    ignored = _LEFT_OUT(str(addon), [path.name for path in addon.iterdir()]) | {MANIFEST}
    for path in (*addon.iterdir(), core):
        if path.name not in ignored:
            _link(path, stage / path.name)
    (stage / MANIFEST).write_text(manifest(addon, core), encoding="utf-8")


def _link(source: Path, link: Path) -> None:
    """Link to a file or folder; on Windows without the right to, by what needs no right."""
    try:
        link.symlink_to(source, target_is_directory=source.is_dir())
    except OSError:
        if os.name != "nt":
            raise
        if source.is_dir():
            import _winapi

            _winapi.CreateJunction(str(source), str(link))
        else:
            say(f"{link} is a hard link: make it anew if an editor replaces the file")
            link.hardlink_to(source)


def manifest(addon: Path = ADDON, core: Path = CORE) -> str:
    """Return the text of the add-on's manifest, with the version of the core."""
    package = (core / "__init__.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.+?)"', package, re.MULTILINE)
    text = (addon / MANIFEST).read_text(encoding="utf-8")
    return re.sub(r"^version = .*", f'version = "{version}"', text, count=1, flags=re.MULTILINE)


def repack(source: Path, target: Path) -> None:
    """Copy a zip with its files in order of name and without dates and permissions."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in sorted(old.namelist()):
            entry = zipfile.ZipInfo(name, _NO_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whatever the system
            entry.external_attr = 0o644 << 16
            new.writestr(entry, old.read(name))


def _packaging_tool(python: Path) -> Path:
    """Find Blender's packaging tool in an environment that has the bpy module."""
    environment_folder = python.parents[1]
    pattern = "**/site-packages/bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py"
    for tool in environment_folder.glob(pattern):
        return tool
    raise SetupError(f"the bpy module in {environment_folder} has no blender_ext.py")


def _run_tool(python: Path, tool: Path, *arguments: str | Path) -> None:
    run = run_captured((python, tool, *arguments), env=command_environment())
    if run.returncode != 0:
        raise SetupError(f"Blender's packaging tool refuses the extension:\n{run.stdout.strip()}")


def main() -> int:
    """Build it, and print where it is."""
    print(build())
    return 0


if __name__ == "__main__":
    run_script(main)
