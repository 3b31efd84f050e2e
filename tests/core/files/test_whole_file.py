# SPDX-License-Identifier: GPL-3.0-or-later
"""A file is the old one or the new one, whatever happens to the process that writes it."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.files import whole_file

from .. import meshes

ROOT = Path(__file__).parents[3]

# It forks a process that saves one of two meshes, again and again, kills it, and loads the file.
KILLER = """
import os, random, signal, sys, time
import numpy as np
import standalone_core as sc
path, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
moments = random.Random(seed)
triangles = np.arange(6_000).reshape(-1, 3)
made = [sc.Mesh(np.full((6_000, 3), place), triangles) for place in (0.0, 1.0)]
made[0].save(path)
for _ in range(count):
    writer = os.fork()
    while writer == 0:
        for mesh in made[::-1]:
            mesh.save(path)
    time.sleep(moments.uniform(0.0, 0.05))
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    print(int(sc.Mesh.load(path).vertices[0, 0]))
"""

LIMITED = """
import resource, signal, sys
import numpy as np
import standalone_core as sc
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    sc.Mesh(np.zeros((60_000, 3)), np.zeros((1, 3), int)).save(sys.argv[1])
except OSError as error:
    print(error)
"""


def write(path, content=b"new"):
    with whole_file.atomic_write(path) as file:
        file.write(content)


def names(folder):
    return sorted(os.listdir(folder))


def test_what_cannot_be_written_is_told_before_and_nothing_is_left(tmp_path):
    whole_file.check_writable(tmp_path / "a")
    assert names(tmp_path) == []
    write(tmp_path / "a", b"old")
    whole_file.check_writable(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a"]
    with pytest.raises(OSError, match=r"No such file.*none.a"):
        whole_file.check_writable(tmp_path / "none" / "a")
    with pytest.raises(errors.DtypeError):
        whole_file.check_writable(None)
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        whole_file.check_writable(tmp_path / "folder")


def test_what_cannot_be_read_is_told_before(tmp_path):
    write(tmp_path / "a")
    whole_file.check_readable(tmp_path / "a")
    for path, error in ((tmp_path / "none", FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(error, match=path.name):
            whole_file.check_readable(path)


@pytest.mark.skipif(not hasattr(os, "link"), reason="there are no links")
def test_a_file_that_another_path_names_is_told(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    folder.mkdir()
    write(folder / "a")
    (tmp_path / "link").symlink_to(folder / "a")
    (tmp_path / "here").symlink_to(folder)
    os.link(folder / "a", folder / "hard")
    monkeypatch.chdir(folder)
    taken = whole_file.TakenFiles()
    taken.add("what is read", "a")
    taken.add("the null device", os.devnull)
    opened = os.open("a", os.O_RDONLY)
    paths = ["a", "./a", "hard", "../folder/a", "../link", "../here/hard", folder / "a"]
    if os.path.exists("/proc/self/fd"):
        paths.append(f"/proc/self/fd/{opened}")
    for path in paths:
        with pytest.raises(errors.ArgumentError, match="the output would replace what is read"):
            taken.check("the output", path)
    os.close(opened)
    for path in ("b", "../a", "../here", os.devnull, "none/a"):
        taken.check("the output", path)


def test_a_file_that_is_yet_to_be_made_is_told_by_its_folder_and_name(tmp_path, monkeypatch):
    """File systems differ in which letters are the same, on every system that mounts them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("folder/new é")
    taken = whole_file.TakenFiles()
    taken.add("--out", "folder/new \u00e9")
    for path in ("folder/new e\u0301", "folder/NEW É", "./folder/../folder/new é", "dangling"):
        with pytest.raises(errors.ArgumentError, match="--json would replace --out"):
            taken.check("--json", path)
    taken.check("--json", "new é")


def test_a_stamp_changes_with_the_file(tmp_path):
    path = tmp_path / "a"
    assert whole_file.stamp_of(path) is None
    write(path)
    stamps = [whole_file.stamp_of(path)]
    assert whole_file.stamp_of(path) == stamps[0]
    os.utime(path, (1, 1))
    stamps.append(whole_file.stamp_of(path))
    path.write_bytes(b"longer than it was")
    os.utime(path, (1, 1))
    stamps.append(whole_file.stamp_of(path))
    (tmp_path / "b").write_bytes(path.read_bytes())
    os.utime(tmp_path / "b", (1, 1))
    os.replace(tmp_path / "b", path)
    stamps.append(whole_file.stamp_of(path))
    assert len({*stamps}) == 4


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_in_which_nothing_may_be_made_is_told_before(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="no new file"):
        whole_file.check_writable(tmp_path / "a")


def fail_to_write(path, error):
    def fail(file):
        file.write(b"half of i")
        raise error

    with pytest.raises(type(error)), whole_file.atomic_write(path) as file:
        fail(file)


@pytest.mark.parametrize("kind", [str, Path, os.fsencode])
def test_a_file_is_written_and_replaced(tmp_path, kind):
    path = tmp_path / "file"
    for content in (b"first", b"second", b""):
        write(kind(path), content)
        assert path.read_bytes() == content
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [OSError(28, "full"), ValueError("bad"), KeyboardInterrupt()])
def test_what_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path, error):
    path = tmp_path / "file"
    fail_to_write(path, error)
    assert names(tmp_path) == []
    write(path, b"old")
    fail_to_write(path, error)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_the_old_file_is_there_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "file"
    write(path, b"old")
    with whole_file.atomic_write(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_an_error_names_the_file(tmp_path):
    for path in (tmp_path / "no" / "mesh", tmp_path):
        with pytest.raises(OSError, match=str(path)):
            write(path)


@pytest.mark.parametrize("path", [None, 3.5, [], object()])
def test_what_is_no_path_is_told(path):
    with pytest.raises(errors.DtypeError, match="must be a path"):
        write(path)
    with pytest.raises(errors.DtypeError, match="must be a path"):
        sc.Mesh(*meshes.icosphere(1)).save(path)


def test_what_no_path_is_like_is_told():
    with pytest.raises(errors.ArgumentError, match="is no path"):
        write("a\0b")


@pytest.mark.skipif(os.name == "nt", reason="these are permissions of POSIX")
def test_permissions_stay_and_new_files_have_the_usual_ones(tmp_path):
    path, usual = tmp_path / "file", tmp_path / "usual"
    usual.write_bytes(b"")
    write(path)
    assert path.stat().st_mode == usual.stat().st_mode
    for mode in (0o600, 0o664, 0o755):
        path.chmod(mode)
        write(path)
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.name == "nt", reason="links want privileges there")
def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path):
    target, link, dangling = (tmp_path / "folder" / "file", tmp_path / "link", tmp_path / "to")
    target.parent.mkdir()
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "made")
    write(link, b"one")
    write(link, b"two")
    write(dangling, b"three")
    assert target.read_bytes() == b"two"
    assert (tmp_path / "made").read_bytes() == b"three"
    assert link.is_symlink()
    assert dangling.is_symlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_written_to_and_stays(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(path, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


def kill_writers(seed, path, count):
    """Kill so many processes while they save; which of two meshes the file held after each."""
    command = [sys.executable, "-c", KILLER, *map(str, (path, seed, count))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed in another way there")
def test_a_process_that_is_killed_while_it_writes_loses_no_file(seed, tmp_path):
    found = kill_writers(seed, tmp_path / "mesh", 200)
    assert len(found) == 200
    assert set(found) == {"0", "1"}


@pytest.mark.skipif(os.name == "nt", reason="there are no such limits there")
def test_at_a_limit_of_size_the_old_file_stays(tmp_path):
    path = tmp_path / "mesh"
    mesh = sc.Mesh(*meshes.icosphere(1))
    mesh.save(path)
    old = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert str(path) in done.stdout
    assert path.read_bytes() == old
    assert names(tmp_path) == ["mesh"]
