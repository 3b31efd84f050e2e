# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the Pythons of this machine: on the PATH, of pyenv, and in unpacked Debian releases."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from checkout import CACHE


@dataclass(frozen=True)
class Python:
    """How an interpreter is started; the variables are added to the environment variables."""

    command: tuple[str, ...]
    variables: dict[str, str] = field(default_factory=dict)

    def executable(self, version: str, modules: tuple[str, ...] = ()) -> Path | None:
        """Return where it is, if it is of a version such as "3.12" and can import the modules."""
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


def find(version: str) -> Python | None:
    """Find one of a version such as "3.12", or None."""
    candidates = (*on_path(version), *_of_pyenv(version), *_of_debian(version))
    return next((python for python in candidates if python.executable(version)), None)


def on_path(version: str) -> list[Python]:
    """Those that may have the version: this one, and what its name stands for on the PATH."""
    commands = [(sys.executable,), (f"python{version}",)]
    if os.name == "nt":
        commands.append(("py", f"-{version}"))
    return [Python(command) for command in commands]


def _of_pyenv(version: str) -> Iterator[Python]:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for executable in sorted(root.glob(f"versions/{version}.*/bin/python{version}")):
        yield Python((str(executable),))


def _of_debian(version: str) -> Iterator[Python]:
    """Those of the releases that windowed.py prepares, each with its own loader and libraries."""
    for executable in sorted((CACHE / "blender").glob(f"*/usr/bin/python{version}")):
        usr = executable.parents[1]
        for loader in (usr / "lib").glob("*/ld-linux*.so.*"):
            command = (loader, "--library-path", loader.parent, executable)
            yield Python(tuple(map(str, command)), {"PYTHONHOME": str(usr)})
