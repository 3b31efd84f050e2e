# SPDX-License-Identifier: GPL-3.0-or-later
"""Build ``dist/raypick-<version>.zip``, the extension that Blender installs.

The add-on and the core are copied to a folder of their own, the core as a subpackage of the
add-on, without files that git ignores. Blender's own packaging tool, which ships with the
``bpy`` module, then makes the zip and validates it. The same sources give the same bytes.

    python scripts/build_extension.py

With ``--compiled`` it builds a zip for each platform and Python, such as
``raypick-<version>-linux_x64-py311.zip``, that contains numba, so that the compiled engine needs no
installation. Each is 30 to 65 MB large. They can be named, for example

    python scripts/build_extension.py --compiled linux-x64-py311
"""

import argparse
import filecmp
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from archives import repack_zip, sources_alone
from checkout import CACHE, ROOT, SetupError, locked, remove_tree, run_captured, run_script, say
from environment import environment
from wheels import COPYRIGHT, TARGETS, Target, wheels

ADDON = ROOT / "blender_addon"
CORE = ROOT / "standalone_core"
DIST = ROOT / "dist"
MANIFEST = "blender_manifest.toml"

_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.py[co]", ".*", "*.zip", "*.egg-info", "*.md")
_LARGEST = 150_000_000
"""The most bytes of a zip: what stores and mail still take."""


def build(dist: Path = DIST) -> Path:
    """Build and validate the extension; return its zip, which replaces an older one in `dist`."""
    (built,) = _build((None,), dist)
    return built


def build_compiled(targets: Iterable[str] = TARGETS, dist: Path = DIST) -> list[Path]:
    """Build and validate the zips with the compiled engine of these names; return them."""
    return _build([TARGETS[name] for name in targets], dist)


def _build(targets: Sequence[Target | None], dist: Path) -> list[Path]:
    """Build a zip with the wheels of each target; without numba for None."""
    found = {target: wheels(target) for target in targets if target is not None}
    if not (ADDON / MANIFEST).is_file():
        raise SetupError(f"there is no {MANIFEST} in {ADDON}")
    python = environment("bpy-5.0")
    tool = packaging_tool(python)
    CACHE.mkdir(exist_ok=True)
    with locked("build"), tempfile.TemporaryDirectory(dir=CACHE, prefix="build-") as scratch:
        stage, unsorted = Path(scratch, "raypick"), Path(scratch, "unsorted.zip")
        lay_out(stage)
        packages = []
        for target in targets:
            if target is not None:
                _replace_wheels(stage, target, found[target])
            package = Path(scratch, zip_name(target))
            _run_tool(python, tool, "build", "--source-dir", stage, "--output-filepath", unsorted)
            repack_zip(unsorted, package)
            _run_tool(python, tool, "validate", package)
            if (size := package.stat().st_size) > _LARGEST:
                raise SetupError(f"{package.name} has {size:,} bytes, more than {_LARGEST:,}")
            packages.append(package)
        dist.mkdir(parents=True, exist_ok=True)
        built = [dist / package.name for package in packages]
        for package, zipped in zip(packages, built, strict=True):
            # An identical zip stays, with its date. A rename is atomic: readers see the old zip or
            # the new one, never half of one.
            if not (zipped.is_file() and filecmp.cmp(package, zipped, shallow=False)):
                package.replace(zipped)
        return built


def zip_name(target: Target | None = None) -> str:
    """Return the name of a zip: that of a target, or the one without numba."""
    platform, _, tag = ("", "", "") if target is None else target.name.rpartition("-")
    parts = ["raypick", version(), platform.replace("-", "_"), tag]
    return f"{'-'.join(filter(None, parts))}.zip"


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


def _replace_wheels(stage: Path, target: Target, found: Sequence[Path]) -> None:
    """Put these wheels alone into ``stage``, and what they ask for and bring into the manifest."""
    remove_tree(stage / "wheels")
    (stage / "wheels").mkdir()
    for wheel in found:
        shutil.copyfile(wheel, stage / "wheels" / wheel.name)
    text = compiled_manifest(target, [wheel.name for wheel in found])
    (stage / MANIFEST).write_text(text, encoding="utf-8")


def compiled_manifest(target: Target, wheel_names: Sequence[str]) -> str:
    """Return the text of the manifest of a zip with these wheels."""
    least, *too_new = target.blenders
    lines = [f'blender_version_min = "{least}"', f'platforms = ["{target.platform}"]']
    lines += [f'blender_version_max = "{version}"' for version in too_new]
    lines += ["wheels = [", *(f'  "./wheels/{name}",' for name in wheel_names), "]"]
    text = re.sub(r"^blender_version_min = .*", "\n".join(lines), manifest(), flags=re.MULTILINE)
    stated = tomllib.loads(text)
    licenses = {f"SPDX:{each}" for each in target.licenses} - {*stated["license"]}
    for key, more in (("license", sorted(licenses)), ("copyright", COPYRIGHT)):
        listed = ", ".join(f'"{each}"' for each in (*stated[key], *more))
        text = re.sub(rf"^{key} = .*", f"{key} = [{listed}]", text, flags=re.MULTILINE)
    return text


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
        choices=tuple(TARGETS),
        metavar="NAME",
        help=f"with the compiled engine: {', '.join(TARGETS)} (default: all)",
    )
    chosen = parser.parse_args().compiled
    built = [build()] if chosen is None else build_compiled(chosen or TARGETS)
    print(*built, sep="\n")
    return 0


if __name__ == "__main__":
    run_script(main)
