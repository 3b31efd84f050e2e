# SPDX-License-Identifier: GPL-3.0-or-later
"""``api.survey`` and ``raypick survey`` of what renders show, and what a scene keeps of it."""

import bpy
import numpy as np
import pytest

from tests.blender.command.conftest import arrays, camera, saved
from tests.blender.scenes import collection_instance, square, suzanne

COLUMNS = "object", "instance", "face", "depth", "original_face"


@pytest.fixture
def shot(raypick):
    """A head with other levels in renders, behind a card that renders alone show."""
    head = suzanne()
    modifier = head.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels, modifier.render_levels = 0, 2
    card = square("Card")
    card.location = (-0.5, -2.0, -0.5)
    card.rotation_euler.x = np.pi / 2
    card.hide_viewport = True
    hidden = square("Hidden")
    hidden.location, hidden.rotation_euler.x = (-1.5, -1.0, 0.5), np.pi / 2
    hidden.hide_render = True
    collection_instance(square("Tile"), (1.5, 0.0, 0.5))
    camera()
    bpy.context.view_layer.update()
    return bpy.context.scene


def kept(scene):
    """What a survey must leave as it is."""
    render = scene.render
    names = "engine", "use_compositing", "use_sequencer", "use_multiview", "use_freestyle"
    blocks = {name: getattr(bpy.data, name).keys() for name in ("images", "scenes", "objects")}
    return [getattr(render, name) for name in names], scene.camera, scene.frame_current, blocks


def test_a_survey_of_renders_sees_their_objects_and_levels(raypick, shot):
    seen = raypick.api.survey(bpy.context, columns=COLUMNS)
    shown = raypick.api.survey(bpy.context, columns=COLUMNS, visibility="render")
    assert {*np.unique(seen.names())} == {"", "Hidden", "Suzanne", "Tile"}
    assert {*np.unique(shown.names())} == {"", "Card", "Suzanne", "Tile"}
    heads = shown.names() == "Suzanne"
    assert shown["face"][heads].max() > 500 > seen["face"].max()
    own = shown["original_face"][heads]
    assert 0 <= own.min() <= own.max() < 500
    assert shown.objects == seen.objects


def test_a_survey_is_of_the_view_layer_of_the_context(raypick, shot):
    shot.view_layers.new("Other")
    bpy.context.view_layer.use = False  # so that no render of the file has it
    every = raypick.api.survey(bpy.context, columns=COLUMNS, visibility="render")
    assert not bpy.context.view_layer.use
    only = raypick.api.survey(bpy.context, columns=COLUMNS, visibility="render", only="Suzanne")
    assert {*np.unique(only.names())} == {"", "Suzanne"}
    assert (only.hit & ~every.hit).sum() == 0
    assert (only["face"] != every["face"]).any()  # behind the card


def test_the_options_of_a_survey_hold_for_renders(raypick, shot):
    ask = raypick.api.survey
    fine = ask(bpy.context, columns=COLUMNS, visibility="render", samples=2)
    assert fine.shape == (32, 48, 4)
    own = ask(bpy.context, columns=COLUMNS, visibility="render", evaluated=False)
    heads = own.names() == "Suzanne"
    assert own["face"][heads].max() < 500
    near = ask(bpy.context, columns=COLUMNS, visibility="render", max_distance=5.0)
    assert {*np.unique(near.names())} == {"", "Card"}
    there = raypick.api.render_camera(bpy.context)
    assert np.array_equal(
        ask(bpy.context, there, visibility="render")["face"],
        ask(bpy.context, visibility="render")["face"],
    )


def test_a_survey_of_renders_leaves_the_scene_as_it_is(raypick, shot):
    before = kept(shot)
    raypick.api.survey(bpy.context, visibility="render")
    assert kept(shot) == before


def test_a_survey_of_renders_keeps_the_last_render(raypick, shot, tmp_path):
    shot.render.engine = "CYCLES"
    shot.cycles.samples, shot.cycles.use_denoising = 1, False
    bpy.ops.render.render()
    picture = bpy.data.images["Render Result"]
    picture.save_render(str(tmp_path / "before.png"))
    before = kept(shot)
    for _ in range(2):
        raypick.api.survey(bpy.context, visibility="render")
    picture.save_render(str(tmp_path / "after.png"))
    assert kept(shot) == before
    assert (tmp_path / "before.png").read_bytes() == (tmp_path / "after.png").read_bytes()
    assert len(picture.render_slots) <= 9


def test_a_stopped_survey_of_renders_has_what_is_done(raypick, shot):
    shot.render.resolution_x, shot.render.resolution_y = 512, 600
    told = []
    hits = raypick.api.survey(
        bpy.context, visibility="render", progress=lambda *done: told.append(done) or False
    )
    assert 0 < hits.done < hits.rays == 512 * 600
    assert len(told) == 1


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"visibility": "both"}, '"viewport" or "render"'),
        ({"visibility": None}, '"viewport" or "render"'),
        ({"selectable_only": True}, "selectable_only"),
        ({"camera": "Suzanne"}, "Suzanne is no camera"),
        ({"camera": "Nobody"}, "Nobody"),
        ({"samples": 0}, "samples must be"),
        ({"attributes": ["Nope"]}, "Nope"),
        ({"columns": ["nope"]}, "no column 'nope'"),
    ],
)
def test_what_cannot_be_surveyed_is_an_error(raypick, shot, given, why):
    before = kept(shot)
    with pytest.raises(raypick.api.RaypickError, match=why):
        raypick.api.survey(bpy.context, **{"visibility": "render", **given})
    assert kept(shot) == before
    assert raypick.api.survey(bpy.context, visibility="render").hit.any()


def test_an_error_of_a_callback_comes_through_a_render(raypick, shot):
    def fail(_done, _rays):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        raypick.api.survey(bpy.context, visibility="render", progress=fail)
    assert raypick.api.survey(bpy.context, visibility="render").hit.any()


def test_a_render_needs_a_camera_in_the_scene(raypick, shot):
    shot.camera = None
    with pytest.raises(raypick.api.RaypickError, match="the scene has no camera"):
        raypick.api.survey(bpy.context, "Camera", visibility="render")


@pytest.mark.parametrize(
    "when", ["render_init", "render_pre", "frame_change_post", "render_post", "render_complete"]
)
def test_a_survey_within_a_render_is_refused(raypick, shot, tmp_path, when):
    shot.render.engine, shot.frame_end = "CYCLES", 2
    shot.cycles.samples, shot.cycles.use_denoising = 1, False
    said = []

    def ask(*_):
        try:
            said.append(raypick.api.survey(bpy.context, visibility="render").hit.any())
        except raypick.api.RaypickError as error:
            said.append(str(error))

    def pictures(name):
        shot.render.filepath = str(tmp_path / name)
        bpy.ops.render.render(animation=True)
        for frame in 1, 2:
            image = bpy.data.images.load(str(tmp_path / f"{name}{frame:04d}.png"))
            yield image.pixels[:]

    expected = [*pictures("without")]
    handlers = getattr(bpy.app.handlers, when)
    handlers.append(ask)
    try:
        found = [*pictures("with")]
    finally:
        handlers.remove(ask)
    assert found == expected
    assert said[0] == "a render is going on: ask when it has ended"
    assert raypick.api.survey(bpy.context, visibility="render").hit.any()


def test_an_image_that_is_called_as_the_last_render_stays_as_it_is(raypick, shot):
    own = bpy.data.images.new("Render Result", 8, 8)
    before = kept(shot)
    raypick.api.survey(bpy.context, visibility="render")
    assert kept(shot) == before
    assert len(own.render_slots) == 0


def test_a_linked_scene_of_the_same_name_is_another_one(raypick, shot, tmp_path):
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    expected = raypick.api.survey(bpy.context, columns=COLUMNS, visibility="render")
    for obj in [*bpy.data.objects]:
        if obj.type == "MESH":
            bpy.data.objects.remove(obj)
    with bpy.data.libraries.load(path, link=True) as (_, linking):
        linking.scenes = [shot.name]
    (linked,) = linking.scenes
    assert linked.name == shot.name
    with bpy.context.temp_override(scene=linked, view_layer=linked.view_layers[0]):
        found = raypick.api.survey(bpy.context, columns=COLUMNS, visibility="render")
    assert all(np.array_equal(found[name], expected[name]) for name in ("face", "depth"))


def test_the_command_surveys_what_renders_show(raypick, shot, type_in, tmp_path):
    saved(tmp_path / "shot.blend")
    options = "survey", "--out", "s", "--passes", "id,face", "--visibility", "render"
    assert type_in(*options).code == 0
    expected = raypick.api.survey(bpy.context, columns=COLUMNS, visibility="render")
    found = arrays(tmp_path / "s/Camera_0001.npz")
    assert np.array_equal(found["face"], expected["face"])
    assert np.array_equal(found["object"], expected["object"])
    again = type_in(*options, "--resume")
    assert "1 were there already" in again.err
    other = type_in(*options[:-2], "--resume")
    assert "already" not in other.err
    assert type_in(*options, "--selectable-only").code == 2


def test_the_command_says_that_its_pictures_are_deprecated(raypick, shot, type_in):
    ran = type_in("survey", "--out", "s", "--format", "exr")
    assert ran.code == 0
    assert "--format exr is deprecated" in ran.err
    assert "-E RAYPICK" in ran.err
