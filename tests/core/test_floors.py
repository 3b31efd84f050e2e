# SPDX-License-Identifier: GPL-3.0-or-later
"""The rooms of the house: what may import what, in the core, in the add-on, and between the two."""

import ast
import functools
import importlib
from itertools import chain
from pathlib import Path

import pytest

import standalone_core as sc

CHECKOUT = Path(sc.__file__).parents[1]

# The floors of each package, from the ground up. A room, which is a module or a folder, imports
# only from rooms on lower floors. "__init__" is the package itself.
FLOORS = {
    "standalone_core": (
        {"errors", "types"},
        {"concurrency", "console"},
        {"numerics"},
        {"copies"},
        {"arguments"},
        {"frame_ranges", "hit", "other_meshes"},
        {"matrices"},
        {"ray", "viewport"},
        {"cast"},
        {"bvh"},
        {"box", "closest", "files", "geodesic", "plane", "region", "sphere", "triangle"},
        {"camera", "engines", "places", "tables"},
        {"border", "building", "instancing", "near_pixel"},
        {"compiled", "extension", "scene"},
        {"tree_mesh"},
        {"mesh"},
        {"polygons"},
        {"adapters", "polygon_mesh"},
        {"scene_file"},
        {"distributed"},
        {"__init__"},
        {"command"},
        {"__main__"},
    ),
    "blender_addon": (
        {"compiled_code", "idnames", "model", "settings", "translations"},
        {"registration"},
        {"bridge", "formatting"},
        {"options", "render", "session"},
        {"api"},
        {"command", "operators", "overlay"},
        {"ui"},
        {"preferences"},
        {"__init__"},
    ),
    "blender_addon/bridge": (
        {"attributes", "custom_properties", "hit_objects", "mesh", "survey_image"},
        {"original", "validation"},
        {"scene"},
        {"__init__", "report", "view"},
        {"placing"},
        {"query_options", "refinding", "tolerance"},
        {"query"},
        {"frozen", "landmarks"},
        {"batch"},
        {"render"},
    ),
}
ADDON = sorted((CHECKOUT / "blender_addon").rglob("*.py"))
NOT_OF_BLENDER = ("bpy", "bmesh", "mathutils", "gpu", "blf", "bpy_extras")


def module_name(path):
    """The dotted name of a module, in which that of a package ends with ``__init__``."""
    return ".".join(path.relative_to(CHECKOUT).with_suffix("").parts)


@functools.cache
def imported(path):
    """All names that a file imports, dotted, and as seen from the checkout where relative."""
    package = path.relative_to(CHECKOUT).parent.parts
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*start, *filter(None, [node.module])))
            names += [f"{base}.{alias.name}" for alias in node.names]
    return names


@functools.cache
def rooms(folder):
    """The rooms in a folder, each with its files."""
    root = CHECKOUT / folder
    entries = [p for p in root.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()]
    return {p.stem: sorted(p.rglob("*.py")) if p.is_dir() else [p] for p in entries}


def used_rooms(folder, path):
    """The rooms of a folder that a file imports from."""
    prefix, there = folder.replace("/", ".") + ".", rooms(folder)
    inner = [name.removeprefix(prefix) for name in imported(path) if name.startswith(prefix)]
    firsts = {name.split(".")[0] for name in inner} - {"standalone_core"}
    return {first if first in there else "__init__" for first in firsts}


@pytest.mark.parametrize("folder", FLOORS)
def test_every_room_is_on_one_floor(folder):
    assert sorted(chain(*FLOORS[folder])) == sorted(rooms(folder))


@pytest.mark.parametrize(
    ("folder", "room"), [(folder, room) for folder in FLOORS for room in sorted(rooms(folder))]
)
def test_a_room_imports_from_lower_floors_alone(folder, room):
    floor = next(i for i, floor in enumerate(FLOORS[folder]) if room in floor)
    allowed = set().union(*FLOORS[folder][:floor], {room})
    for path in rooms(folder)[room]:
        assert used_rooms(folder, path) <= allowed, module_name(path)


@pytest.mark.parametrize("path", ADDON, ids=module_name)
def test_the_add_on_imports_of_the_core_what_the_core_declares(path):
    inside = "blender_addon.standalone_core"
    of_core = [name for name in imported(path) if "standalone_core" in name]
    extension = [name for name in of_core if name.startswith(f"{inside}.extension.")]
    declared = {f"{inside}.{name}" for name in (*sc.__all__, "__version__")}
    if extension:
        interface = importlib.import_module("standalone_core.extension")
        declared |= {f"{inside}.extension.{name}" for name in interface.__all__}
    assert set(of_core) <= declared


@pytest.mark.parametrize("path", rooms("blender_addon")["model"], ids=module_name)
def test_the_model_knows_nothing_of_blender(path):
    assert not {name.split(".")[0] for name in imported(path)} & set(NOT_OF_BLENDER)


SMALL = {
    "blender_addon/bridge/custom_properties.py",
    "blender_addon/translations/reasons.py",
    "standalone_core/__main__.py",
}
"""Files of less than 40 lines that several others share, or that Python runs."""


def test_a_file_holds_a_subject_and_no_crumb():
    files = [
        path
        for package in FLOORS
        if "/" not in package
        for path in (CHECKOUT / package).rglob("*.py")
    ]
    small = {
        path.relative_to(CHECKOUT).as_posix()
        for path in files
        if path.name != "__init__.py" and len(path.read_text(encoding="utf-8").splitlines()) < 40
    }
    assert small == SMALL


def test_the_architecture_draws_the_floors_as_they_are():
    text = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawings = [block.split("```")[0] for block in text.split("```text")[1:]]
    for (folder, floors), drawing in zip(FLOORS.items(), drawings, strict=True):
        for name in drawing.split():
            assert (CHECKOUT / folder / name).is_dir() == name.endswith("/"), name
        drawn = [name.removesuffix("/") for name in drawing.split()]
        hidden = {"__init__", "__main__"}
        floor_of = {room: i for i, floor in enumerate(floors) for room in floor - hidden}
        assert sorted(floor_of) == sorted(set(drawn) - {"standalone_core"})
        assert [floor_of.get(room, -1) for room in drawn] == sorted(
            [floor_of.get(room, -1) for room in drawn], reverse=True
        )
