# SPDX-License-Identifier: GPL-3.0-or-later
"""Surveys of pictures with a border, against the pictures that Blender itself renders."""

import contextlib
import importlib

import bpy
import numpy as np
import pytest

from tests.blender.scenes import link, square


@pytest.fixture
def api(raypick):
    return raypick.api


@pytest.fixture
def render():
    """Render settings of a scene in which a floor of one color a place is all that there is."""
    floor = square("Floor", 0.0, 100.0)
    floor.location = -50, -50, 0
    material = bpy.data.materials.new("Places")
    if material.node_tree is None:  # before Blender 5.0
        material.use_nodes = True
    nodes, connect = material.node_tree.nodes, material.node_tree.links.new
    nodes.clear()
    place, light = nodes.new("ShaderNodeNewGeometry"), nodes.new("ShaderNodeEmission")
    connect(place.outputs["Position"], light.inputs["Color"])
    connect(light.outputs[0], nodes.new("ShaderNodeOutputMaterial").inputs["Surface"])
    floor.data.materials.append(material)
    scene = bpy.context.scene
    scene.camera = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    scene.camera.location = 20, 20, 5  # where no place is black
    scene.render.engine, scene.render.film_transparent = "CYCLES", True
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BOX", 0.01
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_mode = "RGBA"
    scene.render.image_settings.color_depth = "32"
    return scene.render


def rendered(tmp_path):
    """The places (H, W, 2) in Blender's own picture, the bottom row first; NaN where nothing is.

    None where Blender makes no picture.
    """
    path = tmp_path / "picture.exr"
    bpy.context.scene.render.filepath = str(path)
    with contextlib.suppress(RuntimeError):
        bpy.ops.render.render(write_still=True)
    if not path.exists():
        return None
    image = bpy.data.images.load(str(path))
    pixels = np.empty(len(image.pixels), dtype=np.float32)
    image.pixels.foreach_get(pixels)
    pixels = pixels.reshape(*reversed(tuple(image.size)), 4)
    bpy.data.images.remove(image)
    path.unlink()
    return np.where(pixels[..., 3:] > 0, pixels[..., :2], np.nan)


def set_border(render, left, right, bottom, top):
    render.use_border = True
    render.border_min_x, render.border_max_x = 0.0, right
    render.border_min_y, render.border_max_y = 0.0, top
    render.border_min_x, render.border_min_y = left, bottom


def borders(rng, size):
    """Two ends of a border at any place, at the edge of a pixel, or at a decimal fraction."""
    fine = (rng.integers(0, 1 << 20), rng.integers(0, 1 << 20)), 1 << 20
    edges = rng.integers(0, size + 1, 2), size
    tenths = rng.integers(0, 11, 2), 10
    ends, count = (fine, edges, tenths)[rng.integers(3)]
    return sorted(float(end) / count for end in ends)


@pytest.mark.parametrize("is_cropped", [False, True], ids=["whole", "cropped"])
def test_the_pixels_are_those_of_the_picture_that_blender_writes(
    api, render, tmp_path, rng, is_cropped
):
    compared = 0
    while compared < 12:
        render.resolution_x, render.resolution_y = rng.integers(5, 40, 2).tolist()
        render.resolution_percentage = [100, 50, 77, 130][rng.integers(4)]
        render.pixel_aspect_x = [1.0, 1.5][rng.integers(2)]
        render.use_crop_to_border = is_cropped
        width, height = (
            size * render.resolution_percentage // 100
            for size in (render.resolution_x, render.resolution_y)
        )
        set_border(render, *borders(rng, width), *borders(rng, height))
        expected = rendered(tmp_path)
        if expected is None:
            with pytest.raises(api.RaypickError, match="no pixels: its border is"):
                api.survey(bpy.context)
            continue
        found = api.survey(bpy.context, columns=["point"])
        assert found.shape == expected.shape[:2]
        assert np.array_equal(found.hit, np.isfinite(expected[..., 0]))
        assert found["point"][..., :2] == pytest.approx(expected, abs=1e-3, nan_ok=True)
        compared += 1


def test_a_crop_without_a_border_is_the_whole_picture(api, render, tmp_path):
    render.resolution_x, render.resolution_y = 12, 9
    set_border(render, 0.2, 0.7, 0.2, 0.7)
    render.use_border, render.use_crop_to_border = False, True
    assert api.survey(bpy.context).shape == rendered(tmp_path).shape[:2] == (9, 12)


def test_a_cropped_picture_is_cut_out_of_the_whole(api, render):
    render.resolution_x, render.resolution_y = 33, 21
    columns = ["face", "point", "barycentric", "depth"]
    whole = api.survey(bpy.context, samples=2, columns=columns)
    set_border(render, 0.21, 0.8, 0.1, 0.73)
    outside = api.survey(bpy.context, samples=2, columns=columns)
    render.use_crop_to_border = True
    cropped = api.survey(bpy.context, samples=2, columns=columns)
    part = slice(2, 15), slice(6, 26)
    assert cropped.shape == (13, 20, 4)
    assert outside.hit.sum() == cropped.hit.sum() == cropped.hit.size
    for name in columns:
        assert np.array_equal(outside[name][part], whole[name][part])
        assert np.allclose(cropped[name], whole[name][part], rtol=1e-12, atol=1e-12)
    assert (outside["depth"][~outside.hit] == np.inf).all()
    assert (outside["face"][~outside.hit] == -1).all()


def test_the_camera_of_a_cropped_render_has_its_pixels(api, render, rng):
    render.resolution_x, render.resolution_y = 33, 21
    bpy.context.scene.camera.data.shift_x = 0.1
    for kind in ("PERSP", "ORTHO"):
        bpy.context.scene.camera.data.type = kind
        render.use_border = False
        whole = api.render_camera(bpy.context)
        set_border(render, 0.21, 0.8, 0.1, 0.73)
        render.use_crop_to_border = True
        cropped = api.render_camera(bpy.context)
        assert (cropped.width, cropped.height) == (20, 13)
        for x, y in rng.uniform(0, 13, (10, 2)).tolist():
            here, there = cropped.ray(x, y), whole.ray(x + 6, y + 2)
            assert np.allclose(here.origin, there.origin, rtol=0, atol=1e-12)
            assert np.allclose(here.direction, there.direction, rtol=0, atol=1e-12)
        seen = api.survey(bpy.context, columns=["point"])
        ray = cropped.ray(3.5, 7.5)
        (hit,) = api.ray_cast(bpy.context, ray.origin, ray.direction)
        assert seen["point"][7, 3].tolist() == list(hit.point)


@pytest.mark.parametrize("chunk", [1, 7, 50])
def test_a_border_does_not_depend_on_chunks(api, raypick, render, monkeypatch, chunk):
    rays = importlib.import_module(f"{raypick.__name__}.bridge.batch.rays")
    render.resolution_x, render.resolution_y = 11, 7
    set_border(render, 0.3, 0.8, 0.2, 0.9)
    whole = api.survey(bpy.context, samples=2)
    assert 0 < whole.hit.mean() < 1
    monkeypatch.setattr(rays, "CHUNK", chunk)
    assert np.array_equal(api.survey(bpy.context, samples=2)["point"], whole["point"], True)


def test_a_camera_of_the_core_has_no_border(api, raypick, render):
    core = importlib.import_module(f"{raypick.__name__}.standalone_core")
    set_border(render, 0.4, 0.6, 0.4, 0.6)
    own = core.Camera.look_at((20, 20, 5), (20, 20, 0), 8, 6, 1.0, (0, 1, 0))
    assert api.survey(bpy.context, own).hit.all()


def test_the_image_of_a_survey_through_the_camera_is_cropped(api, render):
    render.resolution_x, render.resolution_y = 33, 21
    set_border(render, 0.21, 0.8, 0.1, 0.73)
    for is_cropped, size in ((False, (33, 21)), (True, (20, 13))):
        render.use_crop_to_border = is_cropped
        bpy.ops.raypick.survey_view(source="CAMERA", kind="FACE")
        image = bpy.data.images["Raypick Survey: Face"]
        assert tuple(image.size) == size
        assert np.count_nonzero(np.array(image.pixels)[3::4]) == 20 * 13
