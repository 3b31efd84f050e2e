# SPDX-License-Identifier: GPL-3.0-or-later
"""Build ``dist/raypick-<version>.zip``, the extension that Blender installs.

The add-on and the core are copied to a folder of their own, the core as a subpackage of the
add-on, without files that git ignores. Blender's own packaging tool, which ships with the
``bpy`` module, then makes the zip and validates it. The same sources give the same bytes.

    python scripts/build_extension.py

With ``--compiled`` it builds a zip for each platform, such as ``raypick-<version>-linux_x64.zip``,
that contains numba, so that the compiled engine needs no installation. Each is larger by 60 MB for
every Python that a Blender may have. Platforms can be named, for example

    python scripts/build_extension.py --compiled linux-x64
"""

import argparse
import filecmp
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from archives import repack_zip, sources_alone
from checkout import CACHE, ROOT, SetupError, locked, remove_tree, run_captured, run_script, say
from environment import environment
from wheels import PLATFORMS, wheels

ADDON = ROOT / "blender_addon"
CORE = ROOT / "standalone_core"
DIST = ROOT / "dist"
MANIFEST = "blender_manifest.toml"

_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.py[co]", ".*", "*.zip", "*.egg-info", "*.md")
_LICENSES_OF_WHEELS = {
    "license": '"SPDX:BSD-2-Clause", "SPDX:Apache-2.0 WITH LLVM-exception"',
    "copyright": '"2012 Anaconda, Inc.", "2003-2026 The LLVM project"',
}


def build(dist: Path = DIST) -> Path:
    """Build and validate the extension; return its zip, which replaces an older one in `dist`."""
    (built,) = _build((), dist)
    return built


def build_compiled(platforms: Sequence[str] = tuple(PLATFORMS), dist: Path = DIST) -> list[Path]:
    """Build and validate zips with the compiled engine for these platforms; return them."""
    return _build(platforms, dist)


def _build(platforms: Sequence[str], dist: Path) -> list[Path]:
    """Build a zip for each platform; without platforms, a single one without numba."""
    found = {wheel for platform in platforms for wheel in wheels(platform)}
    if not (ADDON / MANIFEST).is_file():
        raise SetupError(f"there is no {MANIFEST} in {ADDON}")
    python = environment("bpy-5.0")
    tool = packaging_tool(python)
    CACHE.mkdir(exist_ok=True)
    with locked("build"), tempfile.TemporaryDirectory(dir=CACHE, prefix="build-") as scratch:
        stage, output = Path(scratch, "raypick"), Path(scratch, "output")
        output.mkdir()
        lay_out(stage)
        options = ["--source-dir", stage, "--output-dir", output]
        if platforms:
            _add_wheels(stage, platforms, found)
            options.append("--split-platforms")
        _run_tool(python, tool, "build", *options)
        packages = [Path(scratch, built.name) for built in sorted(output.glob("*.zip"))]
        for package in packages:
            repack_zip(output / package.name, package)
            _run_tool(python, tool, "validate", package)
        dist.mkdir(parents=True, exist_ok=True)
        built = [dist / package.name for package in packages]
        for package, target in zip(packages, built, strict=True):
            # An identical zip stays, with its date. A rename is atomic: readers see the old zip or
            # the new one, never half of one.
            if not (target.is_file() and filecmp.cmp(package, target, shallow=False)):
                package.replace(target)
        return built


def lay_out(stage: Path) -> None:
    """Copy the files of the extension to ``stage``: the add-on with the core inside it."""
    ignored = sources_alone(_LEFT_OUT)
    shutil.copytree(ADDON, stage, ignore=ignored)
    shutil.copytree(CORE, stage / "standalone_core", ignore=ignored)
    (stage / MANIFEST).write_text(manifest(), encoding="utf-8")


def link_out(stage: Path, addon: Path = ADDON, core: Path = CORE) -> None:
    """Lay out at ``stage`` links to the files of the extension, instead of copies.

    This replaces an existing ``stage``. The manifest is a file, as it gets the version of the core.
    A new file at the top of the add-on needs another call, a new file in a folder does not.
    """
    remove_tree(stage)
    stage.mkdir(parents=True)
    ignored = _LEFT_OUT(str(addon), [path.name for path in addon.iterdir()]) | {MANIFEST}
    for path in (*addon.iterdir(), core):
        if path.name not in ignored:
            _link(path, stage / path.name)
    (stage / MANIFEST).write_text(manifest(addon, core), encoding="utf-8")


def _link(source: Path, link: Path) -> None:
    """Link to a file or folder; on Windows, by a junction or hard link if symlinks are refused."""
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
    text = (addon / MANIFEST).read_text(encoding="utf-8")
    line = f'version = "{version(core)}"'
    return re.sub(r"^version = .*", line, text, count=1, flags=re.MULTILINE)


def version(core: Path = CORE) -> str:
    """Return the version of the core, which is that of the extension."""
    package = (core / "__init__.py").read_text(encoding="utf-8")
    (found,) = re.findall(r'^__version__ = "(.+?)"', package, re.MULTILINE)
    return found


def _add_wheels(stage: Path, platforms: Sequence[str], found: set[Path]) -> None:
    """Add wheels to ``stage``, and list them, their platforms and licences in the manifest."""
    (stage / "wheels").mkdir()
    for wheel in found:
        shutil.copyfile(wheel, stage / "wheels" / wheel.name)
    text = (stage / MANIFEST).read_text(encoding="utf-8")
    listed = "".join(f'  "./wheels/{name}",\n' for name in sorted(wheel.name for wheel in found))
    platforms_listed = ", ".join(f'"{platform}"' for platform in platforms)
    for key, added in _LICENSES_OF_WHEELS.items():
        text = re.sub(rf"^({key} = .*)\]$", rf"\1, {added}]", text, count=1, flags=re.MULTILINE)
    added = f"\nplatforms = [{platforms_listed}]\nwheels = [\n{listed}]\n\n[permissions]"
    text = text.replace("\n[permissions]", added, 1)
    (stage / MANIFEST).write_text(text, encoding="utf-8")


def packaging_tool(python: Path) -> Path:
    """Find Blender's packaging tool in an environment that has the bpy module."""
    environment_folder = python.parents[1]
    pattern = "**/site-packages/bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py"
    for tool in environment_folder.glob(pattern):
        return tool
    raise SetupError(f"the bpy module in {environment_folder} has no blender_ext.py")


def _run_tool(python: Path, tool: Path, *arguments: str | Path) -> None:
    run = run_captured((python, tool, *arguments))
    if run.returncode != 0:
        raise SetupError(f"Blender's packaging tool refuses the extension:\n{run.stdout.strip()}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the extension that Blender installs.")
    parser.add_argument(
        "--compiled",
        nargs="*",
        choices=tuple(PLATFORMS),
        metavar="PLATFORM",
        help=f"with the compiled engine, a zip for each of: {', '.join(PLATFORMS)} (default: all)",
    )
    chosen = parser.parse_args().compiled
    built = [build()] if chosen is None else build_compiled(chosen or tuple(PLATFORMS))
    print(*built, sep="\n")
    return 0


if __name__ == "__main__":
    run_script(main)
