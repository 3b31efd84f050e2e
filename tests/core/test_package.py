# SPDX-License-Identifier: GPL-3.0-or-later
"""The core stands alone: NumPy, the standard library, and examples that are true."""

import ast
import doctest
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import standalone_core as sc

from .peers import peer

ROOT = Path(sc.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
OPTIONAL = {"numba", "llvmlite"}  # the extra "fast": only the engine of that name may ask for it
BLENDER = ("bpy", "mathutils", "bmesh", "bpy_extras", "gpu", "blf", "bl_ext", "blender_addon")


def module_name(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path):
    """Top-level names that a file imports from outside of the package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0]


def in_a_fresh_interpreter(code):
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, cwd=ROOT.parent, capture_output=True, text=True, check=False)


def test_there_are_modules_to_look_at():
    assert len(MODULES) > 20
    assert ROOT / "bvh" / "build.py" in MODULES


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_the_core_imports_numpy_and_the_standard_library_alone(path):
    allowed = {"numpy"} | set(sys.stdlib_module_names)
    if "engines" in path.parts:
        allowed |= OPTIONAL
    if path == ROOT / "numerics" / "conversion.py":
        allowed |= {"pandas"}  # for who asks for a data frame
    if path.parent == ROOT / "distributed":
        allowed |= {"dask", "pandas"}  # the extra "dask", imported when a plan is made
    # One file is a program that runs the extension in Blender's module, in a process of its own.
    blender = {"bpy"} if path == ROOT / "distributed" / "in_bpy.py" else set()
    assert set(imported(path)) <= allowed | blender
    assert not set(imported(path)) & set(BLENDER) - blender


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_no_module_imports_by_name_behind_the_back_of_this_test(path):
    calls = (n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call))
    names = {getattr(call.func, "id", getattr(call.func, "attr", None)) for call in calls}
    assert not names & {"__import__", "exec", "eval"}


def test_the_core_works_where_blender_cannot_be_imported():
    blocked = "".join(f"sys.modules[{name!r}] = None; " for name in (*BLENDER, "numba"))
    run = in_a_fresh_interpreter(
        f"import sys; {blocked}"
        "import standalone_core as sc; "
        "mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]); "
        "print(mesh.ray_cast((0.25, 0.25, 1), (0, 0, -1)).distance)"
    )
    assert (run.stdout.strip(), run.stderr) == ("1.0", "")


def test_importing_the_core_brings_in_nothing_of_blender():
    run = in_a_fresh_interpreter("import sys, standalone_core; print(*sys.modules)")
    assert run.returncode == 0, run.stderr
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert "numpy" in loaded
    assert not loaded & set(BLENDER)


def test_modules_that_no_cast_needs_are_imported_when_they_are_asked_for():
    run = in_a_fresh_interpreter(
        "import sys, standalone_core as sc\n"
        "later = [f'standalone_core.{name}' for name in ('distributed', 'files', 'tables')]\n"
        "mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])\n"
        "mesh.ray_cast((0.25, 0.25, 1), (0, 0, -1))\n"
        "print(*(name in sys.modules for name in later))\n"
        "from standalone_core import *\n"
        "print(*(name in sys.modules for name in later))\n"
        "print(sc.load_mesh is sc.scene_file.load_mesh, sc.tables is tables)"
    )
    assert run.stdout.split() == ["False"] * 3 + ["True"] * 5, run.stderr
    with pytest.raises(AttributeError, match="'standalone_core' has no attribute 'tabels'"):
        _ = sc.tabels


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_the_docstring_examples_run(path):
    if "engines" in path.parts:
        pytest.importorskip("numba")
    if path.parent == ROOT / "distributed":
        peer("dask")
    failures, _ = doctest.testmod(importlib.import_module(module_name(path)))
    assert failures == 0


# Says which attributes of packages are of another kind once all modules are there.
_ALL_KINDS = """
import importlib, pkgutil, sys
import standalone_core as sc

def attributes(package):
    return {name: type(value) for name, value in vars(package).items() if name[0] != "_"}

def note():
    for name, module in list(sys.modules.items()):
        if name.startswith("standalone_core") and hasattr(module, "__path__"):
            before.setdefault(name, attributes(module))

before = {}
note()
if sc.compiled.state().status != "missing":
    sc.compile()
note()
for module in pkgutil.walk_packages(sc.__path__, "standalone_core."):
    if not module.name.endswith(("__main__", "in_bpy")) and (
        "engines." not in module.name or sc.compiled.state().status != "missing"
    ):
        importlib.import_module(module.name)
        note()
assert len(before) > 15
for package, kinds in before.items():
    now = attributes(sys.modules[package])
    print(*(f"{package}.{name}" for name, kind in kinds.items() if now.get(name) is not kind))
"""


def test_no_attribute_of_a_package_becomes_another_when_its_modules_are_imported():
    run = in_a_fresh_interpreter(_ALL_KINDS)
    assert (run.stdout.split(), run.stderr) == ([], "")


def test_there_are_docstring_examples():
    finder = doctest.DocTestFinder()
    paths = [path for path in MODULES if "engines" not in path.parts]
    modules = [importlib.import_module(module_name(path)) for path in paths]
    examples = [t for module in modules for t in finder.find(module) if t.examples]
    assert len(examples) >= 8


def test_every_public_name_is_there_and_documented():
    assert len(sc.__all__) == len(set(sc.__all__))
    for name in sc.__all__:
        assert getattr(sc, name).__doc__


def test_every_error_is_a_raypick_error_with_a_name_and_a_reason():
    kinds = [
        e
        for e in vars(sc.errors).values()
        if isinstance(e, type) and e.__module__.endswith("errors")
    ]
    assert len(kinds) > 8
    for kind in kinds:
        assert issubclass(kind, sc.RaypickError)
        assert kind.__doc__
        assert str(kind("what was wrong")) == "what was wrong"


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        ("ArgumentError", ValueError),
        ("ShapeError", ValueError),
        ("DtypeError", TypeError),
        ("IndexRangeError", IndexError),
        ("UnknownInstanceError", KeyError),
    ],
)
def test_errors_are_also_those_that_python_programmers_expect(error, builtin):
    assert issubclass(getattr(sc.errors, error), builtin)


ADAPTERS = [importlib.import_module(f"standalone_core.adapters.{n}") for n in ("open3d", "trimesh")]
PACKAGES = [sc, sc.bvh, sc.compiled, sc.triangle, *ADAPTERS]
CLASSES = [thing for thing in map(vars(sc).get, sc.__all__) if isinstance(thing, type)]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_a_package_shows_its_public_names_alone(package):
    assert {name for name in dir(package) if not name.startswith("__")} == set(package.__all__)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_class_shows_what_is_documented_alone(cls):
    for name in dir(cls):
        shown = getattr(cls, name)
        if name.startswith("_") or hasattr(Exception, name):
            continue
        if callable(shown) or isinstance(shown, property):
            assert shown.__doc__, name
        else:  # a field or a slot
            fields = cls.__doc__.partition("----------")[2]
            assert re.search(rf"^ +(\w+, )*{name}(, \w+)* :", fields, re.MULTILINE), name


@pytest.mark.parametrize(("group", "pinned"), [("dev", "core"), ("docs", "docs")])
def test_an_environment_of_ones_own_has_what_the_scripts_pin(group, pinned):
    stated = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))
    text = (ROOT.parent / f"scripts/requirements/{pinned}.in").read_text(encoding="utf-8")
    asked = [*stated["project"]["dependencies"], *stated["dependency-groups"][group]]
    names = {re.match(r"[\w-]+", each)[0] for each in asked}
    assert {*re.findall(r"^[\w-]+", text, re.MULTILINE)} == names - {"pre-commit"}
