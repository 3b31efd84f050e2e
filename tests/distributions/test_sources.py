# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a checkout is packed: what git lists, and without git all."""

import shutil

import pytest

from archives import git, sources_alone

LEFT_OUT = shutil.ignore_patterns("*.zip")


@pytest.fixture
def checkout(tmp_path):
    """Return a checkout with files that git lists, that it ignores, and that are left out."""
    root = tmp_path / "checkout"
    root.mkdir()
    for name in ("a.py", "in/b.py", "in/é.py", "in/old.blend1", "kept.blend1", "a.zip"):
        write(root / name)
    (root / ".gitignore").write_text("*.blend1\nbuild/\n", encoding="utf-8")
    git("init", "--quiet", root=root)
    git("add", "--all", root=root)
    git("add", "--force", "kept.blend1", root=root)
    return root


def write(path):
    path.parent.mkdir(exist_ok=True)
    path.write_text(path.name, encoding="utf-8")


def packed(root, target):
    """The files of a copy, but for those of git itself."""
    shutil.copytree(root, target, ignore=sources_alone(LEFT_OUT, root))
    files = (path.relative_to(target) for path in target.rglob("*") if path.is_file())
    return {path.as_posix() for path in files if ".git" not in path.parts}


def test_what_git_ignores_is_in_no_package(checkout, tmp_path):
    write(checkout / "build" / "junk.txt")
    wanted = {".gitignore", "a.py", "in/b.py", "in/é.py", "kept.blend1"}
    assert packed(checkout, tmp_path / "copy") == wanted
    assert not (tmp_path / "copy" / "build").exists()
    assert not (tmp_path / "copy" / ".git").exists()


def test_a_new_file_is_packed_and_one_that_is_gone_is_not(checkout, tmp_path):
    write(checkout / "in" / "new.py")
    (checkout / "a.py").unlink()
    assert packed(checkout, tmp_path / "copy") == {
        *(".gitignore", "in/b.py", "in/new.py", "in/é.py", "kept.blend1")
    }


def test_without_git_all_is_packed_but_what_is_left_out(checkout, tmp_path, monkeypatch):
    wanted = {".gitignore", "a.py", "in/b.py", "in/old.blend1", "in/é.py", "kept.blend1"}
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "which", lambda _name: None)
        assert packed(checkout, tmp_path / "no-program") == wanted
    shutil.rmtree(checkout / ".git")
    assert packed(checkout, tmp_path / "no-repository") == wanted


def test_a_folder_within_the_checkout_is_packed_alone(checkout, tmp_path):
    target = tmp_path / "copy"
    shutil.copytree(checkout / "in", target, ignore=sources_alone(LEFT_OUT, checkout))
    assert {path.name for path in target.iterdir()} == {"b.py", "é.py"}
