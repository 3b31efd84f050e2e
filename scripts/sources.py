# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a checkout goes into packages: the files that git lists, and no others of a folder.

What git ignores, such as the backups of a program, is a matter of this machine alone. In a folder
without git, such as an unpacked source distribution, all files are sources.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from checkout import ROOT, run_quietly
from environment import command_environment

Ignore = Callable[[str, list[str]], set[str]]
"""What :func:`shutil.copytree` asks: which of the names in a folder are left out."""


def git(*arguments: str, root: Path = ROOT) -> str:
    """Run git in a checkout, and return what it prints."""
    env = {**command_environment(), "LC_ALL": "C"}
    command, failure = ["git", "-C", root, *arguments], f"git {arguments[0]} failed"
    return run_quietly(command, failure, env, encoding="utf-8")


def sources_alone(left_out: Ignore, root: Path = ROOT) -> Ignore:
    """Leave that out of a copy of a checkout's folder, and all that git does not list.

    A new file is listed before it is added.
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
