# SPDX-License-Identifier: GPL-3.0-or-later
"""A release made in a copy of the checkout, and made again in another: the same bytes."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checkout import CACHE, ROOT

VERSION = "90.1.2"
# The smallest of the zips with the compiled engine stands for all.
TARGET = "macos-x64-py311"
BUILT = {
    *(f"raypick-{VERSION}.zip", f"raypick-{VERSION}-macos_x64-py311.zip"),
    *(f"raypick_core-{VERSION}-py3-none-any.whl", f"raypick_core-{VERSION}.tar.gz"),
}
IGNORED = (
    *("blender_addon/foo.blend1", "blender_addon/build/junk.txt", "standalone_core/old.blend1"),
    *("scripts/notes.blend1", "docs/core/build/junk.md", "tests/core/old.blend2"),
)


class Copy:
    """A copy of a checkout, in a repository of its own, that shares what is downloaded."""

    def __init__(self, source: Path, folder: Path, mode: int, age: int) -> None:
        self.folder = folder
        listed = run("git", "-C", source, "ls-files", "-z", "-c", "-o", "--exclude-standard")
        for name in filter(None, listed.split("\0")):
            if (source / name).is_file():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source / name, target)
                target.chmod(mode)
                os.utime(target, (1e9 + age, 1e9 + age))
        (folder / ".cache").mkdir()
        for name in ("envs", "wheels"):
            (CACHE / name).mkdir(exist_ok=True)
            (folder / ".cache" / name).symlink_to(CACHE / name)
        self.git("init", "--quiet")
        self.git("config", "user.name", "Somebody")
        self.git("config", "user.email", "somebody@example.org")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "All")

    def git(self, *arguments: str) -> str:
        return run("git", "-C", self.folder, *arguments)

    def release(self, *arguments: str, **options) -> str:
        script = self.folder / "scripts" / "release.py"
        return run(sys.executable, script, "--tests", "none", *arguments, **options)

    def digests(self) -> dict[str, str]:
        files = (self.folder / "dist").iterdir()
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def run(*command, status=0, **variables):
    """Run a command that ends with a status, and return what it prints."""
    done = subprocess.run(
        list(map(str, command)),
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == status, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a copy of this checkout."""
    return Copy(ROOT, tmp_path_factory.mktemp("one") / "raypick", 0o644, 0)


@pytest.fixture(scope="module")
def released(copy):
    """Return a copy in which a version was released, and what was printed."""
    return copy, copy.release(VERSION, "--compiled", TARGET)


def test_a_changed_checkout_is_refused_and_nothing_is_built(copy):
    added = copy.folder / "scripts" / "new.py"
    added.write_text("", encoding="utf-8")
    said = copy.release(VERSION, status=1)
    assert said == "raypick: commit or remove what is changed first: scripts/new.py\n"
    added.unlink()
    assert not (copy.folder / "dist").exists()


def test_a_new_file_is_seen_though_git_is_told_not_to_show_it(copy):
    copy.git("config", "status.showUntrackedFiles", "no")
    added = copy.folder / "scripts" / "new.py"
    added.write_text("", encoding="utf-8")
    said = copy.release(VERSION, status=1)
    copy.git("config", "--unset", "status.showUntrackedFiles")
    added.unlink()
    assert said == "raypick: commit or remove what is changed first: scripts/new.py\n"


@pytest.mark.parametrize("name", ["user.name", "user.email"])
def test_a_release_that_git_would_not_commit_is_refused_before_anything_is_done(
    copy, tmp_path, name
):
    nobody = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    nobody |= dict.fromkeys(("EMAIL", "GIT_CONFIG_GLOBAL"), "")
    known = copy.git("config", name).strip()
    copy.git("config", "--unset", name)
    said = copy.release(VERSION, status=1, **nobody)
    copy.git("config", name, known)
    assert said == (
        "raypick: git does not know who makes the release: set its user.name and user.email\n"
    )
    copy.git("tag", f"v{VERSION}")
    said = copy.release(VERSION, status=1, **nobody)
    copy.git("tag", "--delete", f"v{VERSION}")
    assert said == f"raypick: there is a tag v{VERSION} already\n"
    assert copy.git("status", "--porcelain") == ""
    assert not (copy.folder / "dist").exists()


@pytest.mark.parametrize("version", ["1.2", "1.2.3rc1", "0.0.1", "v9.9.9"])
def test_a_version_that_cannot_be_released_is_refused(copy, version):
    said = copy.release(version, status=1)
    assert said.startswith(("raypick: a version is three numbers", "raypick: the version is"))
    assert copy.git("status", "--porcelain") == ""


def test_what_fails_leaves_no_file_changed(copy):
    hook = copy.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho error: not today\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    said = copy.release(VERSION, "--compiled", status=1)
    assert said.splitlines()[-1] == "raypick: git commit failed: error: not today"
    hook.unlink()
    assert copy.git("status", "--porcelain") == ""
    assert not list((copy.folder / "dist").iterdir())


def test_a_release_is_built_summed_and_committed(released):
    copy, said = released
    digests = copy.digests()
    assert digests.keys() == BUILT | {"SHA256SUMS"}
    for name in digests:
        assert str(copy.folder / "dist" / name) in said
    sums = (copy.folder / "dist" / "SHA256SUMS").read_text(encoding="ascii")
    assert sums == "".join(f"{digests[name]}  {name}\n" for name in sorted(BUILT))
    assert copy.git("status", "--porcelain") == ""
    assert copy.git("log", "-1", "--format=%s", "--name-only").split() == [
        *("Release", VERSION, "CHANGELOG.md", "standalone_core/CHANGELOG.md"),
        "standalone_core/__init__.py",
    ]
    for name in ("CHANGELOG.md", "standalone_core/CHANGELOG.md"):
        text = (copy.folder / name).read_text(encoding="utf-8")
        assert f"\n## [Unreleased]\n\n## [{VERSION}] - 2" in text


def test_the_same_sources_give_the_same_bytes_at_any_place_and_time(released, tmp_path):
    copy, _ = released
    other = Copy(copy.folder, tmp_path / "deeper" / "other", 0o600, 86400)
    for name in IGNORED:
        (other.folder / name).parent.mkdir(exist_ok=True)
        (other.folder / name).write_text("of this machine alone", encoding="utf-8")
    assert other.git("status", "--porcelain") == ""
    other.release("--compiled", TARGET)
    assert other.digests() == copy.digests()


def test_the_same_version_cannot_be_released_twice(released):
    copy, _ = released
    said = copy.release(VERSION, status=1)
    assert said == "raypick: nothing is noted under Unreleased in any changelog\n"
    path = copy.folder / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8")
    noted = text.replace("## [Unreleased]\n", "## [Unreleased]\n\n### Fixed\n\n- A fault.\n", 1)
    path.write_text(noted, encoding="utf-8")
    copy.git("commit", "--quiet", "--all", "--message", "Mend a fault")
    said = copy.release(VERSION, status=1)
    copy.git("reset", "--quiet", "--hard", "HEAD~")
    assert said == f"raypick: CHANGELOG.md has a section for {VERSION} already\n"


def test_without_a_version_there_must_be_a_dated_section(released):
    copy, _ = released
    path = copy.folder / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f"## [{VERSION}] - 2", "## [0.0.7] - 2"), encoding="utf-8")
    copy.git("commit", "--quiet", "--all", "--message", "Another")
    said = copy.release(status=1)
    assert said.startswith(f"raypick: CHANGELOG.md has no dated section for {VERSION}: name the")
