# SPDX-License-Identifier: GPL-3.0-or-later
"""Survey View without a window: its images, what they hold, and what it leaves alone."""

from importlib import import_module
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.recorder import Recorder, drawn

from ..scenes import collection_instance, link, square, suzanne
from ..test_registration import state_of_the_file

KINDS = {
    "OBJECT": "Object",
    "INSTANCE": "Instance",
    "MATERIAL": "Material",
    "FACE": "Face",
    "TRIANGLE": "Triangle",
    "ORIGINAL_FACE": "Original Face",
    "SIDE": "Side Hit",
    "DEPTH": "Depth",
    "DISTANCE": "Distance",
    "UV": "UV",
    "BARYCENTRIC": "Barycentric Weights",
    "NORMAL": "Normal",
    "SMOOTH_NORMAL": "Shading Normal",
}


def add_camera(location=(1.5, -3.0, 4.0), at=(0, 0, 0), size=(64, 40)):
    """The scene's camera, with shift, and the size of its render."""
    camera = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    camera.location = location
    camera.rotation_euler = (Vector(at) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.shift_x, camera.data.shift_y = 0.1, -0.05
    bpy.context.scene.camera = camera
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y = size
    bpy.context.view_layer.update()
    return camera


@pytest.fixture
def scene(raypick):
    """Suzanne over a floor, with an instance beside her, seen by a camera."""
    import_module(f"{raypick.__name__}.session.current").include_all()
    floor = square("Floor", z=-1.0, size=3.0)
    floor.data.materials.append(bpy.data.materials.new("Wood"))
    collection_instance(square("Tile"), (-1.5, -1.0, 0.3))
    monkey = suzanne()
    monkey.data.materials.append(bpy.data.materials.new("Fur"))
    monkey.data.polygons.foreach_set("use_smooth", [True] * len(monkey.data.polygons))
    add_camera()
    return monkey


def survey(kind, **options):
    """Make the image of a kind through the camera; return it with its pixels (H, W, 4)."""
    assert bpy.ops.raypick.survey_view(source="CAMERA", kind=kind, **options) == {"FINISHED"}
    image = bpy.data.images[f"Raypick Survey: {KINDS[kind]}"]
    return image, pixels_of(image)


def pixels_of(image):
    values = np.empty(image.size[0] * image.size[1] * 4, dtype=np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(image.size[1], image.size[0], 4)


def model(raypick, name):
    return import_module(f"{raypick.__name__}.model.{name}")


@pytest.mark.parametrize("kind", KINDS)
def test_the_image_shows_what_a_survey_finds_at_each_pixel(raypick, scene, kind):
    columns = {"BARYCENTRIC": "barycentric", "SIDE": "front"}
    column = columns.get(kind, kind.lower())
    shot = raypick.api.survey(bpy.context, columns=[column])
    image, pixels = survey(kind)
    assert tuple(image.size) == (64, 40)
    assert ((pixels[..., 3] == 1.0) == shot.hit).all()
    assert 0.2 < shot.hit.mean() < 0.95
    assert (pixels[~shot.hit] == 0.0).all()
    values = shot[column]
    for y, x in zip(*np.nonzero(shot.hit), strict=True):
        other = values[shot.hit]
        same = np.isclose(pixels[shot.hit], pixels[y, x], rtol=0, atol=1e-5).all(axis=-1)
        matches = np.isclose(other, values[y, x], rtol=0, atol=1e-7)
        matches = matches if matches.ndim == 1 else matches.all(axis=-1)
        assert same[matches].all()


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"SIDE", "DEPTH", "DISTANCE"}))
def test_ids_have_their_false_colors_and_other_values_stand_in_the_image(raypick, scene, kind):
    column = kind.lower()
    values = raypick.api.survey(bpy.context, columns=[column])[column]
    is_id = values.dtype == np.int32
    known = values >= 0 if is_id else np.isfinite(values).all(axis=-1)
    assert known.any()
    pixels, values = survey(kind)[1][known], values[known]
    if is_id:
        colors = model(raypick, "survey_colors")
        shown, expected = colors.to_srgb(pixels[:, :3]), colors.false_colors(values)
    else:
        shown = pixels[:, : values.shape[1]]
        expected = (values + 1.0) / 2.0 if "NORMAL" in kind else values
    assert shown == pytest.approx(expected, abs=1e-4)


def test_what_the_image_shows_is_what_blender_hits_there(raypick, scene, rng):
    """Blender's own ray cast decides, at random pixels whose rays are Blender's own too."""
    false_colors = model(raypick, "survey_colors").false_colors
    encode = model(raypick, "landmark_files.format").to_screen
    images = {kind: survey(kind)[1] for kind in ("FACE", "OBJECT", "DISTANCE", "NORMAL", "DEPTH")}
    about = {kind: bpy.data.images[f"Raypick Survey: {KINDS[kind]}"] for kind in images}
    depsgraph = bpy.context.evaluated_depsgraph_get()
    camera = bpy.context.scene.camera
    names = sorted(obj.name for obj in bpy.data.objects)
    to_clip = camera.calc_matrix_camera(depsgraph, x=64, y=40)
    seen = 0
    for x, y in rng.integers(0, (64, 40), (300, 2)).tolist():
        at = Vector(((x + 0.5) / 32 - 1, (y + 0.5) / 20 - 1, 0.5, 1.0))
        there = to_clip.inverted() @ at
        direction = camera.matrix_world.to_3x3() @ (there.xyz / there.w)
        origin = camera.matrix_world.translation
        hit, point, normal, face, obj, _ = bpy.context.scene.ray_cast(
            depsgraph, origin, direction.normalized()
        )
        if not hit:
            assert images["FACE"][y, x, 3] == 0.0
            continue
        seen += 1
        shown = {kind: pixels[y, x, :3] for kind, pixels in images.items()}
        assert encode(shown["FACE"]) == pytest.approx(false_colors(face), abs=1e-4)
        name = "Tile" if obj.type == "EMPTY" else obj.name
        assert encode(shown["OBJECT"]) == pytest.approx(false_colors(names.index(name)), abs=1e-4)
        assert shown["NORMAL"] == pytest.approx([(part + 1) / 2 for part in normal], abs=1e-3)
        ahead = -(camera.matrix_world.inverted() @ point).z
        for kind, value in (("DISTANCE", (point - origin).length), ("DEPTH", ahead)):
            made = about[kind]["raypick_survey"]
            span = made["white"] - made["black"]
            assert made["black"] + shown[kind][0] * span == pytest.approx(value, abs=1e-4)
    assert seen > 50


def test_the_image_is_data_of_full_precision_and_is_saved_with_the_file(scene, tmp_path):
    image, before = survey("NORMAL")
    assert image.is_float
    assert image.colorspace_settings.is_data
    assert image.packed_file
    assert image.use_fake_user
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    image = bpy.data.images["Raypick Survey: Normal"]
    assert (pixels_of(image) == before).all()
    assert image.colorspace_settings.is_data


def test_the_next_survey_takes_the_place_of_the_last(scene):
    image, _ = survey("FACE")
    user = bpy.data.textures.new("Texture", "IMAGE")
    user.image = image
    bpy.context.scene.render.resolution_x = 30
    image, pixels = survey("FACE")
    survey("OBJECT")
    assert pixels.shape == (40, 30, 4)
    assert user.image == image
    assert [each.name for each in bpy.data.images] == [
        "Raypick Survey: Face",
        "Raypick Survey: Object",
    ]


def test_an_image_that_the_user_has_renamed_or_made_is_left_alone(scene):
    image, _ = survey("FACE")
    image.name = "Mine"
    own = bpy.data.images.new("Raypick Survey: Object", 4, 4)
    survey("FACE")
    bpy.ops.raypick.survey_view(source="CAMERA", kind="OBJECT")
    names = [each.name for each in bpy.data.images]
    assert {"Mine", "Raypick Survey: Face", "Raypick Survey: Object"} < set(names)
    assert tuple(own.size) == (4, 4)


def test_an_object_and_a_material_keep_their_color_where_others_are_hidden(raypick, scene):
    floor = bpy.data.objects["Floor"]
    images = {kind: survey(kind)[1] for kind in ("OBJECT", "MATERIAL")}
    floor.hide_set(True)
    bpy.data.objects["Camera"].location.x += 0.2
    for kind, whole in images.items():
        _, without = survey(kind)
        colors = np.unique(without.reshape(-1, 4), axis=0).tolist()
        assert len(colors) > 1
        known = np.unique(whole.reshape(-1, 4), axis=0).tolist()
        assert all(color in known for color in colors)
        assert len(colors) < len(known)


def test_nothing_else_changes(scene):
    before = state_of_the_file()
    survey("UV")
    after = state_of_the_file()
    assert after["data"].pop("images") == ["Raypick Survey: UV"]
    before["data"].pop("images")
    assert {**after, "dirty": None} == {**before, "dirty": None}


def test_what_is_excluded_or_does_not_count_is_not_seen(raypick, scene):
    current = import_module(f"{raypick.__name__}.session.current")
    _, whole = survey("OBJECT")
    current.exclude(scene)
    _, without = survey("OBJECT")
    current.include_all()
    assert 0 < (without[..., 3] == 1).sum() < (whole[..., 3] == 1).sum()
    for change, option in (
        ("hide_select", {"selectable_only": True}),
        ("display_type", {"solid_only": True}),
    ):
        before = getattr(scene, change)
        setattr(scene, change, "WIRE" if change == "display_type" else True)
        _, pixels = survey("OBJECT", **option)
        assert (pixels[..., 3] == without[..., 3]).all(), change
        setattr(scene, change, before)
    _, near = survey("OBJECT", max_distance=0.5)
    assert not near.any()


def test_options_are_the_users_unless_a_caller_sets_them(raypick, scene):
    options = bpy.context.preferences.addons[raypick.__name__].preferences.options
    options.cull = "FRONT"
    try:
        _, pixels = survey("SIDE")
        assert not (pixels[..., 2] > pixels[..., 0]).any()
        _, pixels = survey("SIDE", cull="NONE")
        assert (pixels[..., 2] > pixels[..., 0]).any()
    finally:
        options.property_unset("cull")


def test_without_a_camera_or_a_viewport_it_says_so_and_makes_nothing(raypick):
    square()
    for source, why in (("CAMERA", "The scene has no camera"), ("VIEW", "There is no 3D viewport")):
        with pytest.raises(RuntimeError, match=why) as told:
            bpy.ops.raypick.survey_view(source=source)
        assert "Traceback" not in str(told.value)
    camera = add_camera()
    camera.data.type = "PANO"
    with pytest.raises(RuntimeError, match="panoramic"):
        bpy.ops.raypick.survey_view(source="CAMERA")
    assert not bpy.data.images


def test_a_view_of_nothing_is_a_transparent_image(raypick):
    add_camera()
    _, pixels = survey("DEPTH")
    assert pixels.shape == (40, 64, 4)
    assert not pixels.any()


@pytest.fixture
def begun(raypick, scene):
    """A survey of faces in a few steps, of which the first is done."""
    bpy.context.scene.render.resolution_x, bpy.context.scene.render.resolution_y = 100, 60
    session = import_module(f"{raypick.__name__}.session.survey")
    options = import_module(f"{raypick.__name__}.bridge.query_options").QueryOptions()
    made = session.Survey(bpy.context, "FACE", True, options)
    assert made.share == 0.0
    assert made.step()
    assert 0.1 < made.share < 0.9
    return made


def test_what_is_done_of_a_stopped_survey_is_the_lower_part_of_it(raypick, begun):
    done = round(begun.share * 60)
    image = begun.image()
    part, about = pixels_of(image), image["raypick_survey"].to_dict()
    _, whole = survey("FACE")
    assert part[:done].any()
    assert (part[:done] == whole[:done]).all()
    assert not part[done:].any()
    assert whole[done:].any()
    assert (about["done"], about["pixels"]) == (done * 100, 60 * 100)


def test_where_the_scene_changes_in_between_what_was_done_stays(raypick, scene, begun):
    before = pixels_of(begun.image())
    share = begun.share
    scene.location.x += 1.0
    bpy.context.view_layer.update()
    changed = import_module(f"{raypick.__name__}.bridge.query").SceneChangedError
    with pytest.raises(changed):
        begun.step()
    assert begun.share == share
    assert (pixels_of(begun.image()) == before).all()


def test_the_menus_offer_every_kind_through_the_viewport_and_the_camera(raypick):
    menus = import_module(f"{raypick.__name__}.ui.menus")
    view, camera = Recorder(), Recorder()
    menus.RAYPICK_MT_survey.draw(SimpleNamespace(layout=view), bpy.context)
    menus.RAYPICK_MT_camera_survey.draw(SimpleNamespace(layout=camera), bpy.context)
    for layout, source in ((view, "VIEW"), (camera, "CAMERA")):
        assert {button.kind: button.label for button in layout.buttons} == KINDS
        assert {(button.name, button.source) for button in layout.buttons} == {
            ("raypick.survey_view", source)
        }
    assert view.menus == ["RAYPICK_MT_camera_survey"]
    assert [*KINDS] == [*import_module(f"{raypick.__name__}.bridge.batch.columns").IMAGES]


def test_tooltips_say_what_an_image_shows(raypick):
    operator = import_module(f"{raypick.__name__}.operators.survey_view").RAYPICK_OT_survey_view
    about = operator.description(bpy.context, SimpleNamespace(kind="UV"))
    assert about.startswith("The active UV map as red and green")
    assert "Esc stops, and keeps what is done" in about


def test_the_panel_starts_a_survey_or_shows_how_much_of_it_is_done(raypick, begun):
    panels = import_module(f"{raypick.__name__}.ui").PANELS
    session = import_module(f"{raypick.__name__}.session.survey")
    idle = drawn(panels, bpy.context)
    assert "RAYPICK_MT_pick" in idle.menus
    assert "raypick.stop_survey" not in [button.name for button in idle.buttons]
    session.running = begun
    try:
        running = drawn(panels, bpy.context)
        assert f"Face {begun.share:.0%}" in running.labels
        assert "raypick.stop_survey" in [button.name for button in running.buttons]
    finally:
        session.running = None
    assert not bpy.ops.raypick.stop_survey.poll()
