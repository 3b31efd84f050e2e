# SPDX-License-Identifier: MIT
"""The decorator of all compiled functions, and the files that keep what it compiles.

numba's own cache asks for changes of the file that a function is in, not of those that are
compiled into it, and trusts what it finds. This one is keyed by all sources
(:mod:`.cache_folder`) and by all that numba compiles for; a file that is not whole is as good as
none, and is written again. Where numba works in another way than it does today, nothing is kept.
"""

import contextlib
import hashlib
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import binding as llvm
from numba import config
from numba.extending import register_jitable

from . import cache_folder

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

_folder: Path | None = None
_before_each: Callable[[], None] | None = None


def keep_in(folder: Path | None, before_each: Callable[[], None] | None = None) -> None:
    """Keep the functions that are decorated from now on in a safe folder, if there is one.

    `before_each` is called before a function is compiled; what it raises ends the import of its
    module.
    """
    global _folder, _before_each
    _folder, _before_each = folder, before_each


def helper(inline: bool) -> Callable[[Callable[..., Any]], Any]:
    """Let kernels call a function, or have its code in them (`inline`); C cannot call it."""
    decorate: Callable[[Callable[..., Any]], Any] = register_jitable(
        forceinline=inline, no_cfunc_wrapper=True
    )
    return decorate


def kernel(signature: Any = None, allocates: bool = True) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function, at once for a signature or else for what the other kernels give it.

    What makes no array need not count references to those it is given, which takes time. Neither
    it nor the helpers that it calls may then return an array: nothing would keep it alive.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        if _before_each is not None:
            _before_each()
        dispatcher = numba.njit(nogil=True, error_model="numpy", _nrt=allocates)(function)
        if _folder is not None:
            dispatcher._cache = _Kept(function, _folder)
        if signature is not None:
            dispatcher.compile(signature)
            dispatcher.disable_compile()
        return dispatcher

    return compiled


def entry_point(compiled: Any) -> Callable[..., Any]:
    """What numba calls in the end for a kernel of one signature: half a microsecond sooner.

    It takes arguments of exactly these types, by position.
    """
    (version,) = compiled.overloads.values()
    point: Callable[..., Any] = version.entry_point
    return point


def is_complete(folder: Path) -> bool:
    """Whether all kernels were once kept there, as they would be compiled here and now."""
    name = _complete()
    return name is not None and (folder / name).exists()


def set_complete(folder: Path) -> None:
    """Remember that all kernels are kept there."""
    name = _complete()
    if name is not None and _is_of_sources(folder):
        with contextlib.suppress(OSError):
            (folder / name).touch(mode=0o600)


class _Kept:
    """What numba asks for compiled versions of one function: a file for each signature."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._function = f"{function.__module__}.{function.__qualname__}"
        self._folder = folder

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature, or None."""
        try:
            target_context.refresh()
            data = _read(self._file(sig, target_context.codegen()))
            if data is None:
                return None
            from numba.core.compiler import CompileResult

            return CompileResult._rebuild(target_context, *pickle.loads(data))
        except Exception:  # whatever is wrong with the file, or other in this numba: compile
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature; where that is not possible, do nothing."""
        with contextlib.suppress(Exception):
            from numba.core import serialize

            if not data.library.has_dynamic_globals and _is_of_sources(self._folder):
                code = serialize.dumps(data._reduce())
                check = hashlib.blake2b(code, digest_size=_DIGEST).digest()
                cache_folder.write(self._file(sig, data.codegen), check + code)

    def _file(self, signature: Any, codegen: Any) -> Path:
        return self._folder / _name(self._function, str(signature), codegen.magic_tuple())

    def enable(self) -> None:
        """It always is."""

    def disable(self) -> None:
        """It never is."""

    def flush(self) -> None:
        """Files of the wrong content are not found: there is nothing to do."""


def _is_of_sources(folder: Path) -> bool:
    """Whether a folder is for the sources as they were imported, and as they still are."""
    return folder.name == cache_folder.digest()


def _complete() -> str | None:
    """The name of the file that tells that all are kept; None where that cannot be known."""
    try:
        from numba.core.registry import cpu_target

        return _name("complete", "", cpu_target.target_context.codegen().magic_tuple())
    except Exception:
        return None


def _name(function: str, signature: str, target: tuple[Any, ...]) -> str:
    """The name of a file, by all that decides what is compiled besides the sources."""
    known = (
        *(function, signature, target, sys.version, sys.platform),
        *(numba.__version__, llvmlite.__version__),
        # Two products are multiplied in one step where the processor can.
        llvm.get_host_cpu_features().flatten(),
        [(name, getattr(config, name, None)) for name in _OPTIONS],
    )
    short = function.rpartition(".")[2]
    return f"{short}-{hashlib.blake2b(repr(known).encode(), digest_size=16).hexdigest()}"


def _read(path: Path) -> bytes | None:
    """The content of a file; None if it is not there, not whole, or not the user's alone."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as file:
            if not cache_folder.is_ours_alone(file.fileno()):
                return None
            digest, data = file.read(_DIGEST), file.read()
    except OSError:
        return None
    return data if hashlib.blake2b(data, digest_size=_DIGEST).digest() == digest else None
