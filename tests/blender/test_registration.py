# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension leaves nothing behind, and picking leaves the scene alone."""

import gc
import importlib
import itertools
import sys
import threading
import tomllib
import tracemalloc
import zipfile
from pathlib import Path

import addon_utils
import bpy
import pytest
from bl_ui.space_toolsystem_toolbar import VIEW3D_PT_tools_active

from tool_icon import draw, draw_landmarks, write

from .conftest import PACKAGE
from .scenes import collection_instance, down, instance_on_points, square, suzanne
from .ui.test_render_panels import panels


def registered():
    """Everything of the extension that Blender knows."""
    handlers = [
        (name, handler.__module__, handler.__name__)
        for name in dir(bpy.app.handlers)
        if isinstance(getattr(bpy.app.handlers, name), list)
        for handler in getattr(bpy.app.handlers, name)
    ]
    classes = [name for name in dir(bpy.types) if name.startswith("RAYPICK_")]
    keymap = bpy.context.window_manager.keyconfigs.addon.keymaps.get("3D View")
    keys = [item.idname for item in keymap.keymap_items] if keymap else []
    tools = [
        getattr(entry, "idname", entry)
        for group in VIEW3D_PT_tools_active._tools.values()
        for entry in group
    ]
    return {
        # Their order changes with a pick, which puts its own first and last, some of them again.
        "handlers": sorted({each for each in handlers if PACKAGE in each[1]}),
        "classes": classes,
        "operators": dir(bpy.ops.raypick),
        "keys": [key for key in keys if key.startswith("raypick.")],
        "menu": [
            draw.__module__
            for menu in (bpy.types.Menu, bpy.types.Panel)
            for kind in menu.__subclasses__()
            for draw in getattr(getattr(kind, "draw", None), "_draw_funcs", ())
            if draw.__module__.startswith(PACKAGE)
        ],
        "timers": [
            module.__name__
            for module in sys.modules.values()
            for name in (
                "_tick",
                "_watch",
                "_find_all",
                "_look",
                "_notify",
                "follow",
                "_push",
                "_point",
            )
            if getattr(module, "__name__", "").startswith(PACKAGE)
            and callable(getattr(module, name, None))
            and bpy.app.timers.is_registered(getattr(module, name))
        ],
        "preferences": [
            cls.__name__
            for cls in bpy.types.AddonPreferences.__subclasses__()
            if cls.__module__.startswith(PACKAGE) and cls.is_registered
        ],
        "lists": [name for name in dir(bpy.types.WindowManager) if "raypick" in name],
        "tools": [tool for tool in tools if str(tool).startswith("raypick.")],
    }


@pytest.mark.parametrize(("name", "drawn"), [("PickTool", draw), ("LandmarkTool", draw_landmarks)])
def test_the_icons_of_the_tools_are_drawn_by_the_script(raypick, name, drawn):
    tool = getattr(importlib.import_module(f"{PACKAGE}.ui.tools"), name)
    icon = Path(f"{tool.bl_icon}.dat")
    assert icon.read_bytes() == write(icon.with_name("again.dat"), drawn).read_bytes()
    icon_id = bpy.app.icons.new_triangles_from_file(str(icon))
    bpy.app.icons.release(icon_id)


def toolbars():
    """How many entries and separators there are in the toolbars."""
    return {mode: len(group) for mode, group in VIEW3D_PT_tools_active._tools.items()}


def test_everything_is_there_when_enabled_and_gone_when_disabled(raypick):
    enabled, toolbars_before = registered(), toolbars()
    assert len(enabled["handlers"]) == 24
    assert len(enabled["menu"]) > 10  # the view's, files, and context menus of the modes
    assert "RAYPICK_PT_main" in enabled["classes"]
    assert "pick" in enabled["operators"]
    assert len(enabled["lists"]) == 7
    assert enabled["keys"] == ["raypick.pick", "raypick.inspect", "raypick.copy_under_mouse"]
    assert set(enabled["tools"]) == {"raypick.pick_tool", "raypick.landmark_tool"}
    for _ in range(200):
        addon_utils.disable(PACKAGE)
        assert not any(registered().values())
        addon_utils.enable(PACKAGE)
        assert registered() == enabled
    assert toolbars() == toolbars_before


def known_to_blender():
    """All that a registration changes, whoever did: what is left behind shows here."""
    keyconfigs = bpy.context.window_manager.keyconfigs
    return registered() | {
        "types": dir(bpy.types),
        "all handlers": {
            name: list(getattr(bpy.app.handlers, name))
            for name in dir(bpy.app.handlers)
            if isinstance(getattr(bpy.app.handlers, name), list)
        },
        "properties": {
            name: dir(getattr(bpy.types, name))
            for name in ("WindowManager", "Scene", "Object", "ViewLayer")
        },
        "panels of engines": [name for name, engines in panels() if "RAYPICK" in engines],
        "keymaps": {
            keymap.name: [item.idname for item in keymap.keymap_items]
            for keymap in keyconfigs.addon.keymaps
            if len(keymap.keymap_items)
        },
        "toolbars": toolbars(),
    }


class FailError(Exception):
    """What a part is made to fail with."""


def failing(call, since=0):
    """The same, which fails after it is done, from so many calls on."""
    calls = itertools.count()

    def fails(*arguments, **options):
        result = call(*arguments, **options)
        if next(calls) == since:
            raise FailError
        return result

    return fails


@pytest.fixture
def disabled(raypick):
    """The package while it is not registered."""
    package = importlib.import_module(PACKAGE)
    package.unregister()
    yield package
    package.register()


def assert_fails_without_a_trace(package):
    before = known_to_blender()
    with pytest.raises(FailError):
        package.register()
    assert known_to_blender() == before
    package.unregister()
    assert known_to_blender() == before


def test_a_part_that_fails_has_all_taken_back(disabled, monkeypatch):
    modules = [disabled, disabled.session, disabled.operators, disabled.ui]
    parts = [part for module in modules for part in module._PARTS]
    assert len(parts) > 18
    for part in parts:
        with monkeypatch.context() as patched:
            patched.setattr(part, "register", failing(part.register))
            assert_fails_without_a_trace(disabled)


@pytest.mark.parametrize("name", ["register_class", "register_tool"])
def test_a_class_that_cannot_be_registered_has_all_taken_back(disabled, monkeypatch, name):
    call = getattr(bpy.utils, name)
    for since in (0, 1, 5, 9):
        with monkeypatch.context() as patched:
            patched.setattr(bpy.utils, name, failing(call, since))
            assert_fails_without_a_trace(disabled)


def test_a_second_copy_says_that_the_first_is_enabled_and_changes_nothing(
    raypick, extension_zip, tmp_path, monkeypatch
):
    with zipfile.ZipFile(extension_zip) as archive:
        archive.extractall(tmp_path / "raypick_copy")
    monkeypatch.syspath_prepend(tmp_path)
    before = known_to_blender()
    copy = importlib.import_module("raypick_copy")
    with pytest.raises(RuntimeError, match=f"^Raypick is already enabled as {PACKAGE}, [^.]*[.]$"):
        copy.register()
    assert known_to_blender() == before
    copy.unregister()
    assert known_to_blender() == before
    square()
    assert down(importlib.import_module(PACKAGE), 0.25, 0.5)


def test_a_second_copy_can_be_enabled_once_the_first_is_not(
    disabled, extension_zip, tmp_path, monkeypatch
):
    with zipfile.ZipFile(extension_zip) as archive:
        archive.extractall(tmp_path / "raypick_other")
    monkeypatch.syspath_prepend(tmp_path)
    before = known_to_blender()
    other = importlib.import_module("raypick_other")
    other.register()
    with pytest.raises(RuntimeError, match="already enabled as raypick_other"):
        disabled.register()
    other.unregister()
    assert known_to_blender() == before


def test_enabling_and_disabling_in_the_middle_of_work_leaves_memory_flat(raypick):
    """Each time a mesh is read and a thread begins to index it; both are given back."""
    suzanne(levels=4)
    indexed, held = 0, []
    tracemalloc.start()
    try:
        for _ in range(12):
            api = importlib.import_module(PACKAGE).api
            for _ in range(3):
                assert api.ray_cast(bpy.context, (0.1, 0.2, 10), (0, 0, -1))
            indexed += api.indexing() is not None
            addon_utils.disable(PACKAGE)
            for thread in threading.enumerate():
                if thread.name == "tree build":
                    thread.join(60)
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
            addon_utils.enable(PACKAGE)
    finally:
        tracemalloc.stop()
    assert indexed
    assert max(held[4:]) - min(held[4:]) < 1 << 20


def test_a_disabled_extension_can_be_enabled_in_the_middle_of_work(raypick):
    square()
    assert down(raypick, 0.25, 0.5)
    addon_utils.disable(PACKAGE)
    bpy.data.objects["Square"].location.z = 1.0
    bpy.context.view_layer.update()
    addon_utils.enable(PACKAGE)
    assert down(raypick, 0.25, 0.5)[0].point[2] == 1.0


def state_of_the_file():
    return {
        "data": {
            name: [item.name for item in getattr(bpy.data, name)]
            for name in dir(bpy.data)
            if isinstance(getattr(bpy.data, name), bpy.types.bpy_prop_collection)
        },
        "selected": [obj.name for obj in bpy.context.selected_objects],
        "active": bpy.context.view_layer.objects.active,
        "mode": bpy.context.mode,
        "cursor": tuple(bpy.context.scene.cursor.location),
        "dirty": bpy.data.is_dirty,
    }


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT", "SCULPT", "WEIGHT_PAINT"])
def test_picking_changes_nothing_in_the_file(raypick, mode):
    points = square("Points", z=1.0)
    instance_on_points(points, suzanne(levels=1))
    collection_instance(square("Tile"), (5, 0, 0))
    bpy.context.view_layer.objects.active = bpy.data.objects["Suzanne"]
    bpy.ops.object.mode_set(mode=mode)
    before = state_of_the_file()
    assert down(raypick, 0.25, 0.5, all_hits=True)
    bpy.ops.raypick.cast(origin=(0.25, 0.5, 9))
    assert state_of_the_file() == before


def test_the_zip_holds_what_it_needs_and_nothing_else(extension_zip):
    with zipfile.ZipFile(extension_zip) as archive:
        names = archive.namelist()
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
    assert manifest["id"] == "raypick"
    assert "standalone_core/mesh.py" in names
    assert "standalone_core/LICENSE" in names
    assert "LICENSE" in names
    endings = (".py", ".toml", ".dat", ".glsl", ".json", "LICENSE", "py.typed")
    assert all(name.endswith(endings) for name in names)
