# SPDX-License-Identifier: MIT
"""The decorator of all kernels, and the folder that keeps them compiled between processes.

numba's own cache notices changes in the file of a function, not in files of functions compiled into
it, and trusts what it finds. Here the folder is named by a digest of all sources, and a file in it
by everything else that compiled code depends on; incomplete files are ignored. Files of the folder
are run, so nothing is kept where anybody but the user could put a file.

Functions that need numba import it. This file is also run as a program, which compiles all kernels.
"""

import atexit
import contextlib
import hashlib
import importlib.util
import json
import os
import pickle
import re
import secrets
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from inspect import getmembers, isfunction
from pathlib import Path
from types import ModuleType
from typing import Any

if sys.platform != "win32":
    import grp
    import pwd

PACKAGE = Path(__file__).parents[2]
"""The folder of the core."""

NAME = __name__.removesuffix(".engines.numba.kernel_cache")
"""The name of the core in this process, which is part of what is kept."""

imported = time.time()
"""When the core's sources were imported; who imports this file later sets it."""

# Seconds after which a package whose kernels nobody used is taken to be gone.
_FORGOTTEN = 90 * 86400

_DIGEST = 32
_OPTIONS = (
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "ENABLE_AVX",
    "LOOP_VECTORIZE",
    "OPT",
    "SLP_VECTORIZE",
    "USE_LLVM_LEGACY_PASS_MANAGER",
)

_of_application: Path | None = None
_folder: Path | None = None
_before_each: Callable[[], None] | None = None


# Kernels


def keep_in(folder: Path | None, before_each: Callable[[], None] | None = None) -> None:
    """Keep the kernels that are decorated from now on in a safe folder, if there is one.

    `before_each` is called before a kernel is compiled or loaded; what it raises ends the import of
    its module.
    """
    global _folder, _before_each
    _folder, _before_each = folder, before_each


def helper(inline: bool) -> Callable[[Callable[..., Any]], Any]:
    """Let kernels call a function, or contain its code (`inline`); C cannot call it."""
    from numba.extending import register_jitable

    decorate: Callable[[Callable[..., Any]], Any] = register_jitable(
        forceinline=inline, no_cfunc_wrapper=True
    )
    return decorate


def helpers(*modules: ModuleType, but: Sequence[Any] = ()) -> None:
    """Let kernels call all functions of modules, `but` some."""
    for module in modules:
        for _, function in getmembers(module, isfunction):
            if function.__module__ == module.__name__ and function not in but:
                helper(inline=False)(function)


def kernel(
    signature: Any = None, allocates: bool = True, is_short: bool = False
) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function: at once for a signature, or else for the types that kernels call it with.

    A kernel that `allocates` no array saves the time of counting references to those it is given.
    Neither it nor the helpers that it calls may then return an array: nothing would keep it alive.
    One that is short keeps Python's global lock, as to release it takes 60 ns.
    """
    import numba

    def compiled(function: Callable[..., Any]) -> Any:
        if _before_each is not None:
            _before_each()
        dispatcher = numba.njit(nogil=not is_short, error_model="numpy", _nrt=allocates)(function)
        if _folder is not None:
            dispatcher._cache = _Kept(function, _folder)
        if signature is not None:
            dispatcher.compile(signature)
            dispatcher.disable_compile()
        return dispatcher

    return compiled


def entry_point(compiled: Any) -> Callable[..., Any]:
    """The function behind a kernel of one signature: a call takes half a microsecond less.

    It takes arguments of exactly these types, by position.
    """
    (version,) = compiled.overloads.values()
    point: Callable[..., Any] = version.entry_point
    return point


def kernel_count() -> int:
    """How many kernels there are in the sources."""
    texts = (file.read_text(encoding="utf-8") for file in (PACKAGE / "engines").rglob("*.py"))
    return sum(len(re.findall(r"^@kernel\(", text, re.MULTILINE)) for text in texts)


def is_complete(folder: Path) -> bool:
    """Whether all kernels were once kept there, as they would be compiled here and now."""
    name = _complete()
    return name is not None and (folder / name).exists()


def set_complete(folder: Path) -> None:
    """Remember that all kernels are kept there."""
    name = _complete()
    if name is not None and folder.name == digest():
        with contextlib.suppress(OSError):
            (folder / name).touch(mode=0o600)


def _complete() -> str | None:
    """The name of the file that marks a complete folder; None where it cannot be known."""
    try:
        from numba.core.registry import cpu_target

        return _name("complete", "", cpu_target.target_context.codegen().magic_tuple())
    except Exception:
        return None


class _Kept:
    """The cache that numba asks for one function's compiled versions: a file for each signature."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._function = f"{function.__module__}.{function.__qualname__}"
        self._folder, self.cache_path = folder, str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature, or None."""
        try:
            from numba.core.runtime import rtsys

            # Loaded code calls numba's runtime alone; a compilation brings in what it needs.
            rtsys.initialize(target_context)
            data = _read(self._file(sig, target_context.codegen()))
            if data is None:
                return None
            from numba.core.compiler import CompileResult

            return CompileResult._rebuild(target_context, *pickle.loads(data))
        except Exception:  # a damaged file or another numba: compile again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature, unless the sources have changed since."""
        with contextlib.suppress(Exception):
            from numba.core import serialize

            if not data.library.has_dynamic_globals and self._folder.name == digest():
                code = serialize.dumps(data._reduce())
                check = hashlib.blake2b(code, digest_size=_DIGEST).digest()
                _write(self._file(sig, data.codegen), check + code)

    def _file(self, signature: Any, codegen: Any) -> Path:
        return self._folder / _name(self._function, str(signature), codegen.magic_tuple())


def _name(function: str, signature: str, target: tuple[Any, ...]) -> str:
    """The name of a file, from everything but the sources that compiled code depends on."""
    import llvmlite
    import numba
    from llvmlite import binding as llvm

    known = (
        *(function, signature, target, sys.version, sys.platform),
        *(numba.__version__, llvmlite.__version__),
        # Products of two numbers use a fused multiply-add where the processor has one.
        llvm.get_host_cpu_features().flatten(),
        [(name, getattr(numba.config, name, None)) for name in _OPTIONS],
    )
    short = function.rpartition(".")[2]
    return f"{short}-{hashlib.blake2b(repr(known).encode(), digest_size=16).hexdigest()}"


def _read(path: Path) -> bytes | None:
    """The content of a file; None if it is not there, not whole, or not the user's alone."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as file:
            if not _is_ours_alone(file.fileno()):
                return None
            check, data = file.read(_DIGEST), file.read()
    except OSError:
        return None
    return data if hashlib.blake2b(data, digest_size=_DIGEST).digest() == check else None


def _write(path: Path, data: bytes) -> None:
    """Write a file that the user alone can read and write, seen by others whole or not at all."""
    # Named before it is made, so that it can be removed after any interruption.
    unfinished = path.with_name(secrets.token_hex(8))
    try:
        with open(unfinished, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(data)
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


# Compiling in another process


def compile_apart(folder: Path, begun: Callable[[], None]) -> bool:
    """Have another process compile all kernels and keep them in a folder; whether it did.

    A compiler cannot be interrupted: in a thread it would hold up the end of this process, and slow
    down what runs beside it. The other process ends soon after this one does. `begun` is called
    for each kernel.
    """
    # Where Python is part of an application, this may be the application.
    if not Path(sys.executable).name.lower().startswith("python"):
        return False
    given = json.dumps([NAME, str(folder), os.getpid(), sys.path])
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", __file__, given],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is not meant for it, and no window is to open for it.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError:
        return False
    with process as compiling:
        for line in compiling.stdout or ():
            if line == _BEGUN:
                begun()
    return process.returncode == 0


_BEGUN = b"kernel\n"


def _compile_all(folder: Path, parent: int) -> None:
    if digest() != folder.name:
        sys.exit("the sources were changed")

    def go_on() -> None:
        # On Windows the id stays the same when the parent ends.
        if sys.platform != "win32" and os.getppid() != parent:
            sys.exit("nobody waits for this")
        sys.stdout.buffer.write(_BEGUN)
        sys.stdout.buffer.flush()

    keep_in(folder, go_on)
    importlib.import_module(f"{NAME}.engines.numba.scene_engine")  # and numba_engine with it
    set_complete(folder)


def _main() -> None:
    name, folder, parent, path = json.loads(sys.argv[1])
    sys.path[:] = path
    # The core alone, whatever packages it is part of.
    spec: Any = importlib.util.spec_from_file_location(name, PACKAGE / "__init__.py")
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    there: Any = importlib.import_module(f"{name}.engines.numba.kernel_cache")
    there._compile_all(Path(folder), parent)


# The folder


def use(folder: str | os.PathLike[str]) -> None:
    """Keep kernels in a folder of the application; it is made when it is needed.

    Call it before the first cast. The environment variable ``NUMBA_CACHE_DIR`` takes precedence.
    """
    global _of_application
    _of_application = Path(folder)


def parent_folder() -> Path | None:
    """The folder above the kernels of all versions; None if the system has no such place.

    The environment variable ``NUMBA_CACHE_DIR``, the folder of the application (:func:`use`), or
    that of the system for a user's caches.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    return Path(given, "raypick") if given else _of_application or _user_caches()


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
    # The specification says that a relative path is ignored.
    return (Path(given) if os.path.isabs(given) else home / ".cache") / "raypick"


def digest() -> str | None:
    """A name for all sources of the core as they were imported; None if it cannot be known.

    It covers all of them, compiled or not, and no dates, which archives do not keep. A source
    changed after the import gives None: its file is not the code that is compiled.
    """
    total = hashlib.blake2b(digest_size=16)
    try:
        sources = sorted(PACKAGE.rglob("*.py"))
        for source in sources:
            found = source.stat()
            if max(found.st_ctime, found.st_mtime) > imported:  # ctime: of creation, on Windows
                return None
            text = source.read_bytes()
            total.update(f"{source.relative_to(PACKAGE).as_posix()} {len(text)}\n".encode())
            total.update(text)
    except OSError:
        return None
    return total.hexdigest() if sources else None


def place(name: str) -> Path | None:
    """Where kernels are kept for the digest `name` of sources; the folder may not exist yet.

    None without a parent folder; OSError or RuntimeError where there is no such drive, or no home.
    """
    parent = parent_folder()
    if parent is None:
        return None
    of_package = hashlib.blake2b(os.fsencode(PACKAGE.resolve()), digest_size=8).hexdigest()
    return parent.absolute() / f"kernels-{of_package}" / name


def seems_complete() -> bool:
    """Whether all kernels seem to be kept on disk, judged without importing numba."""
    name = digest()
    with contextlib.suppress(OSError, RuntimeError):
        there = None if name is None else place(name)
        return there is not None and any(there.glob("complete-*"))
    return False


@contextlib.contextmanager
def safe_folder() -> Iterator[Path | None]:
    """The folder for kernels, else a temporary one of this process; None if neither is safe."""
    name = digest()
    own = None if name is None else folder(name)
    if name is None or own is not None:
        yield own
        return
    alone = Path(tempfile.gettempdir()).resolve() / f"raypick-{secrets.token_hex(8)}"
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not at the end of a forked child
            shutil.rmtree(alone, ignore_errors=True)

    # Removal is registered before it is made, in case an interrupt comes in between.
    atexit.register(remove)
    try:
        temporary = alone / name
        for made in (alone, temporary):
            made.mkdir(mode=0o700)
        yield temporary if is_safe(temporary) else None
    finally:
        remove()
        atexit.unregister(remove)


def folder(name: str) -> Path | None:
    """The folder for kernels of the digest `name`, made if need be; None if none is safe.

    What was kept for older sources at the same place is removed.
    """
    try:
        wanted = place(name)
        chosen = None if wanted is None else _made(wanted)
        if chosen is not None:
            os.utime(chosen.parent)
            _remove_old(chosen)
        return chosen
    except (OSError, RuntimeError):
        return None


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


def _is_ours_alone(file: int) -> bool:
    """Whether an open file is a plain one of this user that nobody else can write to."""
    found = os.fstat(file)
    is_shared = sys.platform != "win32" and found.st_mode & 0o022
    return stat.S_ISREG(found.st_mode) and _is_ours(found) and not is_shared


def _is_ours(found: os.stat_result) -> bool:
    return sys.platform == "win32" or found.st_uid == os.geteuid()


def _remove_old(chosen: Path) -> None:
    """Remove what other sources left; other processes may do the same at the same time."""
    for other in chosen.parent.iterdir():
        if other.name != chosen.name and other.is_dir():
            shutil.rmtree(other, ignore_errors=True)
    for other in chosen.parent.parent.glob("kernels-*"):
        with contextlib.suppress(OSError):
            if time.time() - other.stat().st_mtime > _FORGOTTEN:
                shutil.rmtree(other, ignore_errors=True)


if __name__ == "__main__":
    _main()
