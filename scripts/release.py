# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a release in ``dist``, and upload nothing.

    python scripts/release.py 1.2.3

writes the version, dates the changelogs' sections for it, builds the extension's zips and the
core's wheel and source distribution, checks them, writes their sums to ``dist/SHA256SUMS``, and
commits the version and the changelogs. If something fails, the checkout and ``dist`` stay as they
were. Without a version, the committed one is built again; the same sources give the same bytes.
"""

import argparse
import contextlib
import datetime
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import build_core
import build_extension
from archives import git
from checkout import ROOT, SetupError, command_environment, run_quietly, run_script, say
from environment import environment
from wheels import TARGETS

# Runs in the environment that has `packaging`, which PyPI reads metadata with, too.
_CHECK_METADATA = """
import sys, tarfile, zipfile
from packaging.metadata import Metadata
wheel, sdist, version = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
    texts = [archive.read(name)]
with tarfile.open(sdist) as archive:
    (member,) = (m for m in archive if m.name.count("/") == 1 and m.name.endswith("/PKG-INFO"))
    texts.append(archive.extractfile(member).read())
for text in texts:
    metadata = Metadata.from_email(text, validate=True)
    assert str(metadata.version) == version, f"error: the version is {metadata.version}"
    assert metadata.description_content_type == "text/markdown", "error: no Markdown"
"""

CHANGELOGS = (Path("CHANGELOG.md"), Path("standalone_core", "CHANGELOG.md"))

_VERSION = re.compile(r'^(__version__ = ")([^"]+)(")', re.MULTILINE)
_NUMBERS = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_UNRELEASED = re.compile(r"^## \[Unreleased\]\n", re.MULTILINE)


def main() -> int:
    options = _options()
    _refuse_changes()
    if options.version is not None:
        _check_it_can_be_committed(options.version)
    options.dist.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.dist, prefix=".unfinished-") as scratch:
        with _texts_written(options.version) as version:
            _run_tests(options.tests)
            built = build(Path(scratch), options.compiled)
            if options.version is not None:
                git("commit", "--quiet", "--all", "--message", f"Release {version}")
        for file in built:
            print(file.replace(options.dist / file.name))
    say(f"{version} is built, and nothing is uploaded. To tag it: git tag v{version}")
    return 0


def build(dist: Path, targets: list[str]) -> list[Path]:
    """Build and check all that is released, and return the files.

    The last one has the checksums of the others, as ``sha256sum --check`` reads them.
    """
    say("building the extension")
    zips = [build_extension.build(dist=dist)]
    zips += build_extension.build_compiled(targets, dist)
    say("building the core")
    wheel, sdist = build_core.build(dist)
    check = [environment("package"), "-c", _CHECK_METADATA, wheel, sdist]
    run_quietly([*check, build_extension.version()], "the core's metadata is not right")
    built = sorted([*zips, wheel, sdist], key=lambda file: file.name)
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in built]
    sums = dist / "SHA256SUMS"
    sums.write_text("".join(lines), encoding="ascii", newline="\n")
    return [*built, sums]


@contextlib.contextmanager
def _texts_written(version: str | None) -> Iterator[str]:
    """Write the texts of a version and yield it; restore them if the block fails.

    Without a version, check the present texts instead.
    """
    if version is None:
        yield check_sections()
        return
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    texts = texts_for(version, date)
    old = {path: path.read_bytes() for path in texts}
    try:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8", newline="\n")
        yield check_sections()
    except BaseException:
        for path, content in old.items():
            path.write_bytes(content)
        raise


def _refuse_changes() -> None:
    if not (ROOT / ".git").exists():
        raise SetupError("a release is made of a checkout with git")
    # New files count whatever the user's git is configured to show: they would be packed.
    changes = git("status", "--porcelain", "--untracked-files=all").splitlines()
    if changes:
        more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
        raise SetupError(f"commit or remove what is changed first: {changes[0][3:]}{more}")


def _check_it_can_be_committed(version: str) -> None:
    """SetupError if git would refuse the commit or the tag at the end, after all the work."""
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        try:
            git("-c", "user.useConfigOnly=true", "var", who)  # not one that git guesses
        except SetupError:
            raise SetupError(
                "git does not know who makes the release: set its user.name and user.email"
            ) from None
    if git("tag", "--list", f"v{version}").strip():
        raise SetupError(f"there is a tag v{version} already")


def _run_tests(which: str) -> None:
    if which != "none":
        options = {"lint": ("--only", "lint"), "usual": (), "all": ("--all",)}[which]
        command = [sys.executable, ROOT / "scripts" / "test.py", *options]
        if subprocess.run(command, env=command_environment()).returncode != 0:
            raise SetupError("the tests fail, so there is no release")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Make a release in dist, and upload nothing.")
    add = parser.add_argument
    which = "the version to release, such as 1.2.3 (default: the committed one)"
    add("version", nargs="?", help=which)
    add(
        "--tests",
        choices=("none", "lint", "usual", "all"),
        default="lint",
        help="the tests to run first: format, lint and types (the default), the usual ones, or all",
    )
    add(
        "--compiled",
        nargs="*",
        choices=tuple(TARGETS),
        metavar="NAME",
        default=list(TARGETS),
        help="the zips with the compiled engine (default: all; no name: none)",
    )
    add("--dist", type=Path, default=ROOT / "dist", help="the folder (default: dist)")
    return parser.parse_args()


def texts_for(new: str, date: str) -> dict[Path, str]:
    """Return the files that a release changes, with their new texts.

    The core gets the new version, and each changelog a dated section with what was unreleased,
    below an empty one for the next changes. A `SetupError` says what is wrong with a version or a
    changelog.
    """
    old = build_extension.version()
    if not _NUMBERS.fullmatch(new):
        raise SetupError(f"a version is three numbers, such as 1.2.3, not {new!r}")
    if [*map(int, new.split("."))] < [*map(int, old.split("."))]:
        raise SetupError(f"the version is {old} already, and {new} is an earlier one")
    path = ROOT / "standalone_core" / "__init__.py"
    texts = {path: _VERSION.sub(rf"\g<1>{new}\g<3>", path.read_text(encoding="utf-8"))}
    parts = {ROOT / name: _unreleased(ROOT / name) for name in CHANGELOGS}
    if not any(parts.values()):
        raise SetupError("nothing is noted under Unreleased in any changelog")
    for path, part in parts.items():
        if sections_of(path, new):
            raise SetupError(f"{path.relative_to(ROOT)} has a section for {new} already")
        text = path.read_text(encoding="utf-8")
        heading = f"## [Unreleased]\n\n## [{new}] - {date}\n"
        texts[path] = _UNRELEASED.sub(heading if part else f"{heading}\nNo changes.\n", text)
    return texts


def check_sections() -> str:
    """Return the version; `SetupError` unless each changelog has a dated section for it."""
    now = build_extension.version()
    for name in CHANGELOGS:
        dates = sections_of(ROOT / name, now)
        if len(dates) != 1 or not re.fullmatch(r"\d{4}-\d\d-\d\d", dates[0]):
            raise SetupError(
                f"{name.as_posix()} has no dated section for {now}: name the version to be "
                "released, such as scripts/release.py 1.2.3"
            )
        if _unreleased(ROOT / name):
            raise SetupError(f"{name.as_posix()} has changes under Unreleased, after {now}")
    return now


def sections_of(path: Path, of: str) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^## \[{re.escape(of)}\] - (.*)$", text, re.MULTILINE)


def _unreleased(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    headings = [*_UNRELEASED.finditer(text)]
    if len(headings) != 1:
        raise SetupError(f"{path} needs one heading '## [Unreleased]', and has {len(headings)}")
    return text[headings[0].end() :].partition("\n## ")[0].strip()


if __name__ == "__main__":
    # Without this, Python may write byte code beside the sources, which would be packed.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    run_script(main)
