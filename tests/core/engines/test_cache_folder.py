# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read from the folder is run: nobody else may put anything there."""

import importlib.util
import os
import shutil
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import standalone_core as sc
from standalone_core.engines import cache_folder

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")

NAME = "0" * 32


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
        spec = importlib.util.spec_from_file_location("copied", copy / "engines/cache_folder.py")
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
    folder = cache_folder.folder(NAME)
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
    monkeypatch.setattr(cache_folder, "_own", None)
    assert cache_folder.parent_folder().is_relative_to(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    assert cache_folder.parent_folder().is_relative_to(tmp_path)
    cache_folder.use(tmp_path / "application")
    assert cache_folder.parent_folder() == tmp_path / "application"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "wish"))
    assert cache_folder.parent_folder().is_relative_to(tmp_path / "wish")


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_where_others_may_write_nothing_is_kept(parent, mode, depth, monkeypatch):
    monkeypatch.setattr(cache_folder, "_is_group_of_one", lambda group: False)
    folder = cache_folder.folder(NAME)
    (folder, *folder.parents)[depth].chmod(mode)
    # Others cannot touch what is not theirs in a sticky folder; only in the last it is too late.
    safe = mode == 0o1777 and depth > 0
    assert (cache_folder.folder(NAME) is not None) == safe


@posix
def test_a_group_of_the_user_alone_may_write(parent, monkeypatch):
    """Many systems make all of a user's folders so."""
    pwd, grp = pytest.importorskip("pwd"), pytest.importorskip("grp")
    user = pwd.getpwuid(os.geteuid())
    group = SimpleNamespace(gr_name=user.pw_name, gr_mem=[])
    monkeypatch.setattr(grp, "getgrgid", lambda number: group)
    parent.chmod(0o770)
    os.chown(parent, -1, user.pw_gid)
    assert cache_folder.folder(NAME)
    group.gr_mem = [user.pw_name, "another"]
    assert cache_folder.folder(NAME) is None
    group.gr_mem, group.gr_name = [], "staff"
    assert cache_folder.folder(NAME) is None


@posix
def test_in_a_folder_that_others_may_write_to_nothing_is_made(parent):
    parent.chmod(0o777)
    assert cache_folder.folder(NAME) is None
    assert list(parent.iterdir()) == []


@posix
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_folder_of_somebody_else_is_not_used(parent, depth, monkeypatch):
    folder = cache_folder.folder(NAME)
    if os.geteuid() != 0:
        pytest.skip("only root can give folders away")
    os.chown((folder, *folder.parents)[depth], 12345, -1)
    assert cache_folder.folder(NAME) is None


@posix
def test_a_link_leads_nowhere_unless_all_is_safe_there(parent, tmp_path):
    safe, unsafe = tmp_path / "safe", tmp_path / "unsafe"
    safe.mkdir(mode=0o700)
    unsafe.mkdir()
    unsafe.chmod(0o777)
    (parent / "raypick").symlink_to(unsafe)
    assert cache_folder.folder(NAME) is None
    (parent / "raypick").unlink()
    (parent / "raypick").symlink_to(safe)
    assert cache_folder.folder(NAME).is_relative_to(safe.resolve())
    (parent / "raypick").unlink()
    (parent / "raypick").symlink_to(tmp_path / "nowhere")
    assert cache_folder.folder(NAME) is None


def test_where_there_is_no_such_drive_nothing_is_kept(parent, monkeypatch):
    monkeypatch.setattr(Path, "exists", lambda path: False)
    assert cache_folder.folder(NAME) is None


def test_where_no_folder_can_be_made_nothing_is_kept(parent):
    (parent / "raypick").write_text("a file")
    assert cache_folder.folder(NAME) is None


# What is old


def test_what_other_sources_left_is_removed_and_nothing_else(parent):
    old = cache_folder.folder("1" * 32)
    (old / "file").write_text("old")
    elsewhere = old.parent.with_name("kernels-elsewhere")
    forgotten = old.parent.with_name("kernels-forgotten")
    for place in (elsewhere, forgotten):
        (place / "2").mkdir(parents=True)
    os.utime(forgotten, (0, 0))
    (parent / "raypick" / "other").mkdir()
    new = cache_folder.folder(NAME)
    (new / "file").write_text("new")
    assert cache_folder.folder(NAME) == new
    assert (new / "file").read_text() == "new"
    assert not old.exists()
    assert not forgotten.exists()
    assert elsewhere.exists()
    assert (parent / "raypick" / "other").exists()


def test_many_may_remove_what_is_old_at_the_same_time(parent):
    failed = []

    def ask():
        try:
            failed.extend(f for f in [cache_folder.folder(NAME)] if f is None or not f.is_dir())
        except Exception as error:
            failed.append(error)

    for number in range(20):
        old = cache_folder.folder(NAME).with_name(f"old {number}")
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
    cache_folder.write(parent / "code", b"old")
    cache_folder.write(parent / "code", b"new")
    assert [(path.name, path.read_bytes()) for path in parent.iterdir()] == [("code", b"new")]
    with open(parent / "code", "rb") as file:
        assert cache_folder.is_ours_alone(file.fileno())
        if os.name == "posix":
            assert os.fstat(file.fileno()).st_mode & 0o777 == 0o600


def test_an_interrupt_as_soon_as_a_file_is_made_leaves_none(parent, monkeypatch):
    make = os.open

    def make_and_be_interrupted(*given):
        os.close(make(*given))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", make_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache_folder.write(parent / "code", b"new")
    assert list(parent.iterdir()) == []
