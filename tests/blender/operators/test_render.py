# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators of the render engine: its attributes, its files, its colors."""

from importlib import import_module
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from ..scenes import square, suzanne

ops = bpy.ops.raypick if bpy else None


@pytest.fixture
def layer(raypick):
    """The settings of the view layer in a scene that the engine renders."""
    bpy.context.scene.render.engine = "RAYPICK"
    return bpy.context.view_layer.raypick


def listed(layer):
    return [(each.name, each.type) for each in layer.attributes]


def test_attributes_are_added_at_the_end_and_are_active_then(layer):
    ops.add_attribute_pass(name="UVMap", type="VECTOR_2D")
    ops.add_attribute_pass(name="density")
    assert listed(layer) == [("UVMap", "VECTOR_2D"), ("density", "VALUE")]
    assert layer.active_attribute == 1


def test_an_attribute_needs_a_name_that_is_not_rendered_yet(layer):
    ops.add_attribute_pass(name="density")
    with pytest.raises(RuntimeError, match="The attribute is rendered already"):
        ops.add_attribute_pass(name="density", type="COLOR")
    with pytest.raises(RuntimeError, match="The name is missing"):
        ops.add_attribute_pass()
    assert listed(layer) == [("density", "VALUE")]


def test_the_dialog_takes_the_type_of_what_is_named_until_another_one_is_chosen(raypick, layer):
    suzanne().vertex_groups.new(name="Ears")
    dialog = import_module(f"{raypick.__name__}.operators.render").RAYPICK_OT_add_attribute_pass
    asked = SimpleNamespace(name="UVMap", type="VALUE", _named="")
    assert dialog.check(asked, bpy.context)
    assert asked.type == "VECTOR_2D"
    asked.type = "COLOR"
    assert not dialog.check(asked, bpy.context)
    assert asked.type == "COLOR"
    asked.name = "Ears"
    assert dialog.check(asked, bpy.context)
    assert asked.type == "VALUE"
    asked.name, asked.type = "made by nodes", "COLOR"
    dialog.check(asked, bpy.context)
    assert asked.type == "COLOR"


def test_names_are_suggested_that_hold_what_is_typed(raypick, layer):
    head = suzanne()
    for name in ("Ears", "Ear tips", "Nose"):
        head.vertex_groups.new(name=name)
    suggested = import_module(f"{raypick.__name__}.operators.render")._suggested
    assert suggested(None, bpy.context, "ear") == ["Ear tips", "Ears"]
    assert {"UVMap", "Nose"} < set(suggested(None, bpy.context, ""))


def test_the_active_attribute_is_removed_whatever_its_number_has_become(layer):
    for name in "abc":
        ops.add_attribute_pass(name=name)
    layer.active_attribute = 1
    ops.remove_attribute_pass()
    assert [each.name for each in layer.attributes] == ["a", "c"]
    assert layer.active_attribute == 1
    layer.active_attribute = 9
    ops.remove_attribute_pass()
    ops.remove_attribute_pass()
    assert (len(layer.attributes), layer.active_attribute) == (0, 0)
    assert not ops.remove_attribute_pass.poll()


def test_each_view_layer_has_attributes_of_its_own(layer):
    ops.add_attribute_pass(name="density")
    other = bpy.context.scene.view_layers.new("Other")
    assert listed(other.raypick) == []


def test_undo_takes_an_attribute_back(layer):
    square()
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="Before")
    ops.add_attribute_pass(name="density")
    bpy.ops.ed.undo_push(message="Add Attribute")
    bpy.ops.ed.undo()
    assert listed(bpy.context.view_layer.raypick) == []
    bpy.ops.ed.redo()
    assert listed(bpy.context.view_layer.raypick) == [("density", "VALUE")]


OPERATORS = (
    *("add_attribute_pass", "remove_attribute_pass", "use_multilayer", "show_false_colors"),
)


def test_in_a_linked_scene_nothing_can_be_changed(layer, tmp_path):
    path = str(tmp_path / "scene.blend")
    ops.add_attribute_pass(name="density")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.scenes = ["Scene"]
    (linked,) = (scene for scene in bpy.data.scenes if scene.library)
    with bpy.context.temp_override(scene=linked, view_layer=linked.view_layers[0]):
        assert listed(bpy.context.view_layer.raypick) == [("density", "VALUE")]
        assert [each for each in OPERATORS if getattr(ops, each).poll()] == []
        with pytest.raises(RuntimeError, match="The scene is linked"):
            ops.use_multilayer()
    assert ops.use_multilayer.poll()


def give_format(name):
    """Set the format of files, whose kinds are chosen before from Blender 5.0 on."""
    settings = bpy.context.scene.render.image_settings
    kinds = {"OPEN_EXR_MULTILAYER": "MULTI_LAYER_IMAGE", "FFMPEG": "VIDEO"}
    if hasattr(settings, "media_type"):
        settings.media_type = kinds.get(name, "IMAGE")
    settings.file_format = name
    return settings


@pytest.mark.parametrize("form", ["PNG", "JPEG", "OPEN_EXR", "FFMPEG"])
def test_one_click_gives_files_that_hold_all_passes(raypick, layer, form):
    settings = give_format(form)
    wrong = import_module(f"{raypick.__name__}.render.files").what_is_wrong
    assert wrong(bpy.context.scene.render) == (
        f"{form} files hold Combined alone: the passes need OpenEXR MultiLayer"
    )
    ops.use_multilayer()
    assert settings.file_format == "OPEN_EXR_MULTILAYER"
    assert wrong(bpy.context.scene.render) is None


@pytest.mark.parametrize(
    ("codec", "then"), [("DWAA", "ZIP"), ("PXR24", "ZIP"), ("PIZ", "ZIP"), ("NONE", "NONE")]
)
def test_codecs_that_change_numbers_are_replaced_and_others_kept(raypick, layer, codec, then):
    settings = give_format("OPEN_EXR_MULTILAYER")
    settings.exr_codec = codec
    wrong = import_module(f"{raypick.__name__}.render.files").what_is_wrong
    text = f"The codec {codec} is not exact, or not one that Raypick reads: ZIP is"
    assert wrong(bpy.context.scene.render) == (None if codec == then else text)
    ops.use_multilayer()
    assert settings.exr_codec == then
    assert wrong(bpy.context.scene.render) is None


def test_false_colors_are_shown_unchanged_on_request_alone(raypick, layer):
    scene = bpy.context.scene
    shown, render = scene.view_settings, scene.render
    is_unchanged = import_module(f"{raypick.__name__}.render.files").shows_colors_unchanged
    assert (shown.view_transform, render.dither_intensity) == ("AgX", 1.0)
    assert not is_unchanged(scene)
    shown.look, shown.exposure, shown.gamma = "AgX - Punchy", 1.5, 2.0
    shown.use_curve_mapping = True
    ops.show_false_colors()
    assert (shown.view_transform, shown.look) == ("Standard", "None")
    assert (shown.exposure, shown.gamma, shown.use_curve_mapping) == (0.0, 1.0, False)
    assert is_unchanged(scene)
    render.dither_intensity = 1.0
    assert not is_unchanged(scene)
    ops.show_false_colors()
    shown.exposure = 0.5
    assert not is_unchanged(scene)


def test_a_picture_of_8_bits_has_the_false_colors_then(raypick, layer, tmp_path):
    """A picture of face 0 alone has one color, which is that of 0."""
    scene = bpy.context.scene
    square(size=4.0)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (2.0, 2.0, 3.0)
    scene.collection.objects.link(camera)
    scene.camera, layer.shown = camera, "FACE"
    scene.render.resolution_x = scene.render.resolution_y = 32
    ops.use_multilayer()
    scene.render.filepath = str(tmp_path / "####")
    bpy.ops.render.render(write_still=True)
    give_format("PNG")
    found = []
    for change in (lambda: None, ops.show_false_colors):
        change()
        path = str(tmp_path / f"{len(found)}.png")
        bpy.data.images["Render Result"].save_render(path)
        image = bpy.data.images.load(path)
        image.colorspace_settings.name = "Non-Color"
        pixels = np.empty(32 * 32 * 4, np.float32)
        image.pixels.foreach_get(pixels)
        found.append(np.unique((pixels.reshape(-1, 4)[:, :3] * 255).round().astype(int), axis=0))
    colors = import_module(f"{raypick.__name__}.model.survey_colors").false_colors
    assert found[1].tolist() == [np.round(255 * colors(np.array(0))).astype(int).tolist()]
    assert found[0].tolist() != found[1].tolist()


def test_without_the_view_transform_standard_it_is_an_error(raypick):
    class Shown:
        """As of an OpenColorIO configuration without it."""

        @property
        def view_transform(self):
            return "Film"

        @view_transform.setter
        def view_transform(self, _name):
            raise TypeError

    files = import_module(f"{raypick.__name__}.render.files")
    core = import_module(f"{raypick.__name__}.standalone_core")
    with pytest.raises(core.RaypickError, match="no view transform Standard"):
        files.show_colors_unchanged(SimpleNamespace(view_settings=Shown()))


@pytest.fixture
def sockets(layer):
    """Return what the compositor can take from the render."""
    scene = bpy.context.scene
    if hasattr(scene, "compositing_node_group"):  # from Blender 5.0
        tree = scene.compositing_node_group = bpy.data.node_groups.new("C", "CompositorNodeTree")
    else:
        scene.use_nodes = True
        tree = scene.node_tree
    node = tree.nodes.new("CompositorNodeRLayers")
    return lambda: [each.name for each in node.outputs if each.enabled]


def test_the_compositor_has_the_passes_as_soon_as_they_are_chosen(layer, sockets):
    layer.use_pass_triangle = True
    assert "Triangle" in sockets()
    ops.add_attribute_pass(name="density", type="VECTOR")
    assert "Attribute density" in sockets()
    layer.attributes[0].name = "wetness"
    assert "Attribute wetness" in sockets()
    ops.remove_attribute_pass()
    layer.use_pass_triangle = False
    assert not {"Triangle", "Attribute density", "Attribute wetness"} & set(sockets())
