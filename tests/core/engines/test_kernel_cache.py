# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled code is kept, and used again only where it is what would be compiled."""

import importlib.util
import os
import sys

import pytest

from standalone_core.engines import cache_folder, compile_process

numba = pytest.importorskip("numba")
kernel_cache = pytest.importorskip("standalone_core.engines.kernel_cache")

INNER = "def inner(x):\n    return x + 7\n"
OUTER = """
from numba import types
from numba.extending import register_jitable
from inner import inner
from standalone_core.engines.kernel_cache import kernel

register_jitable(inner)

@kernel(types.int64(types.int64))
def outer(x):
    return inner(x)
"""


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A folder of two modules, the kernel in one of them; its code is kept beside it."""
    folder, kept = tmp_path / "sources", tmp_path / "kept"
    folder.mkdir()
    kept.mkdir(mode=0o700)
    (folder / "inner.py").write_text(INNER)
    (folder / "outer.py").write_text(OUTER)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(kept))
    monkeypatch.setattr(cache_folder, "PACKAGE", folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    known = kernel_cache._folder, kernel_cache._before_each
    yield folder
    kernel_cache.keep_in(*known)
    sys.modules.pop("inner", None)


def imported(sources, monkeypatch):
    """The kernel, imported anew as by another process."""
    monkeypatch.setattr(cache_folder, "_IMPORTED", float("inf"))
    kernel_cache.keep_in(cache_folder.folder(cache_folder.digest()))
    sys.modules.pop("inner", None)
    spec = importlib.util.spec_from_file_location("outer", sources / "outer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.outer


def was_loaded(kernel):
    return sum(kernel.stats.cache_hits.values()) > 0


def kept_file():
    (file,) = kernel_cache._folder.glob("outer-*")
    return file


def test_what_was_compiled_is_loaded_the_next_time(sources, monkeypatch):
    for loaded in (False, True, True):
        kernel = imported(sources, monkeypatch)
        assert kernel(1) == 8
        assert was_loaded(kernel) == loaded
    assert {path.suffix for path in sources.iterdir()} == {".py"}


def test_a_change_of_what_is_compiled_in_alone_is_noticed(sources, monkeypatch):
    assert imported(sources, monkeypatch)(1) == 8
    inner = sources / "inner.py"
    kept = inner.stat()
    inner.write_text(INNER.replace("7", "4"))
    os.utime(inner, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    kernel = imported(sources, monkeypatch)
    assert kernel(1) == 5
    assert not was_loaded(kernel)


def test_what_is_compiled_while_sources_change_is_not_kept(sources, monkeypatch):
    known = cache_folder.digest
    monkeypatch.setattr(cache_folder, "_IMPORTED", float("inf"))
    for now in ("0" * 32, None):
        kernel_cache.keep_in(cache_folder.folder(known()))
        monkeypatch.setattr(cache_folder, "digest", lambda now=now: now)
        kernel_cache.kernel("int64(int64)")(lambda x: x + 1)
        kernel_cache.set_complete(kernel_cache._folder)
        assert list(kernel_cache._folder.iterdir()) == []
        monkeypatch.setattr(cache_folder, "digest", known)


@pytest.mark.parametrize("damage", ["empty", "half", "garbage", "one bit", "another file"])
def test_a_damaged_file_is_not_used_and_is_written_again(sources, monkeypatch, rng, damage):
    imported(sources, monkeypatch)
    file = kept_file()
    whole = file.read_bytes()
    place = int(rng.integers(len(whole)))
    file.write_bytes(
        {
            "empty": b"",
            "half": whole[: len(whole) // 2],
            "garbage": rng.bytes(len(whole)),
            "one bit": whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :],
            "another file": b"\x80\x05N.",
        }[damage]
    )
    kernel = imported(sources, monkeypatch)
    assert kernel(1) == 8
    assert not was_loaded(kernel)
    assert was_loaded(imported(sources, monkeypatch))
    assert len(list(kernel_cache._folder.iterdir())) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
@pytest.mark.parametrize("planted", ["writable", "link", "owner"])
def test_a_file_that_another_may_have_written_is_not_read(sources, monkeypatch, planted):
    imported(sources, monkeypatch)
    file = kept_file()
    if planted == "writable":
        file.chmod(0o622)
    elif planted == "link":
        file.rename(sources / "elsewhere")
        file.symlink_to(sources / "elsewhere")
    elif os.geteuid() != 0:
        pytest.skip("only root can give files away")
    else:
        os.chown(file, 12345, -1)
    assert not was_loaded(imported(sources, monkeypatch))


@pytest.mark.parametrize("option", ["BOUNDSCHECK", "OPT"])
def test_what_is_compiled_in_another_way_is_kept_apart(sources, monkeypatch, option):
    imported(sources, monkeypatch)
    other = 1 if option == "OPT" else int(not numba.config.BOUNDSCHECK)
    monkeypatch.setattr(numba.config, option, other)
    assert not was_loaded(imported(sources, monkeypatch))
    assert was_loaded(imported(sources, monkeypatch))


@pytest.mark.parametrize("name", ["_reduce", "_rebuild"])
def test_where_numba_is_another_all_works_and_nothing_is_kept(sources, monkeypatch, name):
    monkeypatch.delattr(f"numba.core.compiler.CompileResult.{name}")
    for _ in range(2):
        kernel = imported(sources, monkeypatch)
        assert kernel(1) == 8
        assert not was_loaded(kernel)


def test_where_nothing_can_be_written_all_works(sources, monkeypatch):
    monkeypatch.setattr(kernel_cache.os, "replace", lambda *_: (_ for _ in ()).throw(OSError()))
    assert imported(sources, monkeypatch)(1) == 8
    assert list(kernel_cache._folder.iterdir()) == []


def test_another_process_compiles_a_package_in_whatever_package_it_is(tmp_path, monkeypatch):
    source = tmp_path / "core"
    (source / "engines").mkdir(parents=True)
    for name in ("__init__.py", "engines/__init__.py"):
        (source / name).touch()
    for name in ("cache_folder", "kernel_cache"):
        text = (cache_folder.PACKAGE / "engines" / f"{name}.py").read_text()
        (source / "engines" / f"{name}.py").write_text(text)
    text = OUTER.replace("standalone_core.engines", "").replace("inner import", "..inner import")
    (source / "engines" / "scene_engine.py").write_text(text)
    (source / "inner.py").write_text(INNER)
    monkeypatch.setattr(cache_folder, "PACKAGE", source)
    monkeypatch.setattr(cache_folder, "_IMPORTED", float("inf"))
    folder = tmp_path / cache_folder.digest()
    folder.mkdir()
    begun = []
    assert compile_process.run("some.application.core", source, folder, lambda: begun.append(1))
    assert len(begun) == compile_process.kernel_count(source) == 1
    assert kernel_cache.is_complete(folder)
    assert len(list(folder.glob("outer-*"))) == 1
    # Code of other sources is not kept under the name of these.
    other = tmp_path / ("0" * 32)
    other.mkdir()
    assert not compile_process.run("core", source, other, pytest.fail)
    assert list(other.iterdir()) == []
    # An application is not started once more.
    monkeypatch.setattr(sys, "executable", "/usr/bin/application")
    assert not compile_process.run("core", source, folder, pytest.fail)
