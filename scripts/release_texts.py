# SPDX-License-Identifier: GPL-3.0-or-later
"""The version, which stands in one place, and the changelogs' sections for it."""

import re
from pathlib import Path

from checkout import ROOT, SetupError

VERSION_FILE = Path("standalone_core", "__init__.py")
CHANGELOGS = (Path("CHANGELOG.md"), Path("standalone_core", "CHANGELOG.md"))

_VERSION = re.compile(r'^(__version__ = ")([^"]+)(")', re.MULTILINE)
_NUMBERS = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_UNRELEASED = re.compile(r"^## \[Unreleased\]\n", re.MULTILINE)


def version(root: Path = ROOT) -> str:
    """Return the version of the core and the extension."""
    (found,) = _VERSION.findall((root / VERSION_FILE).read_text(encoding="utf-8"))
    return found[1]


def texts_for(new: str, date: str, root: Path = ROOT) -> dict[Path, str]:
    """Return the files of a release with their texts: its version, and its dated sections.

    What was unreleased is in the new section, and an empty one stays above it. A `SetupError` says
    why a version or a changelog will not do.
    """
    old = version(root)
    if not _NUMBERS.fullmatch(new):
        raise SetupError(f"a version is three numbers, such as 1.2.3, not {new!r}")
    if _numbers(new) < _numbers(old):
        raise SetupError(f"the version is {old} already, and {new} is an earlier one")
    path = root / VERSION_FILE
    texts = {path: _VERSION.sub(rf"\g<1>{new}\g<3>", path.read_text(encoding="utf-8"))}
    parts = {root / name: _unreleased(root / name) for name in CHANGELOGS}
    if not any(parts.values()):
        raise SetupError("nothing is noted under Unreleased in any changelog")
    for path, part in parts.items():
        if sections_of(path, new):
            raise SetupError(f"{path.relative_to(root)} has a section for {new} already")
        text = path.read_text(encoding="utf-8")
        heading = f"## [Unreleased]\n\n## [{new}] - {date}\n"
        texts[path] = _UNRELEASED.sub(heading if part else f"{heading}\nNo changes.\n", text)
    return texts


def check_sections(root: Path = ROOT) -> str:
    """Return the version, for which each changelog has a dated section; else a `SetupError`."""
    now = version(root)
    for name in CHANGELOGS:
        dates = sections_of(root / name, now)
        if len(dates) != 1 or not re.fullmatch(r"\d{4}-\d\d-\d\d", dates[0]):
            raise SetupError(
                f"{name.as_posix()} has no dated section for {now}: name the version to be "
                "released, such as scripts/release.py 1.2.3"
            )
        if _unreleased(root / name):
            raise SetupError(f"{name.as_posix()} has changes under Unreleased, after {now}")
    return now


def sections_of(path: Path, of: str) -> list[str]:
    """Return the dates of all sections for a version."""
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^## \[{re.escape(of)}\] - (.*)$", text, re.MULTILINE)


def _unreleased(path: Path) -> str:
    """Return what a changelog has under Unreleased."""
    text = path.read_text(encoding="utf-8")
    headings = [*_UNRELEASED.finditer(text)]
    if len(headings) != 1:
        raise SetupError(f"{path} needs one heading '## [Unreleased]', and has {len(headings)}")
    return text[headings[0].end() :].partition("\n## ")[0].strip()


def _numbers(of: str) -> tuple[int, ...]:
    return tuple(int(number) for number in of.split("."))
