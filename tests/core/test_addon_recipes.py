# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipes for add-ons are short, use the documented API alone, and are all on their page."""

import ast
import re

import pytest

from checkout import ROOT

PAGE = ROOT / "docs" / "addons-recipes.md"
RECIPES = sorted((ROOT / "docs" / "addons").rglob("*.py"))
MOST = 40


def recipe(path):
    return path.parent.name if path.stem == "__init__" else path.stem


def code_lines(text):
    """The numbers of lines that hold code: no comment, no docstring, not blank."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    left_out = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            left_out |= {*range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    lines = enumerate(text.splitlines(), start=1)
    return [i for i, line in lines if line.split("#")[0].strip() and i not in left_out]


def test_there_are_six():
    names = ["check", "face_painter", "lidar", "measure", "placer", "strokes"]
    assert sorted(map(recipe, RECIPES)) == names


@pytest.mark.parametrize("path", RECIPES, ids=recipe)
def test_a_recipe_is_short(path):
    assert len(code_lines(path.read_text(encoding="utf-8"))) <= MOST


@pytest.mark.parametrize("path", RECIPES, ids=recipe)
def test_a_recipe_reaches_raypick_by_its_api_alone(path):
    text = path.read_text(encoding="utf-8")
    assert text.count('+ ".api")') == text.count("import_module(") == 1
    assert not re.search(r"bridge|session|standalone_core|bl_ext", text)


@pytest.mark.parametrize("path", RECIPES, ids=recipe)
def test_a_recipe_is_linked_on_the_page(path):
    link = path.relative_to(PAGE.parent).as_posix()
    assert f"]({link})" in PAGE.read_text(encoding="utf-8")
