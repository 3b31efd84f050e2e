# SPDX-License-Identifier: GPL-3.0-or-later
"""The Pythons, virtual environments and libraries that the other scripts run with.

Nothing is installed outside ``.cache`` in the checkout. An environment is made from a file of
requirements, pinned with hashes by :mod:`pin`, and keeps the hash of that file: a second call
returns at once, but an unfinished environment or one with other requirements is made again.

    python scripts/environment.py core ruff check .
"""

import argparse
import contextlib
import ctypes.util
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from checkout import (
    CACHE,
    ROOT,
    SetupError,
    command_environment,
    locked,
    remove_tree,
    run_quietly,
    run_script,
    say,
)

REQUIREMENTS = ROOT / "scripts" / "requirements"
BPY_VERSIONS = ("4.2", "4.5", "5.0")

_INSIDE = "--in-environment"
_WINDOWS = os.name == "nt"
_VERSION, _MODULES = "3.11", ("ensurepip", "venv")
_NO_PYTHON = (
    "Raypick's scripts need Python 3.11 with its venv module: install it (or uv, which can fetch "
    "it), so that 'python3.11' is found on the PATH."
)


def environment(name: str) -> Path:
    """Make a virtual environment if it does not exist; return its Python interpreter.

    Its name is the stem of a file in ``scripts/requirements``: ``core``, ``bpy-4.2`` ...
    """
    requirements = REQUIREMENTS / f"{name}.txt"
    folder = CACHE / "envs" / name
    stamp = folder / "raypick-stamp"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    python = _python_in(folder)
    with locked(f"env-{name}"):
        if python.exists() and stamp.exists() and stamp.read_text() == wanted:
            return python
        base = python311()
        say(f"making the Python environment '{name}'")
        remove_tree(folder)
        run_quietly([base, "-m", "venv", folder], f"could not make the environment '{name}'")
        _pip_install(python, requirements)
        if name.startswith("bpy-"):
            run_quietly([python, "-c", "import bpy"], f"the bpy module of '{name}' does not load")
        stamp.write_text(wanted)
    return python


def run_in(name: str, *command: str | Path, **variables: str) -> int:
    """Run a command of Python in an environment, and return its exit status.

    The command is what follows ``python``; it imports from the checkout and from ``scripts``. The
    variables are added to the environment variables.
    """
    path = os.pathsep.join([str(ROOT), str(ROOT / "scripts")])
    env = command_environment(PYTHONPATH=path, **variables)
    return subprocess.run([environment(name), *command], env=env).returncode


def run_inside(name: str, script: str, work: Callable[[], object]) -> int:
    """Start a script again in an environment, and do its work there, with the same arguments."""
    if _INSIDE not in sys.argv:
        return run_in(name, script, _INSIDE, *sys.argv[1:])
    sys.argv.remove(_INSIDE)
    work()
    return 0


def add_optional_packages(name: str) -> Path:
    """Make an environment, add optional packages to it, and return its Python interpreter.

    Files in a folder of that name in ``scripts/requirements`` list the packages. Files that fail
    are reported, left out, and tried again at the next call.
    """
    python = environment(name)
    added = sorted((REQUIREMENTS / name).glob("*.txt"))
    stamp = CACHE / "envs" / name / "raypick-stamp-added"
    wanted = hashlib.sha256(b"".join(file.read_bytes() for file in added)).hexdigest()
    with locked(f"env-{name}"):
        if stamp.exists() and stamp.read_text() == wanted:
            return python
        say(f"adding, as far as possible, {', '.join(file.stem for file in added)}")
        failed = False
        for requirements in added:
            try:
                _pip_install(python, requirements)
            except SetupError as error:
                say(f"going on without {requirements.stem}: {error}")
                failed = True
        if not failed:
            stamp.write_text(wanted)
    return python


def python311() -> Path:
    """Find a Python 3.11 that can make virtual environments, fetching one with uv if need be."""
    executables = (python.executable(_VERSION, _MODULES) for python in on_path(_VERSION))
    found = next(filter(None, executables), None)
    if found is None and (uv := find_uv()):
        found = _python_from_uv(uv)
    if found is None:
        raise SetupError(_NO_PYTHON)
    return found


def find_uv() -> str | None:
    """Find uv on the PATH, or install it in an environment; None if neither works."""
    if found := shutil.which("uv"):
        return found
    folder = CACHE / "envs" / "uv"
    uv = _python_in(folder).with_name("uv.exe" if _WINDOWS else "uv")
    if not uv.exists():
        say("installing uv")
        remove_tree(folder)
        with contextlib.suppress(SetupError):  # the caller says what is missing
            venv = [sys.executable, "-m", "venv", folder]
            run_quietly(venv, "could not make the environment 'uv'")
            _pip_install(_python_in(folder), REQUIREMENTS / "uv.txt")
    return str(uv) if uv.exists() else None


def _python_from_uv(uv: str) -> Path | None:
    """Let uv find a Python 3.11, or fetch one into the cache."""
    env = command_environment(UV_PYTHON_INSTALL_DIR=str(CACHE / "python"))
    env.setdefault("UV_CACHE_DIR", str(CACHE / "uv"))

    def run_uv(*arguments: str) -> str:
        command = [uv, "python", *arguments, _VERSION]
        return subprocess.run(command, env=env, capture_output=True, text=True).stdout.strip()

    found = run_uv("find")
    if not found:
        say("fetching Python 3.11 with uv")
        run_uv("install", "--quiet")
        found = run_uv("find")
    return Python((found,)).executable(_VERSION, _MODULES) if found else None


def _python_in(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if _WINDOWS else "bin/python")


def _pip_install(python: Path, requirements: Path) -> None:
    pip = [python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    failure = f"could not install the packages of '{requirements.stem}'"
    run_quietly([*pip, "--require-hashes", "-r", requirements], failure)


def main() -> int:
    names = sorted(file.stem for file in REQUIREMENTS.glob("*.txt"))
    parser = argparse.ArgumentParser(
        description="Run a module in an environment, which is made if it does not exist.",
        epilog=f"environments: {', '.join(names)}",
    )
    parser.add_argument("name", metavar="NAME", choices=names, help="of the environment")
    parser.add_argument("module", metavar="MODULE", help="to run, as by python -m")
    parser.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args()
    return run_in(options.name, "-m", options.module, *options.arguments)


@dataclass(frozen=True)
class Python:
    """How an interpreter is started; the variables are added to the environment variables."""

    command: tuple[str, ...]
    variables: dict[str, str] = field(default_factory=dict)

    def executable(self, version: str, modules: tuple[str, ...] = ()) -> Path | None:
        """Return its path if it has that version ("3.12", say) and can import the modules."""
        code = f"import {', '.join(('sys', *modules))}; print(sys.executable); "
        code += f"assert sys.version.startswith({version + '.'!r})"
        environment = {**os.environ, **self.variables}
        try:
            run = subprocess.run(
                [*self.command, "-c", code], env=environment, capture_output=True, text=True
            )
        except OSError:
            return None
        return Path(run.stdout.splitlines()[0]) if run.returncode == 0 else None


def find_python(version: str) -> Python | None:
    candidates = (*on_path(version), *_of_pyenv(version), *_of_debian(version))
    return next((python for python in candidates if python.executable(version)), None)


def on_path(version: str) -> list[Python]:
    """Pythons that may have the version: this one, ``python<version>`` and ``py`` on the PATH."""
    commands = [(sys.executable,), (f"python{version}",)]
    if os.name == "nt":
        commands.append(("py", f"-{version}"))
    return [Python(command) for command in commands]


def _of_pyenv(version: str) -> Iterator[Python]:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for executable in sorted(root.glob(f"versions/{version}.*/bin/python{version}")):
        yield Python((str(executable),))


def _of_debian(version: str) -> Iterator[Python]:
    """Pythons of the Debians that windowed.py unpacks, each with its own loader and libraries."""
    for executable in sorted((CACHE / "blender").glob(f"*/usr/bin/python{version}")):
        usr = executable.parents[1]
        for loader in (usr / "lib").glob("*/ld-linux*.so.*"):
            command = (loader, "--library-path", loader.parent, executable)
            yield Python(tuple(map(str, command)), {"PYTHONHOME": str(usr)})


def open3d_variables() -> dict[str, str]:
    """Return the variable by which Open3D finds libusb, which it is linked with, if it needs one.

    A Debian system without libusb gets it from Debian's package.
    """
    if ctypes.util.find_library("usb-1.0") or not all(map(shutil.which, ("apt-get", "dpkg-deb"))):
        return {}
    package = "libusb-1.0-0"
    folder = CACHE / "debian" / package
    try:
        with locked(f"debian-{package}"):
            if not folder.exists():
                say(f"fetching Debian's package {package}")
                _fetch(package, folder)
    except SetupError as error:
        say(str(error))
        return {}
    library = next(folder.rglob("libusb-1.0.so.*"))
    paths = filter(None, [str(library.parent), os.environ.get("LD_LIBRARY_PATH")])
    return {"LD_LIBRARY_PATH": os.pathsep.join(paths)}


def _fetch(package: str, folder: Path) -> None:
    """Download and unpack a package with apt's settings, but package lists in our cache."""
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
    failure = f"could not get Debian's package {package}"
    run_quietly([*apt, "update"], failure)
    run_quietly([*apt, "download", package], failure)
    for archive in unfinished.glob("*.deb"):
        run_quietly(["dpkg-deb", "-x", archive, unfinished], failure)
    unfinished.rename(folder)
    remove_tree(state)


if __name__ == "__main__":
    run_script(main)
