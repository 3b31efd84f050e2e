# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the files of packages, and pack zips whose bytes depend on their contents alone.

Sources are the files that git lists, not those that it ignores. In a folder without git all files
are sources. Zips are packed again sorted, without dates and modes, so that the same files give the
same bytes, wherever and whenever they were built (with the same zlib).
"""

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

from checkout import ROOT, command_environment, run_quietly

Ignore = Callable[[str, list[str]], set[str]]
"""As for :func:`shutil.copytree`: which names in a folder to leave out."""

_NO_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold


def git(*arguments: str, root: Path = ROOT) -> str:
    command, failure = ["git", "-C", root, *arguments], f"git {arguments[0]} failed"
    return run_quietly(command, failure, env=command_environment(LC_ALL="C"), encoding="utf-8")


def sources_alone(left_out: Ignore, root: Path = ROOT) -> Ignore:
    """Leave out of a copy what `left_out` names, and all that git does not list.

    Git lists new files too, before they are added.
    """
    if not (root / ".git").exists() or shutil.which("git") is None:
        return left_out
    named = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", root=root)
    files = [root / name for name in named.split("\0") if name]
    listed = {path for file in files for path in (file, *file.parents)}

    def ignored(folder: str, names: list[str]) -> set[str]:
        unlisted = {name for name in names if Path(folder, name) not in listed}
        return left_out(folder, names) | unlisted

    return ignored


def repack_zip(source: Path, target: Path) -> None:
    """Pack the files of a zip again."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in sorted(old.namelist()):
            entry = zipfile.ZipInfo(name, _NO_DATE)
            is_compressed = name.endswith(".whl")
            entry.compress_type = zipfile.ZIP_STORED if is_compressed else zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whatever the system
            entry.external_attr = 0o644 << 16
            new.writestr(entry, old.read(name))
