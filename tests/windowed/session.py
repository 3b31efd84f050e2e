# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender with a window that a test drives: by Python, simulated events, or real X input.

Positions are window pixels counted from the bottom left, as Blender's own events have them.
"""

import json
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from checkout import ARTEFACTS, CACHE
from tests.patience import PATIENT
from tests.windowed.sandbox import Sandbox
from windowed import Build

_SERVER = Path(__file__).with_name("rpc_server.py")
_LOG_LINES_SHOWN = 40
_TRACEBACK_LINES_SHOWN = 60

_PREPARE_PROFILE = """
import bpy
bpy.context.preferences.view.show_splash = False
bpy.context.preferences.view.render_display_type = "NONE"
system = bpy.context.preferences.system
system.viewport_aa = "OFF"
system.use_overlay_smooth_wire = system.use_edit_mode_smooth_wire = False
bpy.context.preferences.filepaths.use_auto_save_temporary_files = False
bpy.ops.extensions.package_install_files(
    repo="user_default", filepath={zip!r}, enable_on_install=True)
bpy.ops.wm.save_userpref()
"""

_HOME = """
window, area, _, _ = viewport()
bpy.data.batch_remove([each for each in bpy.data.workspaces if each != window.workspace])
bpy.data.batch_remove([each for each in bpy.data.screens if each != window.screen])
window.screen.show_statusbar = False
for other in [each for each in window.screen.areas if each != area]:
    with bpy.context.temp_override(window=window, area=other, region=other.regions[0]):
        bpy.ops.screen.area_close()
space = area.spaces.active
for name in ("floor", "axis_x", "axis_y", "cursor", "text", "outline_selected", "object_origins"):
    setattr(space.overlay, "show_" + name, False)
space.shading.show_object_outline = space.shading.show_specular_highlight = False
bpy.ops.wm.save_homefile()
len(window.screen.areas)
"""
"""Keep as start-up file a 3D viewport alone, without most of Blender's own overlays.

These take a third of the time of a redraw; Raypick draws in an overlay too, so they are not turned
off as a whole. The status bar would be drawn again and again while a message fades.
"""

_POSITION_OF = """
from bpy_extras.view3d_utils import location_3d_to_region_2d
_, _, _region, _view = viewport()
_at = location_3d_to_region_2d(_region, _view, {point!r})
[_region.x + _at.x, _region.y + _at.y]
"""


class SessionError(RuntimeError):
    """Blender did not do what the test asked; the message ends with the end of Blender's log."""


class NoPrivateScreenError(SessionError):
    """What was asked needs a virtual screen that belongs to the session alone."""


class Session:
    """A running Blender with the extension installed and enabled in a throw-away profile.

    Its window has a 3D viewport and no other editor, unless the whole window is asked for.

    Parameters
    ----------
    build : Build
        Which Blender to start.
    extension : Path
        The zip to install.
    simulate : bool
        True for simulated events (`move`, `click`, `key`), with which Blender ignores real input;
        False for real X input (`xdo`).
    size : (int, int)
        Width and height of the window, and of the screen if it is a virtual one. Software draws
        small windows sooner, and the sidebar needs the width. Blender makes none lower than 480.
    whole : bool
        True for the editors of Blender's own start-up file.
    """

    _profiles: ClassVar[dict[tuple[Build, Path, int], tempfile.TemporaryDirectory[str]]] = {}
    """Profiles with the extension and the start-up file, to be copied: both are made once."""

    def __init__(
        self,
        build: Build,
        extension: Path,
        *,
        simulate: bool = True,
        size: tuple[int, int] = (960, 480),
        whole: bool = False,
    ) -> None:
        self.build = build
        self.simulate = simulate
        self.size = size
        self.whole = whole
        self._extension = extension
        self._overlaps = True
        self._open()

    def _open(self) -> None:
        self._sandbox = Sandbox(self.build)
        self._log_path = self._sandbox.folder / "blender.log"
        self._log_seen = 0
        self._process: subprocess.Popen | None = None
        try:
            shutil.copyfile(self._extension, self._sandbox.folder / self._extension.name)
            profile = self._sandbox.folder / "profile"
            key = self.build, self._extension, self._extension.stat().st_mtime_ns
            if key not in self._profiles:
                self._make_profile(profile)
                kept = tempfile.TemporaryDirectory(prefix="profile-", dir=CACHE)
                shutil.copytree(profile, kept.name, dirs_exist_ok=True)
                self._profiles[key] = kept
            else:
                shutil.copytree(self._profiles[key].name, profile, dirs_exist_ok=True)
            if self.whole:
                (profile / "config" / "startup.blend").unlink()
            self._start_in_a_window()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End Blender and its screen, and delete its profile."""
        self._sandbox.close()

    def restart(self) -> None:
        """End Blender if it has not ended, and start another, in a new profile."""
        self.close()
        self._open()

    @property
    def log(self) -> str:
        """All that Blender has printed so far."""
        if not self._log_path.exists():
            return ""
        return self._log_path.read_text(encoding="utf-8", errors="replace")

    def new_traceback(self) -> str:
        """Return the log from the first traceback since the last call on; empty if there is none.

        What Blender calls, such as a timer or the drawing of a panel, fails in its log alone.
        """
        start = self.log.find("Traceback", self._log_seen)
        if start >= 0 and self.is_running:
            with suppress(SessionError):
                self.py("None")  # which is answered once the traceback is written to its end
        log = self.log
        self._log_seen = len(log)
        return "" if start < 0 else "\n".join(log[start:].splitlines()[:_TRACEBACK_LINES_SHOWN])

    @property
    def is_running(self) -> bool:
        """Whether Blender has neither ended nor crashed."""
        return self._process is not None and self._process.poll() is None

    # Python in Blender

    def py(self, code: str, timeout: float = 60) -> Any:
        """Run code in Blender and return its result.

        Parameters
        ----------
        code : str
            Sees ``bpy``, ``viewport()`` (window, area, region, region data), ``draws`` (how often a
            viewport was drawn) and what earlier code defined. Its result is its last line, if that
            is an expression, or else what it gave the name ``result``; vectors and arrays come back
            as lists.
        timeout : float
            In seconds. What has not answered by then is not waited for again: Blender is ended.
        """
        self._connection.settimeout(timeout)
        try:
            self._replies.write(json.dumps(code).encode() + b"\n")
            self._replies.flush()
            line = self._replies.readline()
        except TimeoutError:
            self._process.kill()
            raise self._error(f"no answer within {timeout} s to:\n{code}") from None
        except OSError:
            line = b""
        if not line:
            raise self._error(
                f"Blender has ended with status {self._process.wait(30)}, at:\n{code}"
            )
        reply = json.loads(line)
        if "error" in reply:
            raise self._error(f"{reply['error'].strip()}\nin:\n{code}")
        return reply["result"]

    def wait(self, expression: str, timeout: float = 60) -> Any:
        """Evaluate an expression in Blender until it is true; return its value."""
        end = time.monotonic() + timeout
        while True:
            value = self.py(expression, timeout)
            if value:
                return value
            if time.monotonic() > end:
                raise self._error(f"not true within {timeout} s: {expression}")
            time.sleep(0.002)

    def redraw(self, count: int = 1, timeout: float = 60) -> None:
        """Have the viewport drawn again, and wait until it has been."""
        for _ in range(count):
            self.draw_after("", timeout)

    def come_to_rest(self) -> None:
        """Redraw until the screen shows the same twice: Blender folds a panel in 0.3 s."""
        before = None
        for _ in range(100):
            time.sleep(0.1)
            self.redraw(2)
            before, now = self.pixels(), before
            if np.array_equal(now, before):
                return
        raise self._error("the screen does not come to rest")

    def draw_after(self, code: str, timeout: float = 60) -> None:
        """Run code, have the viewport drawn once after all of it, and wait until it has been."""
        before = self.py(f"{code}\nviewport()[1].tag_redraw()\ndraws", timeout)
        self.wait(f"draws > {before}", timeout)

    def reset(self) -> None:
        """Go back to Blender's own start-up scene and screen; the preferences stay as they are."""
        self.draw_after("bpy.ops.wm.read_homefile(use_factory_startup=True)")

    @contextmanager
    def lend(self, folder: Path) -> Iterator[str]:
        """Let Blender read and write a folder that lasts: a copy, whose path there is given."""
        there = self._sandbox.make_folder(folder.name)
        if folder.is_dir():
            shutil.copytree(folder, there, dirs_exist_ok=True)
        yield self._sandbox.inside(there)
        unfinished = folder.with_name(f"unfinished-{folder.name}")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(there, unfinished)
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)

    def smooth(self, on: bool = True) -> None:
        """Smooth viewports as Blender does by default; a session begins without.

        Each redraw is then followed by one for each of eight samples: half of a session's time.
        """
        level = "8" if on else "OFF"
        self.py(f"bpy.context.preferences.system.viewport_aa = {level!r}\nresult = None")

    def overlap_regions(self, on: bool) -> None:
        """Show headers and sidebars over viewports, as is the default, or else beside them.

        It holds for a Blender that is started again too.
        """
        self._overlaps = on
        if self.is_running:
            self.py(f"bpy.context.preferences.system.use_region_overlap = {on}\nresult = None")

    def position_of(self, point: tuple[float, float, float]) -> tuple[int, int]:
        """Return the window pixel where the first viewport shows a point of the world."""
        x, y = self.py(_POSITION_OF.format(point=tuple(point)))
        return int(x), int(y)

    # Simulated events: one request each, so that Blender handles each before the next

    def event(self, kind: str, value: str, x: int, y: int, **options: Any) -> None:
        """Send one event: a type, ``PRESS``, ``RELEASE`` or ``NOTHING``, and ``ctrl=True`` ..."""
        arguments = {"type": kind, "value": value, "x": int(x), "y": int(y), **options}
        self.py(f"viewport()[0].event_simulate(**{arguments!r})\nresult = None")

    def move(self, x: int, y: int, **modifiers: bool) -> None:
        """Move the mouse."""
        self.event("MOUSEMOVE", "NOTHING", x, y, **modifiers)

    def click(self, x: int, y: int, button: str = "LEFTMOUSE", **modifiers: bool) -> None:
        """Move the mouse, press a button and release it."""
        self.move(x, y, **modifiers)
        self.event(button, "PRESS", x, y, **modifiers)
        self.event(button, "RELEASE", x, y, **modifiers)

    def key(self, key: str, x: int, y: int, **options: Any) -> None:
        """Press and release a key, with the mouse at a position; to type, pass ``unicode``."""
        self.event(key, "PRESS", x, y, **options)
        options.pop("unicode", None)
        self.event(key, "RELEASE", x, y, **options)

    # The screen

    def xdo(self, *arguments: object) -> str:
        """Run xdotool, for real X input, on the session's own screen; return what it prints.

        X counts positions from the top: see `screen_position`. It may merge moves that follow each
        other fast: wait for results, and count no moves.
        """
        if not (self._sandbox.has_own_screen and self._sandbox.has("xdotool")):
            raise NoPrivateScreenError("real input needs xdotool, and a virtual screen of its own")
        return self._sandbox.run("xdotool", *map(str, arguments)).decode()

    def screen_position(self, x: int, y: int) -> tuple[int, int]:
        """Turn a window position into one for xdotool."""
        return x, self.size[1] - 1 - y

    def shot(self, path: str | Path) -> Path:
        """Save a picture of the window as PNG; a relative path is meant in ``.cache/artefacts``."""
        path = ARTEFACTS / path
        path.parent.mkdir(parents=True, exist_ok=True)
        if self._sandbox.has_own_screen:
            path.write_bytes(self._sandbox.run("import", "-window", "root", "png:-"))
        else:
            picture = self._sandbox.folder / "shot.png"
            self.py(f"bpy.ops.screen.screenshot(filepath={self._sandbox.inside(picture)!r})")
            shutil.copyfile(picture, path)
        return path

    def pixels(self) -> np.ndarray:
        """Return what a virtual screen shows: (height, width, 3) uint8, the bottom row first."""
        if not self._sandbox.has_own_screen:
            raise NoPrivateScreenError("pixels are read from a virtual screen only")
        data = self._sandbox.run("import", "-window", "root", "-depth", "8", "rgb:-")
        return np.frombuffer(data, np.uint8).reshape(self.size[1], self.size[0], 3)[::-1]

    # How it starts

    def _make_profile(self, profile: Path) -> None:
        """Install the extension in a profile, and make the start-up file, which takes a window."""
        self._install()
        self._start_in_a_window()
        areas = self.py(_HOME)
        if areas != 1:
            raise self._error(f"the start-up file has {areas} areas")
        self._sandbox.end()

    def _start_in_a_window(self) -> None:
        self._sandbox.start_screen(*self.size)
        self._start()
        self.wait("draws > 0", timeout=180)
        self.py(PATIENT)
        if not self._overlaps:
            self.overlap_regions(False)

    def _install(self) -> None:
        """Install and enable the extension in the profile, and turn off what disturbs."""
        package = self._sandbox.folder / self._extension.name
        script = _PREPARE_PROFILE.format(zip=self._sandbox.inside(package))
        self._sandbox.run(
            *(self.build.executable, "--offline-mode", "--background"),
            *("--python-exit-code", "1", "--python-expr", script),
            timeout=180,
        )

    def _start(self) -> None:
        server = self._sandbox.folder / _SERVER.name
        shutil.copyfile(_SERVER, server)
        port_file = self._sandbox.folder / "port"
        port_file.unlink(missing_ok=True)
        secret = secrets.token_hex()
        self._sandbox.environment["RAYPICK_RPC_PORT_FILE"] = self._sandbox.inside(port_file)
        self._sandbox.environment["RAYPICK_RPC_SECRET"] = secret
        with open(self._log_path, "wb") as log:
            self._process = self._sandbox.start(
                *(self.build.executable, "--offline-mode"),
                *("--window-geometry", "0", "0", *map(str, self.size)),
                *(["--enable-event-simulate"] if self.simulate else []),
                *("--python", self._sandbox.inside(server)),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        end = time.monotonic() + 120
        while not port_file.exists():
            if self._process.poll() is not None:
                raise self._error(f"Blender ended with status {self._process.returncode}")
            if time.monotonic() > end:
                raise self._error("Blender did not get ready within 120 s")
            time.sleep(0.05)
        address = ("127.0.0.1", int(port_file.read_text()))
        self._connection = socket.create_connection(address)
        self._replies = self._connection.makefile("rwb")
        self._replies.write(secret.encode() + b"\n")

    def _error(self, what: str) -> SessionError:
        tail = "\n".join(self.log.splitlines()[-_LOG_LINES_SHOWN:])
        for report in self._sandbox.folder.rglob("*.crash.txt"):
            tail += f"\n--- {report.name} ---\n{report.read_text(errors='replace')}"
        return SessionError(f"{self.build.label}: {what}\n--- the end of Blender's log ---\n{tail}")
