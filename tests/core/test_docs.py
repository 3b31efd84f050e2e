# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the reference: their examples run, and every public name is there once."""

import doctest
import re
from collections import Counter

import pytest

from checkout import ROOT

from ..pages import examples
from .peers import peer
from .public import MODULES, NAMES

SITE = ROOT / "docs" / "core"
REFERENCE = sorted((SITE / "reference").glob("*.md"))
PAGES = [ROOT / "standalone_core" / "README.md", *sorted(SITE.glob("*.md")), *REFERENCE]
OPTIONAL = ("dask", "open3d", "pandas", "scipy", "trimesh")

_DIRECTIVE = re.compile(r"^\.\. (currentmodule|auto\w+|py:data):: ([\w.]+)$", re.MULTILINE)


def referred(page):
    """The dotted names, below the package, that a page describes."""
    module = ""
    for directive, name in _DIRECTIVE.findall(page.read_text(encoding="utf-8")):
        if directive == "currentmodule":
            module = name.removeprefix("standalone_core").lstrip(".")
        elif directive != "automodule":
            yield f"{module}.{name}".lstrip(".")


EXAMPLES = [
    pytest.param(page, line, source, id=f"{page.stem}, line {line}: {heading}")
    for page in PAGES
    for heading, line, source in examples(page.read_text(encoding="utf-8"))
]


def test_there_are_examples():
    assert len(EXAMPLES) >= 12
    assert {"README", "recipes"} <= {param.values[0].stem for param in EXAMPLES}


@pytest.mark.parametrize(("page", "line", "source"), EXAMPLES)
def test_an_example_of_the_pages_runs_by_itself(page, line, source):
    for package in OPTIONAL:
        if re.search(rf"^>>> (import|from) {package}\b", source, re.MULTILINE):
            peer(package)
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), line)
    assert test.examples
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)


def test_every_public_name_is_on_one_page_of_the_reference():
    described = Counter(name for page in REFERENCE for name in referred(page))
    aliases = {"RaypickError", "TriangleHit", "compile"}  # described where they are defined
    assert aliases <= set(NAMES)
    assert set(described) == set(NAMES) - aliases
    assert set(described.values()) == {1}


@pytest.mark.parametrize("name", MODULES)
def test_every_public_module_is_introduced(name):
    pages = "".join(page.read_text(encoding="utf-8") for page in REFERENCE)
    assert f".. automodule:: standalone_core.{name}\n" in pages


def test_every_page_is_in_the_table_of_contents():
    listed = set(re.findall(r"^(?:reference/)?\w+$", (SITE / "index.md").read_text(), re.MULTILINE))
    pages = {str(page.relative_to(SITE).with_suffix("")) for page in SITE.rglob("*.md")}
    assert pages - {"index"} == listed
