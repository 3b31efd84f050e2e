# SPDX-License-Identifier: GPL-3.0-or-later
"""Small changes of meaning to the sources, and the tests that must notice each of them.

The tables beside this file have a paragraph for each change. Its heading names the file to
change and the tests that must fail; lines that begin with - are replaced by those that begin with
+. A line ``@ A B options`` gives the folder A of the files below it, the folder B of their tests,
and options for pytest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

OWN_ENVIRONMENTS = {"distributed": "dask", "adapters": "peers"}
"""The environments of folders of ``tests/core`` that need other packages than the core does."""

_SHOWN = 60
"""How many characters of a change are shown."""


@dataclass(frozen=True)
class Mutant:
    """A change of meaning that a test must notice.

    `tests` are arguments of pytest, among whose tests one must fail: paths, node ids, and options
    that take no separate value.
    """

    file: str  # relative to the checkout
    old: str  # a text that occurs once in the file
    new: str  # what takes its place
    tests: str

    @property
    def paths(self) -> list[str]:
        return [argument for argument in self.tests.split() if not argument.startswith("-")]

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(argument for argument in self.tests.split() if argument.startswith("-"))

    @property
    def folder(self) -> str:
        """The folder of all paths: core, blender, windowed, or one with its own environment."""
        folders = {tuple(path.split("/")[1:3]) for path in self.paths}
        (folder,) = {each[1] if each[1] in OWN_ENVIRONMENTS else each[0] for each in folders}
        return folder

    def changed(self, text: str) -> str:
        """Make the change in a file's text; ValueError unless `old` occurs in it exactly once."""
        count = text.count(self.old)
        if count != 1:
            raise ValueError(f"the text to change occurs {count} times, not once: {self.old!r}")
        return text.replace(self.old, self.new)

    def apply(self, checkout: Path) -> str:
        """Change the file in a checkout; return its text before."""
        path = checkout / self.file
        before = path.read_text(encoding="utf-8")
        path.write_text(self.changed(before), encoding="utf-8")
        return before

    def __str__(self) -> str:
        old, new = " ".join(self.old.split()), " ".join(self.new.split())
        begin = next(
            (i for i, pair in enumerate(zip(old, new, strict=False)) if len({*pair}) > 1), 0
        )
        begin = max(0, min(begin - 20, len(old) - _SHOWN))
        cut = slice(begin, begin + _SHOWN)
        return f"{self.file}: {old[cut]} -> {new[cut]}"


def read(table: Path) -> Iterator[Mutant]:
    lines = [line for line in table.read_text("utf-8").splitlines() if line and line[0] != "#"]
    folder = tests_folder = file = old = ""
    options: list[str] = []
    names: list[str] = []
    for sign, group in groupby(lines, key=lambda line: line[:2]):
        text = "\n".join(line[2:] for line in group)
        if sign == "- ":
            old = text
        elif sign == "+ ":
            tests = " ".join([*(f"{tests_folder}/{name}" for name in names), *options])
            yield Mutant(f"{folder}/{file}", old, text, tests)
        elif sign == "@ ":
            folder, tests_folder, *options = text.split()
        else:
            file, *names = f"{sign}{text}".replace(":", "", 1).split()


MUTANTS = tuple(
    mutant
    for name in ("core", "kernels", "blender")
    for mutant in read(Path(__file__).with_name(f"{name}.txt"))
)
