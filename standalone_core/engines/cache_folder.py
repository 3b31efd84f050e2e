# SPDX-License-Identifier: MIT
"""Where compiled code is kept between processes: a folder that nobody but the user can write to.

What is read from it is run, so every folder on the way there is looked at. Where one of them is not
safe nothing is kept.
"""

import contextlib
import hashlib
import os
import secrets
import shutil
import stat
import sys
import time
from pathlib import Path

if sys.platform != "win32":
    import grp
    import pwd

PACKAGE = Path(__file__).parents[1]

_IMPORTED = time.time()
# A place that nobody came back to for so many seconds is that of a package that is gone.
_FORGOTTEN = 90 * 86400

_own: Path | None = None


def use(folder: str | os.PathLike[str]) -> None:
    """Keep compiled code in a folder of the application; it is made when it is needed.

    Call it before the first cast. The environment variable ``NUMBA_CACHE_DIR`` takes precedence.
    """
    global _own
    _own = Path(folder)


def parent_folder() -> Path | None:
    """The folder above the compiled code of all versions; None if the system has no such place.

    The environment variable ``NUMBA_CACHE_DIR``, the folder of the application (:func:`use`), or
    that of the system for a user's caches.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given, "raypick")
    return _own or _user_caches()


def _user_caches() -> Path | None:
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else home / "AppData" / "Local") / "raypick" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "raypick"
    given = os.environ.get("XDG_CACHE_HOME", "")
    # A relative path is to be ignored, says the specification.
    return (Path(given) if os.path.isabs(given) else home / ".cache") / "raypick"


def digest() -> str | None:
    """A name for all sources of the package as they were imported; None if it cannot be known.

    It covers all of them, compiled or not, and no dates, which archives do not keep. But
    where a source was changed after it was imported, what is compiled is not what can be read.
    """
    total = hashlib.blake2b(digest_size=16)
    try:
        sources = sorted(PACKAGE.rglob("*.py"))
        for source in sources:
            found = source.stat()
            if max(found.st_ctime, found.st_mtime) > _IMPORTED:  # ctime: of creation, on Windows
                return None
            text = source.read_bytes()
            total.update(f"{source.relative_to(PACKAGE).as_posix()} {len(text)}\n".encode())
            total.update(text)
    except OSError:
        return None
    return total.hexdigest() if sources else None


def folder(name: str) -> Path | None:
    """The folder for what is compiled from sources of a digest, made if need be; None if not safe.

    What was kept for older sources at the same place is removed.
    """
    parent = parent_folder()
    if parent is None:
        return None
    place = hashlib.blake2b(os.fsencode(PACKAGE.resolve()), digest_size=8).hexdigest()
    try:
        chosen = _made(parent.absolute() / f"kernels-{place}" / name)
        if chosen is not None:
            os.utime(chosen.parent)
            _remove_old(chosen)
    except (OSError, RuntimeError):  # there is no such drive, or no home
        return None
    return chosen


def _made(folder: Path) -> Path | None:
    """The folder without links, made if need be; None if someone else may put files into it."""
    there = next((part for part in (folder, *folder.parents) if part.exists()), None)
    if there is None:
        return None
    made = there.resolve(strict=True)
    if not is_safe(made):
        return None
    for name in folder.relative_to(there).parts:
        made = made / name
        with contextlib.suppress(FileExistsError):
            made.mkdir(mode=0o700)
    return made if is_safe(made) and _is_ours(made.lstat()) else None


def is_safe(folder: Path) -> bool:
    """Whether nobody else can put a file into a folder, nor another folder in its place.

    The path must be absolute; a link in it is not safe. Windows gives what is in a user's own
    folder to that user alone; no other is trusted there.
    """
    if sys.platform == "win32":
        return folder.is_relative_to(Path.home().resolve())
    for part in (folder, *folder.parents):
        found = part.lstat()
        if not stat.S_ISDIR(found.st_mode) or not (_is_ours(found) or found.st_uid == 0):
            return False
        # Others may add to a sticky folder on the way, but touch nothing there that is not theirs.
        shared = part is not folder and found.st_mode & stat.S_ISVTX
        others = stat.S_IWOTH if _is_group_of_one(found.st_gid) else stat.S_IWOTH | stat.S_IWGRP
        if found.st_mode & others and not shared:
            return False
    return True


def _is_group_of_one(group: int) -> bool:
    """Whether it is the group that many systems give each user, with no other member."""
    try:
        user, members = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    is_own = (group, members.gr_name) == (user.pw_gid, user.pw_name)
    return is_own and set(members.gr_mem) <= {user.pw_name}


def is_ours_alone(file: int) -> bool:
    """Whether an open file is a plain one of this user that nobody else can write to."""
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode):
        return False
    return sys.platform == "win32" or (_is_ours(found) and not found.st_mode & 0o022)


def write(path: Path, data: bytes) -> None:
    """Write a file that the user alone can read and write, seen by others whole or not at all."""
    # The name comes first, so that whatever interrupts the making finds what to remove.
    unfinished = path.with_name(secrets.token_hex(8))
    try:
        with open(unfinished, "xb", opener=_open_alone) as file:
            file.write(data)
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


def _open_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _is_ours(found: os.stat_result) -> bool:
    return sys.platform == "win32" or found.st_uid == os.geteuid()


def _remove_old(chosen: Path) -> None:
    """Remove what other sources left; other processes may do the same at the same time."""
    for other in chosen.parent.iterdir():
        if other.name != chosen.name and other.is_dir():
            shutil.rmtree(other, ignore_errors=True)
    for place in chosen.parent.parent.glob("kernels-*"):
        with contextlib.suppress(OSError):
            if time.time() - place.stat().st_mtime > _FORGOTTEN:
                shutil.rmtree(place, ignore_errors=True)
