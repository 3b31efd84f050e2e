# SPDX-License-Identifier: GPL-3.0-or-later
"""The compositor has all passes, hands them on as they are, and changes none in files."""

import importlib

import bpy
import numpy as np

from tests.blender.conftest import PACKAGE

from . import cycles, exr_parts
from .composing import IS_GROUP, Compositor
from .test_exact_files import bits


def test_all_passes_reach_a_file_of_the_compositor_unharmed(scene, tmp_path):
    plain = cycles.render(tmp_path / "plain")
    compositor = Compositor()
    source = compositor.nodes.nodes.new("CompositorNodeRLayers")
    numbers = compositor.compare(source, plain, tmp_path)
    assert {numbers[name] for name in ("Face", "RayDepth", "Front", "Attribute number")} == {1}
    assert {numbers[name] for name in ("Instance", "Point", "RayUV")} == {3}
    assert numbers["Attribute tint"] == 4


def test_what_the_compositor_makes_of_the_picture_leaves_the_passes_alone(scene, tmp_path):
    plain = cycles.render(tmp_path / "plain").pictures.channels
    compositor = Compositor()
    source = compositor.nodes.nodes.new("CompositorNodeRLayers")
    turned = compositor.nodes.nodes.new("CompositorNodeInvert")
    compositor.nodes.links.new(source.outputs["Image"], turned.inputs["Color"])
    compositor.show(turned.outputs[0])
    composed = cycles.render(tmp_path / "composed").pictures.channels
    assert bits(composed).items() >= bits(plain).items()
    (red,) = [each for name, each in composed.items() if name == "Composite.Combined.R"]
    assert (red != plain["ViewLayer.Combined.R"]).any()


def test_the_picture_is_in_false_colors(scene, tmp_path):
    seen = cycles.render(tmp_path / "seen").views["ViewLayer", ""]
    colors, objects = seen.of("Combined", "RGBA"), seen.index("Object")
    assert (colors[objects < 0, 3] == 0).all()
    assert (colors[objects >= 0, 3] == 1).all()
    assert len(np.unique(colors[objects >= 0], axis=0)) == 1  # one cube
    bpy.context.view_layer.raypick.shown = "FACE"
    colors = cycles.render(tmp_path / "faces").views["ViewLayer", ""].of("Combined", "RGBA")
    faces = seen.index("Face")
    assert len(np.unique(faces)) > 2
    assert len(np.unique(colors.reshape(-1, 4), axis=0)) == len(np.unique(faces))


def strips_of(scene):
    editor = scene.sequence_editor_create()
    return editor.strips if hasattr(editor, "strips") else editor.sequences


def add_strip(scene):
    editor = scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    length = {"length": 9} if IS_GROUP else {"frame_end": 9}
    return strips.new_effect("Red", "COLOR", 1, 1, **length)


def test_strips_that_replace_the_picture_are_told_of_in_the_panel(scene, tmp_path):
    cycles.file_settings()
    files = importlib.import_module(f"{PACKAGE}.render.files")
    assert files.what_is_wrong(scene.render) is None
    strip = add_strip(scene)
    for is_muted in (False, True):
        strip.mute = is_muted
        cycles.write(tmp_path / "strips")
        has_passes = "ViewLayer.Object.X" in exr_parts.read(tmp_path / "strips.exr").channels
        wrong = files.what_is_wrong(scene.render)
        assert has_passes == (wrong is None), wrong
        assert has_passes or "sequencer" in wrong
    strip.mute = False
    scene.sequence_editor.channels[1].mute = True
    assert (files.what_is_wrong(scene.render) is None) == has_passes
    scene.sequence_editor.channels[1].mute = False
    files.use_exact(scene.render)
    assert files.what_is_wrong(scene.render) is None
    assert "ViewLayer.Object.X" in cycles.render(tmp_path / "plain").pictures.channels
