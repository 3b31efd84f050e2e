# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine's panels, and which of Blender's own panels go with it."""

from importlib import import_module
from types import SimpleNamespace

import addon_utils
import bpy
import pytest

from tests.recorder import Recorder, drawn

from ..conftest import PACKAGE
from ..scenes import square, suzanne

ops = bpy.ops.raypick if bpy else None


@pytest.fixture
def layer(raypick):
    """The settings of the view layer in a scene that the engine renders."""
    bpy.context.scene.render.engine = "RAYPICK"
    return bpy.context.view_layer.raypick


def panel(name):
    return drawn([getattr(bpy.types, f"RAYPICK_PT_{name}")], bpy.context)


def entries(menu="attribute_passes"):
    """What a menu draws."""
    layout, kind = Recorder(), getattr(bpy.types, f"RAYPICK_MT_{menu}")
    kind.draw(SimpleNamespace(layout=layout, bl_label=kind.bl_label), bpy.context)
    return layout


def types(menu):
    """The types that entries of a menu give, by their labels."""
    return {each.label: each.type for each in menu.buttons if each.label != "Other..."}


def test_every_pass_is_offered_once(layer):
    chosen = [name for name in dir(layer) if name.startswith("use_pass_")]
    columns = import_module(f"{PACKAGE}.bridge.batch.columns").COLUMNS
    assert len(chosen) == len(columns)
    found = panel("passes").properties
    assert sorted(found) == sorted([*chosen, "shown", "use_landmarks"])


def test_passes_have_names_and_tooltips_that_say_what_they_are(layer):
    texts = [(each.name, each.description) for each in layer.bl_rna.properties if each.name]
    assert len({label for label, _ in texts}) == len(texts)
    for label, tooltip in texts:
        assert not any(part in tooltip for part in ("``", "hits.", "gray", " as red")), label


def test_the_menu_has_what_the_meshes_have_by_kind(layer):
    head = suzanne()
    mesh = head.data
    head.vertex_groups.new(name="Ears")
    mesh.color_attributes.new("Paint", "BYTE_COLOR", "CORNER")
    mesh.attributes.new("density", "FLOAT", "POINT")
    mesh.attributes.new("direction", "FLOAT_VECTOR", "FACE")
    mesh.attributes.new("turn", "QUATERNION", "POINT")
    mesh.attributes.new("crease", "FLOAT", "EDGE")
    mesh.attributes.new("label", "STRING", "POINT")
    mesh.attributes.new(".hidden", "FLOAT", "POINT")
    found = entries()
    assert found.labels == ["UV Maps", "Color Attributes", "Attributes", "Vertex Groups"]
    of_blender = {"position": "VECTOR", "sharp_face": "VALUE"}  # the latter from Blender 5.0 on
    assert {**of_blender, **types(found)} == {
        **of_blender,
        "UVMap": "VECTOR_2D",
        "direction": "VECTOR",
        **dict.fromkeys(("Paint", "turn"), "COLOR"),
        **dict.fromkeys(("density", "Ears"), "VALUE"),
    }
    assert [each.name for each in found.buttons[:-1]] == [*types(found)]
    assert found.buttons[-1].label == "Other..."


def test_the_menu_lacks_what_is_rendered_already(layer):
    suzanne().vertex_groups.new(name="Ears")
    before = [each.label for each in entries().buttons]
    ops.add_attribute_pass(name="Ears")
    found = entries()
    assert [each.label for each in found.buttons] == [each for each in before if each != "Ears"]
    assert "Vertex Groups" not in found.labels


def test_where_meshes_differ_the_type_fits_on_both(layer):
    for name, kind in (("First", "FLOAT"), ("Second", "FLOAT_VECTOR"), ("Third", "FLOAT")):
        square(name).data.attributes.new("wetness", kind, "POINT")
    bpy.context.view_layer.update()
    assert types(entries())["wetness"] == "VECTOR"


def test_in_an_empty_scene_a_name_can_be_given_by_hand(layer):
    found = entries()
    assert (found.labels, [each.label for each in found.buttons]) == ([], ["Other..."])
    panel("attribute_passes")


def test_many_names_are_searched_and_have_a_menu_for_each_kind(layer):
    head = suzanne()
    for number in range(300):
        head.vertex_groups.new(name=f"Group {number:03}")
    found = entries()
    assert [each.label for each in found.buttons] == ["Search...", "Other..."]
    assert found.buttons[0].menu_idname == "RAYPICK_MT_attribute_passes"
    assert found.menus == [
        *("RAYPICK_MT_uv_map_passes", "RAYPICK_MT_other_attribute_passes"),
        "RAYPICK_MT_vertex_group_passes",
    ]
    groups = [each.label for each in entries("vertex_group_passes").buttons]
    assert groups == [f"Group {number:03}" for number in range(300)]
    assert [each.label for each in entries("uv_map_passes").buttons] == ["UVMap"]
    assert entries("color_attribute_passes").buttons == []


def test_a_name_that_is_missing_or_there_twice_is_pointed_out(layer):
    for name in ("density", "wetness", ""):
        layer.attributes.add().name = name
    said = {}
    for number in range(3):
        layer.active_attribute = number
        said[layer.attributes[number].name] = panel("attribute_passes").labels
    assert said == {"density": [], "wetness": [], "": ["The name is missing"]}
    layer.attributes[1].name = "density"
    layer.active_attribute = 0
    assert panel("attribute_passes").labels == ["The name is there twice"]
    layer.active_attribute = 7
    assert panel("attribute_passes").labels == []


def test_a_row_of_the_list_can_be_edited(layer):
    ops.add_attribute_pass(name="density")
    layout = Recorder()
    rows = import_module(f"{PACKAGE}.ui.render_panels").RAYPICK_UL_attribute_passes
    rows.draw_item(None, bpy.context, layout, layer, layer.attributes[0], 0, layer, "")
    assert layout.properties == ["name", "type"]


def notes(name):
    """What the engine adds to a panel of Blender's in this context, its text in one."""
    layout = Recorder()
    module = import_module(f"{PACKAGE}.ui.render_panels")
    (draw,) = (draw for kind, draw in module._notes() if kind.__name__ == name)
    draw(SimpleNamespace(layout=layout), bpy.context)
    return " ".join(layout.labels), [each.name for each in layout.buttons]


def test_below_the_output_it_is_said_what_files_would_lack(layer):
    said = "PNG files hold Combined alone: the passes need OpenEXR MultiLayer"
    assert notes("RENDER_PT_output") == (said, ["raypick.use_multilayer"])
    ops.use_multilayer()
    assert notes("RENDER_PT_output") == ("", [])


def test_below_the_color_management_it_is_said_that_it_changes_false_colors(layer):
    said = "False colors are not shown as they are"
    assert notes("RENDER_PT_color_management") == (said, ["raypick.show_false_colors"])
    ops.show_false_colors()
    assert notes("RENDER_PT_color_management") == ("", [])


def test_with_another_engine_nothing_is_said_and_no_panel_is_there(layer):
    bpy.context.scene.render.engine = "CYCLES"
    assert notes("RENDER_PT_output") == notes("RENDER_PT_color_management") == ("", [])
    for name in ("passes", "attribute_passes", "performance", "visibility"):
        assert not getattr(bpy.types, f"RAYPICK_PT_{name}").poll(bpy.context)


def panels():
    """All panels that ask for the engine, with the engines."""
    waiting = [bpy.types.Panel]
    while waiting:
        each = waiting.pop()
        waiting += each.__subclasses__()
        if hasattr(each, "COMPAT_ENGINES"):
            yield each.__name__, each.COMPAT_ENGINES


GO_WITH_IT = {
    "RENDER_PT_simplify": "render",
    "RENDER_PT_color_management": "render",
    "RENDER_PT_format": "output",
    "RENDER_PT_frame_range": "output",
    "RENDER_PT_output": "output",
    "RENDER_PT_stereoscopy": "output",
    "RENDER_PT_stamp": "output",
    "RENDER_PT_post_processing": "output",
    "VIEWLAYER_PT_layer": "view_layer",
    "WORLD_PT_context_world": "world",
    "OBJECT_PT_visibility": "object",
    "DATA_PT_lens": "data",
    "DATA_PT_camera": "data",
    "DATA_PT_camera_stereoscopy": "data",
    "DATA_PT_context_light": "data",
    "DATA_PT_uv_texture": "data",
    "EEVEE_MATERIAL_PT_context_material": "material",
    "EEVEE_MATERIAL_PT_surface": "material",
}


def test_blenders_panels_show_up_that_are_for_all_engines(layer):
    shown = {name for name, engines in panels() if "RAYPICK" in engines}
    assert GO_WITH_IT.keys() <= shown
    for name, tab in GO_WITH_IT.items():
        assert getattr(bpy.types, name).bl_context == tab


def test_panels_of_what_is_not_rendered_do_not_show_up(layer):
    shown = {name for name, engines in panels() if "RAYPICK" in engines}
    assert [name for name in shown if "freestyle" in name.lower()] == []
    assert [name for name in shown if name.startswith(("CYCLES_", "RENDER_PT_eevee"))] == []
    assert not {"DATA_PT_camera_dof", "VIEWLAYER_PT_override", "OBJECT_PT_shading"} & shown


def test_once_disabled_blenders_panels_are_as_before(raypick):
    enabled = {name: set(engines) for name, engines in panels()}
    addon_utils.disable(PACKAGE)
    disabled = {name: set(engines) for name, engines in panels()}
    addon_utils.enable(PACKAGE)
    assert {name: set(engines) for name, engines in panels()} == enabled
    assert {name: engines - {"RAYPICK"} for name, engines in enabled.items()} == disabled
    assert not any("RAYPICK" in engines for engines in disabled.values())
