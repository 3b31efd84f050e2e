# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the programs of a test session run: in a folder of their own, on a screen of their own."""

import os
import secrets
import shutil
import subprocess
import sys
import weakref
from pathlib import Path

from checkout import CACHE
from windowed import Build

_SHARED_ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "OPENBLAS_NUM_THREADS": "1",  # several invert a matrix of a view in ten times as long
}
_ROOT_ENVIRONMENT = {"HOME": "/root", "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
_SOFTWARE_GL = {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe", "LP_NUM_THREADS": "0"}


class Sandbox:
    """A throw-away folder for a Blender build, inside its root if it has one.

    Programs started here are stopped, and the folder is deleted, by `close`.

    Parameters
    ----------
    build : Build
        The Blender that will run here.

    Attributes
    ----------
    folder : Path
        The folder, as seen from the test.
    has_own_screen : bool
        Whether `start_screen` started a virtual screen, rather than leave the user's in use.
    """

    def __init__(self, build: Build) -> None:
        self._root = build.root
        self._processes: list[subprocess.Popen] = []
        parent = build.root / "tmp" if build.root else CACHE / "sessions"
        self.folder = parent / f"raypick-{secrets.token_hex(4)}"
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.has_own_screen = False
        self.environment = {**(_ROOT_ENVIRONMENT if build.root else os.environ)}
        self.environment |= _SHARED_ENVIRONMENT
        self.environment["BLENDER_USER_RESOURCES"] = self.inside(self.make_folder("profile"))
        temporary = self.inside(self.make_folder("temporary"))
        self.environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary)
        if sys.platform == "linux":
            runtime = self.make_folder("runtime")
            runtime.chmod(0o700)
            self.environment["XDG_RUNTIME_DIR"] = self.inside(runtime)

    def make_folder(self, name: str) -> Path:
        """Make a folder in the sandbox."""
        path = self.folder / name
        path.mkdir()
        return path

    def inside(self, path: Path) -> str:
        """Translate a path as the test sees it to the path that programs here see."""
        return f"/{path.relative_to(self._root)}" if self._root else str(path)

    def has(self, program: str) -> bool:
        """Whether a program is installed here."""
        if self._root:
            return any((self._root / folder / program).exists() for folder in ("usr/bin", "bin"))
        return shutil.which(program) is not None

    def start(self, *command: str, **options) -> subprocess.Popen:
        """Start a program that runs until it ends or the sandbox is closed."""
        process = subprocess.Popen(
            self._command(command), env=self.environment, stdin=subprocess.DEVNULL, **options
        )
        self._processes.append(process)
        return process

    def run(self, *command: str, timeout: float = 60) -> bytes:
        """Run a program to its end and return what it printed."""
        run = subprocess.run(
            self._command(command),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
        )
        if run.returncode != 0:
            said = (run.stdout + run.stderr).decode(errors="replace").strip()
            raise RuntimeError(f"{command[0]} ended with status {run.returncode}: {said}")
        return run.stdout

    def start_screen(self, width: int, height: int) -> None:
        """Give the programs here a virtual screen, unless the user's own is there to be used."""
        users_own = "DISPLAY" in self.environment or "WAYLAND_DISPLAY" in self.environment
        if sys.platform != "linux" or users_own:
            return
        if not self.has("Xvfb"):
            raise RuntimeError("there is no display, and no Xvfb to make one")
        # Xvfb picks a free number, writes it once it is ready, and ends with its last client.
        reader, writer = os.pipe()
        size = f"{width}x{height}x24"
        self.start(
            *("Xvfb", "-displayfd", str(writer), "-screen", "0", size),
            *("-nolisten", "tcp", "-terminate"),
            pass_fds=(writer,),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with open(reader, "rb") as pipe:
            number = pipe.readline().decode().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        self.environment |= {"DISPLAY": f":{number}", **_SOFTWARE_GL}
        self.has_own_screen = True

    def end(self) -> None:
        """Stop the programs, the last one first, and the screen with them."""
        if self.has_own_screen:
            self.has_own_screen = False
            del self.environment["DISPLAY"]
        while self._processes:
            process = self._processes.pop()
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def close(self) -> None:
        """Stop the programs, and delete the folder."""
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _command(self, command: tuple[str, ...]) -> list[str]:
        return ["chroot", str(self._root), *command] if self._root else list(command)
