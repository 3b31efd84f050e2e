# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared libraries from Debian's packages, unpacked into ``.cache``: no root, nothing installed."""

import ctypes.util
import os
import shutil
from pathlib import Path

from checkout import CACHE, SetupError, locked, remove_tree, run_quietly, say


def open3d_variables() -> dict[str, str]:
    """Return a variable that leads to the library that Open3D is linked with, if it needs one."""
    try:
        folder = library_folder("libusb-1.0-0", "usb-1.0")
    except SetupError as error:
        say(str(error))
        return {}
    known = os.environ.get("LD_LIBRARY_PATH")
    paths = [str(folder), *([known] if known else [])]
    return {"LD_LIBRARY_PATH": os.pathsep.join(paths)} if folder else {}


def library_folder(package: str, library: str) -> Path | None:
    """Get a library that may be missing on this machine from the Debian package that has it.

    The library is named as a linker knows it, without ``lib`` and ending. Return the folder to add
    to ``LD_LIBRARY_PATH``; None if the machine has the library itself, or is no Debian system.
    """
    if ctypes.util.find_library(library) or not all(map(shutil.which, ("apt-get", "dpkg-deb"))):
        return None
    folder = CACHE / "debian" / package
    with locked(f"debian-{package}"):
        if not folder.exists():
            say(f"fetching Debian's package {package}")
            _fetch(package, folder)
    return next(folder.rglob(f"lib{library}.so.*")).parent


def _fetch(package: str, folder: Path) -> None:
    """Download a package with apt's own settings, and lists of packages kept in the cache."""
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    state = folder.parent / "apt"
    remove_tree(unfinished)
    unfinished.mkdir(parents=True)
    (state / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    apt = [
        *("env", "-C", unfinished, "apt-get", "-q"),
        *("-o", f"Dir::State::lists={state / 'lists'}", "-o", f"Dir::Cache={state}"),
        *("-o", "APT::Sandbox::User="),
    ]
    _run([*apt, "update"], package)
    _run([*apt, "download", package], package)
    for archive in unfinished.glob("*.deb"):
        _run(["dpkg-deb", "-x", archive, unfinished], package)
    unfinished.rename(folder)
    remove_tree(state)


def _run(command: list, package: str) -> None:
    run_quietly(command, f"could not get Debian's package {package}", dict(os.environ))
