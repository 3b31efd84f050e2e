# SPDX-License-Identifier: GPL-3.0-or-later
"""A wheel installed in a folder, for one Python that sees NumPy and the wheel alone."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from environment import REQUIREMENTS, Python, environment


@dataclass(frozen=True)
class Installation:
    """A folder of packages, and the interpreter that imports from there."""

    python: Python
    folder: Path

    @classmethod
    def of(cls, wheel, python, folder):
        """Install a wheel, and the pinned NumPy that it needs."""
        installation = cls(python, folder)
        installation._install("--require-hashes", "-r", REQUIREMENTS / "numpy.txt")
        installation._install("--no-index", "--no-deps", wheel)
        return installation

    def run(self, *arguments, path=None, **options):
        """Run the interpreter without packages of its own; return what it prints."""
        variables = {**self.python.variables, "PYTHONPATH": str(path or self.folder)}
        return subprocess.run(
            [*self.python.command, "-S", *map(str, arguments)],
            env={**os.environ, **variables},
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        ).stdout

    def _install(self, *arguments):
        # Any Python can run the pinned pip; not every one can make a virtual environment.
        (pip,) = environment("package").parents[1].rglob("site-packages/pip")
        quiet = ("--quiet", "--disable-pip-version-check", "--root-user-action=ignore")
        # Python compiles what is imported of NumPy, which is little.
        command = (
            "-m",
            "pip",
            "install",
            *quiet,
            "--no-compile",
            "--target",
            self.folder,
            *arguments,
        )
        self.run(*command, path=pip.parent)
