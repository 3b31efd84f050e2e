# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian releases in folders, each with a windowed Blender, a virtual screen and software OpenGL.

A release is unpacked with ``debootstrap`` from the mirror that this machine's own ``apt`` uses,
and its programs are started with ``chroot``. Nothing stays mounted and no service is started.
"""

import hashlib
import os
import shutil
from pathlib import Path

from checkout import CACHE, SetupError, locked, remove_tree, run_quietly, say

SUITES = ("trixie", "sid")
"""Debian 13, which has Blender 4.3, and unstable, which has the newest."""

_PACKAGES = [
    *("blender", "python3-cattr", "python3-numpy", "python3-requests", "python3-zstandard"),
    *("xvfb", "xdotool", "imagemagick"),
    *("libgl1", "libegl1", "libgl1-mesa-dri", "fonts-dejavu-core"),
]

_FILES = {
    "etc/dpkg/dpkg.cfg.d/raypick": (
        "path-exclude=/usr/share/doc/*\n"
        "path-exclude=/usr/share/man/*\n"
        "path-exclude=/usr/share/locale/*\n"
        "path-include=/usr/share/locale/languages\n"
        "path-include=/usr/share/locale/*/LC_MESSAGES/blender.mo\n"
        "force-unsafe-io\n"
    ),
    "etc/apt/apt.conf.d/99raypick": (
        'APT::Install-Recommends "false";\n'
        'APT::Sandbox::User "root";\n'
        'Acquire::Languages "none";\n'
        'Acquire::Retries "3";\n'
        'Acquire::Check-Valid-Until "false";\n'  # a mirror may be a snapshot of an older day;
        'Acquire::Check-Date "false";\n'  # its signature is checked all the same
    ),
    "usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n",  # packages start no services
}

_ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")},
    "HOME": "/root",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
}


def obstacle() -> str | None:
    """Say what stands in the way of making such a folder on this machine, if anything does."""
    if not Path("/etc/debian_version").exists() or not shutil.which("apt-get"):
        return "this is no Debian system to make one on"
    if os.geteuid() != 0:
        return "only root can make one with debootstrap and chroot"
    return None


def prepare(suite: str) -> Path:
    """Make the folder of a release, unless it is there, and return it."""
    root = CACHE / "blender" / suite
    stamp = root / "raypick-stamp"
    recipe = repr((suite, _PACKAGES, sorted(_FILES.items())))
    wanted = hashlib.sha256(recipe.encode()).hexdigest()
    with locked(f"debian-{suite}"):
        if stamp.exists() and stamp.read_text() == wanted:
            return root
        say(f"preparing a windowed Blender from Debian {suite} (a few minutes)")
        _unmount_all_under(root)
        remove_tree(root)
        root.parent.mkdir(parents=True, exist_ok=True)
        try:
            _install_debootstrap()
            _run(["debootstrap", "--variant=minbase", suite, root, _mirror()])
            _configure(root)
            for command in (["-q", "update"], ["-qy", "install", *_PACKAGES], ["clean"]):
                _run(["chroot", root, "apt-get", *command])
        finally:
            _unmount_all_under(root)
        stamp.write_text(wanted)
    return root


def _install_debootstrap() -> None:
    # Two releases may be prepared at once, and apt does not wait for another apt.
    with locked("debootstrap"):
        if shutil.which("debootstrap", path=_ENVIRONMENT["PATH"]):
            return
        say("installing debootstrap")
        install = ["apt-get", "-qy", "install", "--no-install-recommends", "debootstrap"]
        try:
            _run(install)
        except SetupError:  # perhaps because the lists of packages are old, or absent
            _run(["apt-get", "-q", "update"])
            _run(install)


def _mirror() -> str:
    """Return the address of Debian's main archive in apt's own configuration."""
    fields = "$(ORIGIN)|$(LABEL)|$(REPO_URI)"
    listing = _run(["apt-get", "indextargets", "--format", fields, "Created-By: Packages"])
    for line in listing.splitlines():
        origin, label, address = line.split("|")
        if origin == label == "Debian":
            return address
    raise SetupError("apt's configuration names no mirror of Debian's main archive")


def _configure(root: Path) -> None:
    for name, text in _FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "usr/sbin/policy-rc.d").chmod(0o755)
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")


def _run(command: list) -> str:
    said = " ".join(str(part) for part in command[:4])
    return run_quietly(command, f"'{said} ...' failed", _ENVIRONMENT)


def _unmount_all_under(root: Path) -> None:
    """Unmount what an interrupted debootstrap left mounted inside its folder."""
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mount in sorted(mounts, reverse=True):
        if Path(mount).is_relative_to(root):
            _run(["umount", mount])
