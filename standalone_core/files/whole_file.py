# SPDX-License-Identifier: MIT
"""Atomic writing: at any moment a file is the whole old one or the whole new one."""

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
    """Raise what :func:`atomic_write` would, as far as that is known before writing."""
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
    """Raise OSError with the file's name if it is missing, is a folder, or may not be read."""
    path = path_of(file)
    number = errno.EISDIR if stat.S_ISDIR(os.stat(path).st_mode) else errno.EACCES
    if number == errno.EISDIR or not os.access(path, os.R_OK):
        raise OSError(number, os.strerror(number), path)


class TakenFiles:
    """Files that no further output may replace, by whatever path or link: inputs, other outputs."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, int, str], str] = {}

    def add(self, name: str, file: Any) -> None:
        """Take a file; errors call it `name`."""
        identity = _identity(path_of(file))
        if identity is not None:
            self._names.setdefault(identity, name)

    def check(self, what: str, file: Any) -> None:
        """Raise ArgumentError if writing `file` would replace one of them; it is called `what`."""
        identity = _identity(path_of(file))
        if identity in self._names:
            raise ArgumentError(f"{what} would replace {self._names[identity]}")


def stamp_of(file: Any) -> tuple[int, int, int, int] | None:
    """Device, inode, size and time: they change when a file is rewritten. None if it is missing."""
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
    """The ending of a path in lower case, such as ``.npz``; it tells a file's format."""
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
    """A key that all paths of a file share; None if it cannot be replaced.

    The key of a file that does not exist yet is its folder and its name, without the differences
    in case and in Unicode's forms that some file systems ignore.
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
    """Type and permissions of a file; None if it is missing, OSError if it may not be written."""
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
    """Write the new name to the disk too, on systems where a folder can be opened."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
