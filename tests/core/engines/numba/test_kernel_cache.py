# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels are kept where nobody else may put anything, and used again where nothing has changed."""

import atexit
import contextlib
import importlib.util
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import standalone_core as sc
from standalone_core.engines.numba import kernel_cache

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")

NAME = "0" * 32

INNER = "def inner(x):\n    return x + 7\n"
OUTER = """
from numba import types
from numba.extending import register_jitable
from inner import inner
from standalone_core.engines.numba.kernel_cache import kernel

register_jitable(inner)

@kernel(types.int64(types.int64))
def outer(x):
    return inner(x)
"""


@pytest.fixture
def parent(tmp_path, monkeypatch):
    """A folder of the user's own, where compiled code is to be kept."""
    folder = tmp_path / "own"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def package(tmp_path):
    """A copy of the core's sources, and how to import its module of cache folders anew."""
    copy = tmp_path / "copy"
    shutil.copytree(Path(sc.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))

    def imported():
        spec = importlib.util.spec_from_file_location(
            "copied", copy / "engines/numba/kernel_cache.py"
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return copy, imported


# The name


def test_a_source_of_other_content_gives_another_name_though_date_and_size_are_the_same(package):
    folder, imported = package
    before = imported().digest()
    assert before == imported().digest()
    source = folder / "numerics" / "ray_triangle.py"
    text, kept = source.read_bytes(), source.stat()
    source.write_bytes(text.replace(b"0", b"1", 1))
    os.utime(source, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert source.stat().st_size == kept.st_size
    assert source.stat().st_mtime_ns == kept.st_mtime_ns
    after = imported().digest()
    assert after not in (None, before)
    source.write_bytes(text)
    assert imported().digest() == before


def test_sources_that_moved_from_one_file_to_another_have_another_name(package):
    folder, imported = package
    before = imported().digest()
    (folder / "box.py").rename(folder / "boxed.py")
    assert imported().digest() != before


def test_sources_that_changed_since_they_were_imported_have_no_name(package):
    folder, imported = package
    module = imported()
    assert module.digest()
    time.sleep(0.05)  # more than a tick of the clock of files
    source = folder / "bvh" / "tree.py"
    source.write_bytes(source.read_bytes())
    assert module.digest() is None


# The place


def test_the_folder_is_made_for_the_user_alone(parent):
    folder = kernel_cache.folder(NAME)
    assert folder.name == NAME
    assert folder.is_relative_to(parent.resolve())
    if sys.platform != "win32":
        for part in (folder, folder.parent, folder.parent.parent):
            assert part.stat().st_mode & 0o777 == 0o700


def test_without_a_wish_it_is_below_the_users_caches(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    for name, value in (("XDG_CACHE_HOME", tmp_path), ("LOCALAPPDATA", tmp_path)):
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(kernel_cache, "_of_application", None)
    assert kernel_cache.parent_folder().is_relative_to(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    assert kernel_cache.parent_folder().is_relative_to(tmp_path)
    kernel_cache.use(tmp_path / "application")
    assert kernel_cache.parent_folder() == tmp_path / "application"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "wish"))
    assert kernel_cache.parent_folder().is_relative_to(tmp_path / "wish")


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_where_others_may_write_nothing_is_kept(parent, mode, depth, monkeypatch):
    monkeypatch.setattr(kernel_cache, "_is_group_of_one", lambda group: False)
    folder = kernel_cache.folder(NAME)
    (folder, *folder.parents)[depth].chmod(mode)
    # Others cannot touch what is not theirs in a sticky folder; only in the last it is too late.
    safe = mode == 0o1777 and depth > 0
    assert (kernel_cache.folder(NAME) is not None) == safe


@posix
def test_a_group_of_the_user_alone_may_write(parent, monkeypatch):
    """Many systems make all of a user's folders so."""
    pwd, grp = pytest.importorskip("pwd"), pytest.importorskip("grp")
    user = pwd.getpwuid(os.geteuid())
    group = SimpleNamespace(gr_name=user.pw_name, gr_mem=[])
    monkeypatch.setattr(grp, "getgrgid", lambda number: group)
    parent.chmod(0o770)
    os.chown(parent, -1, user.pw_gid)
    assert kernel_cache.folder(NAME)
    group.gr_mem = [user.pw_name, "another"]
    assert kernel_cache.folder(NAME) is None
    group.gr_mem, group.gr_name = [], "staff"
    assert kernel_cache.folder(NAME) is None


@posix
def test_in_a_folder_that_others_may_write_to_nothing_is_made(parent):
    parent.chmod(0o777)
    assert kernel_cache.folder(NAME) is None
    assert list(parent.iterdir()) == []


@posix
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_folder_of_somebody_else_is_not_used(parent, depth, monkeypatch):
    folder = kernel_cache.folder(NAME)
    if os.geteuid() != 0:
        pytest.skip("only root can give folders away")
    os.chown((folder, *folder.parents)[depth], 12345, -1)
    assert kernel_cache.folder(NAME) is None


@posix
def test_a_link_leads_nowhere_unless_all_is_safe_there(parent, tmp_path):
    safe, unsafe = tmp_path / "safe", tmp_path / "unsafe"
    safe.mkdir(mode=0o700)
    unsafe.mkdir()
    unsafe.chmod(0o777)
    (parent / "raypick").symlink_to(unsafe)
    assert kernel_cache.folder(NAME) is None
    (parent / "raypick").unlink()
    (parent / "raypick").symlink_to(safe)
    assert kernel_cache.folder(NAME).is_relative_to(safe.resolve())
    (parent / "raypick").unlink()
    (parent / "raypick").symlink_to(tmp_path / "nowhere")
    assert kernel_cache.folder(NAME) is None


def test_where_there_is_no_such_drive_nothing_is_kept(parent, monkeypatch):
    monkeypatch.setattr(Path, "exists", lambda path: False)
    assert kernel_cache.folder(NAME) is None


def test_where_no_folder_can_be_made_nothing_is_kept(parent):
    (parent / "raypick").write_text("a file")
    assert kernel_cache.folder(NAME) is None


@pytest.mark.parametrize("made_before", [0, 1])
def test_an_interrupt_as_soon_as_a_folder_of_its_own_is_made_leaves_none(
    tmp_path, monkeypatch, made_before
):
    make, made = os.mkdir, []

    def make_and_be_interrupted(*given):
        make(*given)
        made.append(given)
        if len(made) > made_before:
            raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(kernel_cache, "digest", lambda: "0" * 32)
    monkeypatch.setattr(kernel_cache, "folder", lambda digest: None)
    monkeypatch.setattr(os, "mkdir", make_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt), kernel_cache.safe_folder():
        pass
    assert len(made) == made_before + 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process")
def test_a_temporary_folder_goes_when_its_process_ends_but_not_a_forked_child(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(kernel_cache, "digest", lambda: "0" * 32)
    monkeypatch.setattr(kernel_cache, "folder", lambda digest: None)
    at_end = []
    monkeypatch.setattr(atexit, "register", at_end.append)
    with kernel_cache.safe_folder() as made:
        child = os.fork()
        if not child:
            with contextlib.suppress(IndexError):
                at_end.pop()()
            os._exit(0)
        os.waitpid(child, 0)
        assert made.is_dir()
        at_end.pop()()
        assert not made.is_dir()
    assert list(tmp_path.iterdir()) == []


# What is old


def test_what_other_sources_left_is_removed_and_nothing_else(parent):
    old = kernel_cache.folder("1" * 32)
    (old / "file").write_text("old")
    elsewhere = old.parent.with_name("kernels-elsewhere")
    forgotten = old.parent.with_name("kernels-forgotten")
    for place in (elsewhere, forgotten):
        (place / "2").mkdir(parents=True)
    os.utime(forgotten, (0, 0))
    (parent / "raypick" / "other").mkdir()
    new = kernel_cache.folder(NAME)
    (new / "file").write_text("new")
    assert kernel_cache.folder(NAME) == new
    assert (new / "file").read_text() == "new"
    assert not old.exists()
    assert not forgotten.exists()
    assert elsewhere.exists()
    assert (parent / "raypick" / "other").exists()


def test_many_may_remove_what_is_old_at_the_same_time(parent):
    failed = []

    def ask():
        try:
            failed.extend(f for f in [kernel_cache.folder(NAME)] if f is None or not f.is_dir())
        except Exception as error:
            failed.append(error)

    for number in range(20):
        old = kernel_cache.folder(NAME).with_name(f"old {number}")
        old.mkdir()
        for i in range(10):
            (old / str(i)).write_text("old")
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not old.exists()
    assert failed == []


# What is written


def test_a_file_is_written_for_the_user_alone(parent):
    kernel_cache._write(parent / "code", b"old")
    kernel_cache._write(parent / "code", b"new")
    assert [(path.name, path.read_bytes()) for path in parent.iterdir()] == [("code", b"new")]
    with open(parent / "code", "rb") as file:
        assert kernel_cache._is_ours_alone(file.fileno())
        if os.name == "posix":
            assert os.fstat(file.fileno()).st_mode & 0o777 == 0o600


def test_an_interrupt_as_soon_as_a_file_is_made_leaves_none(parent, monkeypatch):
    make = os.open

    def make_and_be_interrupted(*given):
        os.close(make(*given))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", make_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt):
        kernel_cache._write(parent / "code", b"new")
    assert list(parent.iterdir()) == []


# Kernels


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A folder of two modules, the kernel in one of them; its code is kept beside it."""
    pytest.importorskip("numba")
    folder, kept = tmp_path / "sources", tmp_path / "kept"
    folder.mkdir()
    kept.mkdir(mode=0o700)
    (folder / "inner.py").write_text(INNER)
    (folder / "outer.py").write_text(OUTER)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(kept))
    monkeypatch.setattr(kernel_cache, "PACKAGE", folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    known = kernel_cache._folder, kernel_cache._before_each
    yield folder
    kernel_cache.keep_in(*known)
    sys.modules.pop("inner", None)


def imported(sources, monkeypatch):
    """The kernel, imported anew as by another process."""
    monkeypatch.setattr(kernel_cache, "imported", float("inf"))
    kernel_cache.keep_in(kernel_cache.folder(kernel_cache.digest()))
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
    known = kernel_cache.digest
    monkeypatch.setattr(kernel_cache, "imported", float("inf"))
    for now in ("0" * 32, None):
        kernel_cache.keep_in(kernel_cache.folder(known()))
        monkeypatch.setattr(kernel_cache, "digest", lambda now=now: now)
        kernel_cache.kernel("int64(int64)")(lambda x: x + 1)
        kernel_cache.set_complete(kernel_cache._folder)
        assert list(kernel_cache._folder.iterdir()) == []
        monkeypatch.setattr(kernel_cache, "digest", known)


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
    from numba import config

    other = 1 if option == "OPT" else int(not config.BOUNDSCHECK)
    monkeypatch.setattr(config, option, other)
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
    pytest.importorskip("numba")
    source = tmp_path / "core"
    (source / "engines" / "numba").mkdir(parents=True)
    for name in ("__init__.py", "engines/__init__.py", "engines/numba/__init__.py"):
        (source / name).touch()
    program = source / "engines" / "numba" / "kernel_cache.py"
    program.write_text(Path(kernel_cache.__file__).read_text())
    text = OUTER.replace("standalone_core.engines.numba", "").replace(
        "inner import", "...inner import"
    )
    (source / "engines" / "numba" / "scene_engine.py").write_text(text)
    (source / "inner.py").write_text(INNER)
    monkeypatch.setattr(kernel_cache, "PACKAGE", source)
    monkeypatch.setattr(kernel_cache, "__file__", str(program))
    monkeypatch.setattr(kernel_cache, "NAME", "some.application.core")
    monkeypatch.setattr(kernel_cache, "imported", float("inf"))
    folder = tmp_path / kernel_cache.digest()
    folder.mkdir()
    begun = []
    assert kernel_cache.compile_apart(folder, lambda: begun.append(1))
    assert len(begun) == kernel_cache.kernel_count() == 1
    assert kernel_cache.is_complete(folder)
    assert len(list(folder.glob("outer-*"))) == 1
    # Code of other sources is not kept under the name of these.
    other = tmp_path / ("0" * 32)
    other.mkdir()
    assert not kernel_cache.compile_apart(other, pytest.fail)
    assert list(other.iterdir()) == []
    # An application is not started once more.
    monkeypatch.setattr(sys, "executable", "/usr/bin/application")
    assert not kernel_cache.compile_apart(folder, pytest.fail)
