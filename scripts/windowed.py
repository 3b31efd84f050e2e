# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Blenders that can open a window, or prepare them.

``RAYPICK_BLENDER`` names the executables to use, on any system, separated as in ``PATH``. Without
it, and as root on Debian, two releases of Debian are unpacked into folders under ``.cache``, each
with its own Blender, a virtual screen and software OpenGL: about two minutes and 1.2 GB each, once.
``debootstrap`` takes them from the mirror that this machine's own ``apt`` uses, and ``chroot``
starts their programs. Nothing stays mounted and no service is started.

    python scripts/windowed.py
"""

import hashlib
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from checkout import CACHE, SetupError, locked, remove_tree, run_quietly, run_script, say

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


@dataclass(frozen=True)
class Build:
    """A Blender that can open a window."""

    label: str  # what tests call it: a Debian suite, or blender1, blender2 ...
    executable: str  # the program to start; with a root, a name on the PATH inside it
    root: Path | None  # the folder to chroot into first
    version: str  # as Blender prints it, such as 4.3.2

    @property
    def version_tuple(self) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", self.version)[:3])

    def __str__(self) -> str:
        where = f"under {self.root}" if self.root else self.executable
        return f"{self.label}: Blender {self.version}, {where}"


def labels() -> list[str]:
    """Name the builds that `prepare` can get, without preparing any."""
    if executables := _named_executables():
        return [f"blender{number}" for number in range(1, len(executables) + 1)]
    return [] if obstacle() else list(SUITES)


def have_own_screens() -> bool:
    """Whether each build has a screen of its own, so that tests in them need not take turns."""
    return not _named_executables()


def why_none() -> str:
    return f"RAYPICK_BLENDER names no Blender, and {obstacle()}"


def prepare(label: str) -> Build:
    """Prepare one of the builds that `labels` names; SetupError if that fails."""
    if executables := _named_executables():
        executable = executables[labels().index(label)]
        return Build(label, executable, None, _version([executable]))
    root = prepare_release(label)
    return Build(label, "blender", root, _version(["chroot", str(root), "/usr/bin/blender"]))


def _named_executables() -> list[str]:
    """Read ``RAYPICK_BLENDER``; on macOS it may name an application."""
    named = [name for name in os.environ.get("RAYPICK_BLENDER", "").split(os.pathsep) if name]
    inside = "Contents/MacOS/Blender"
    return [str(Path(name, inside)) if name.endswith(".app") else name for name in named]


def _version(command: list[str]) -> str:
    try:
        run = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{command[-1]} does not start: {error}") from None
    match = re.search(r"^Blender (\d+\.\d+\.\d+)", run.stdout, re.MULTILINE)
    if not match:
        said = (run.stderr or run.stdout).strip().splitlines() or ["nothing"]
        raise SetupError(f"{command[-1]} --version prints no version, but: {said[-1]}")
    return match[1]


def main() -> int:
    if not labels():
        say(f"no windowed Blender: {why_none()}")
        return 1
    with ThreadPoolExecutor() as pool:  # threads mostly wait for downloads and for the disk
        return max(pool.map(_prepare_and_say, labels()))


def _prepare_and_say(label: str) -> int:
    try:
        say(str(prepare(label)))
    except SetupError as error:
        say(f"{label}: {error}")
        return 1
    return 0


def obstacle() -> str | None:
    """Return why this machine cannot make a folder of Debian, None if it can."""
    if not Path("/etc/debian_version").exists() or not shutil.which("apt-get"):
        return "one can only be made on Debian"
    if os.geteuid() != 0:
        return "only root can make one with debootstrap and chroot"
    return None


def prepare_release(suite: str) -> Path:
    """Return the folder of a release; make it if it is missing or out of date."""
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
            for name, text in _FILES.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            (root / "usr/sbin/policy-rc.d").chmod(0o755)
            shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
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
    targets = ["apt-get", "indextargets", "Created-By: Packages"]
    listing = _run([*targets, "--format", "$(ORIGIN)|$(LABEL)|$(REPO_URI)"])
    for line in listing.splitlines():
        origin, label, address = line.split("|")
        if origin == label == "Debian":
            return address
    raise SetupError("apt's configuration names no mirror of Debian's main archive")


def _run(command: list) -> str:
    said = " ".join(str(part) for part in command[:4])
    return run_quietly(command, f"'{said} ...' failed", env=_ENVIRONMENT)


def _unmount_all_under(root: Path) -> None:
    """Unmount what an interrupted debootstrap left mounted inside its folder."""
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mount in sorted(mounts, reverse=True):
        if Path(mount).is_relative_to(root):
            _run(["umount", mount])


if __name__ == "__main__":
    run_script(main)
