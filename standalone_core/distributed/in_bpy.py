# SPDX-License-Identifier: MIT
"""Runs commands of the extension in the module bpy, which has no command line of its own.

    python -m standalone_core.distributed.in_bpy [--extension ZIP] FILE.blend -- survey --frames 1-9

After ``--`` comes what would follow ``blender FILE.blend --command raypick``. Without a zip, the
user's installed extension is used. With one, the extension is installed for this process alone,
and the user's own Blender is left as it is. No script of the file is run. The exit status is
that of the command, 1 if the command cannot be run, or 2 if the arguments are wrong.
"""

from __future__ import annotations

import argparse
import importlib
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from .. import console

PACKAGE = "bl_ext.user_default.raypick"


class _NotDoneError(Exception):
    """The reason why the command cannot be run, in words."""


def main(argv: Sequence[str] | None = None) -> int:
    """Open the file, enable the extension, run the command; return its exit status."""
    words = sys.argv[1:] if argv is None else list(argv)
    end = words.index("--") if "--" in words else len(words)
    given, command = words[:end], words[end + 1 :]
    parser = argparse.ArgumentParser(
        prog="in_bpy", description="Run a command of Raypick in the module bpy."
    )
    parser.add_argument("--extension", metavar="ZIP", help="the extension's zip, to be used")
    parser.add_argument("file", metavar="FILE.blend")
    options = parser.parse_args(given)
    if not command:
        parser.error("a command must follow: FILE.blend -- survey --out FOLDER")
    try:
        with _profile(options.extension is not None):
            bpy = _bpy()
            _enable(bpy, options.extension)
            _open(bpy, options.file)
            status: int = importlib.import_module(f"{PACKAGE}.command").main(command)
            return status
    except _NotDoneError as error:
        print(f"raypick: {error}", file=sys.stderr)
        return 1


@contextmanager
def _profile(is_temporary: bool) -> Iterator[None]:
    """If it is temporary, give Blender an empty folder for user files; remove it afterwards."""
    if not is_temporary:
        yield
        return
    folder = os.path.join(tempfile.gettempdir(), f"raypick-profile-{secrets.token_hex(8)}")

    def end(number: int, _frame: FrameType | None) -> None:
        # Not by an exception: Blender would catch it, and end Python without cleaning up.
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(128 + number)

    # Name and handler come first: a signal may come as soon as the folder is made.
    with console.answered((signal.SIGINT, *console.ENDINGS), end):
        try:
            os.mkdir(folder, 0o700)
            os.environ["BLENDER_USER_RESOURCES"] = folder  # which Blender reads when it is imported
            yield
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _bpy() -> Any:
    try:
        import bpy
    except ImportError as error:
        reason = f"the module bpy cannot be imported by {sys.executable} (pip install bpy): {error}"
        raise _NotDoneError(reason) from None
    return bpy


def _enable(bpy: Any, extension: str | None) -> None:
    """Enable the extension, from a zip or as the user has installed it."""
    if extension is not None:
        if not os.path.isfile(extension):
            raise _NotDoneError(f"there is no {extension}")
        try:
            bpy.ops.extensions.package_install_files(
                repo="user_default", filepath=os.path.abspath(extension), enable_on_install=True
            )
        except RuntimeError as error:
            raise _NotDoneError(f"{extension} cannot be installed: {error}") from None
    elif PACKAGE not in bpy.context.preferences.addons:
        importlib.import_module("addon_utils").enable(PACKAGE, default_set=True)
    if PACKAGE not in bpy.context.preferences.addons:
        where = extension or "Blender's extensions of this user"
        raise _NotDoneError(f"Raypick is not in {where}: pass its zip as extension")


def _open(bpy: Any, file: str) -> None:
    if not os.path.isfile(file):
        raise _NotDoneError(f"there is no {file}")
    try:
        bpy.ops.wm.open_mainfile(filepath=os.path.abspath(file), load_ui=False, use_scripts=False)
    except RuntimeError as error:
        raise _NotDoneError(f"{file} cannot be opened: {error}") from None


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Blender cleans up when Python ends, and some versions crash or wait forever then.
    os._exit(status)
