# SPDX-License-Identifier: MIT
"""Writing of files that are whole at any moment: the old one, or else the new one."""

import errno
import os
import secrets
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

from ..errors import ArgumentError, DtypeError
from ..numerics.reading import kind_of


@contextmanager
def atomic_write(file: Any) -> Iterator[BinaryIO]:
    """Open a file to be written, which takes its place only when all of it is on the disk.

    Until then it has a temporary name in the same folder. An exception removes it, and the old file
    stays. A killed process leaves both. The new file has the permissions of the old one; what a
    symbolic link points to is replaced; a device or a pipe is written to.

    Raises
    ------
    DtypeError, ArgumentError
        If `file` is no path, or cannot be one.
    OSError
        If the file cannot be written, or no new file can be made in its folder; it names the file.
    """
    path = os.path.realpath(path_of(file))
    try:
        with _opened(path) as opened:
            yield opened
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, path) from error


def check_writable(file: Any) -> None:
    """Raise what :func:`atomic_write` would, as far as that is known with nothing written."""
    path = os.path.realpath(path_of(file))
    folder = os.path.dirname(path)
    try:
        mode = _mode(path)
        os.stat(folder)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    if (mode is None or stat.S_ISREG(mode)) and not os.access(folder, os.W_OK | os.X_OK):
        raise OSError(errno.EACCES, "no new file can be made in its folder", path)


def check_readable(file: Any) -> None:
    """OSError, which names the file, if it is not there, is a folder, or may not be read."""
    path = path_of(file)
    number = errno.EISDIR if stat.S_ISDIR(os.stat(path).st_mode) else errno.EACCES
    if number == errno.EISDIR or not os.access(path, os.R_OK):
        raise OSError(number, os.strerror(number), path)


class TakenFiles:
    """Files that no further output may replace, by whatever path or link: inputs, other outputs."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, int, str], str] = {}

    def add(self, name: str, file: Any) -> None:
        """Take a file, which errors call by that name."""
        identity = _identity(path_of(file))
        if identity is not None:
            self._names.setdefault(identity, name)

    def check(self, what: str, file: Any) -> None:
        """ArgumentError if what is to be written would replace one of them."""
        identity = _identity(path_of(file))
        if identity in self._names:
            raise ArgumentError(f"{what} would replace {self._names[identity]}")


def stamp_of(file: Any) -> tuple[int, int, int, int] | None:
    """What changes when a file is written anew: device, inode, size and time; None if none is."""
    try:
        told = os.stat(file)
    except OSError:
        return None
    return told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns


def path_of(file: Any) -> str:
    """Read `file` as a path; DtypeError or ArgumentError if it cannot be one."""
    try:
        path = os.fsdecode(file)
    except TypeError:
        raise DtypeError(
            f"a file must be a path or an open binary file, not {kind_of(file)}"
        ) from None
    if not path:
        raise ArgumentError("a path is empty")
    if "\0" in path:
        raise ArgumentError(f"{path!r} is no path: it has a null character")
    return path


def ending_of(path: str) -> str:
    """The ending of a path in small letters, such as ``.npz``; it tells a file's format."""
    return os.path.splitext(path)[1].lower()


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as opened:
            yield opened
        return
    folder = os.path.dirname(path)
    unfinished = os.path.join(folder, f".raypick-{secrets.token_hex(8)}.tmp")
    try:
        with _made(unfinished) as opened:
            if mode is not None:
                os.chmod(unfinished, stat.S_IMODE(mode))
            yield opened
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(unfinished, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise
    _sync(folder)


def _identity(path: str) -> tuple[int, int, str] | None:
    """What all paths of a file have in common; None of what cannot be replaced.

    Of a file that is yet to be made it is its folder and its name, in which some file systems
    take letters of either case, or written in another way, for the same.
    """
    try:
        told = os.stat(path)
        return (told.st_dev, told.st_ino, "") if stat.S_ISREG(told.st_mode) else None
    except OSError:
        folder, name = os.path.split(os.path.realpath(path))
    try:
        told = os.stat(folder)
    except OSError:
        return None
    return told.st_dev, told.st_ino, unicodedata.normalize("NFKC", name).casefold()


def _made(path: str) -> BinaryIO:
    try:
        return open(path, "xb")
    except OSError as error:
        reason = f"{error.strerror} (no new file can be made in its folder)"
        raise OSError(error.errno, reason) from None


def _mode(path: str) -> int | None:
    """Type and permissions of what is there, if it may be written; None if nothing is."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if stat.S_ISREG(mode):
        os.close(os.open(path, os.O_WRONLY))
    return mode


def _sync(folder: str) -> None:
    """Have the new name on the disk too, on systems where a folder can be opened."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
