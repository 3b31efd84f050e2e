# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender writes to OpenEXR MultiLayer is read bit by bit: codecs, layers, views, borders."""

import json

import bpy
import numpy as np
import pytest

from standalone_core import errors
from standalone_core.tables import list_renders, read_exr, read_render

WIDTH, HEIGHT = 20, 37
PASSES = {"Object": "X", "Instance": "XY", "Point": "XYZ", "Tangent": "XYZW"}
SAID = {
    "Object": ["object", "id", 1],
    "Instance": ["instance", "long", 2],
    "Point": ["point", "number", 3],
    "Tangent": ["attribute:Tangent", "number", 4],
}
HEADER = {
    "version": 1,
    "passes": SAID,
    "object_names": [f"{number} é球" for number in range(9)],
    "instance_numbers": [*range(9)],
    "instance_names": [*map(str, range(9))],
    "resolution": [WIDTH, HEIGHT],
}


class TinyEngine(bpy.types.RenderEngine):
    """Gives every pass random numbers, and remembers them."""

    bl_idname = "RAYPICK_TEST_TINY"
    bl_label = "Tiny"
    given: dict = {}  # noqa: RUF012
    header: dict = {}  # noqa: RUF012

    def update_render_passes(self, scene, layer):
        for name, letters in PASSES.items():
            self.register_pass(scene, layer, name, len(letters), letters, "VECTOR")

    def render(self, depsgraph):
        layer, render = depsgraph.view_layer_eval.name, depsgraph.scene.render
        views = [each.name for each in render.views if each.use] if render.use_multiview else [""]
        for name, letters in PASSES.items():
            self.add_pass(name, len(letters), letters, layer=layer)
        for view in views:
            size = self.resolution_x, self.resolution_y
            result = self.begin_result(0, 0, *size, layer=layer, view=view)
            for each in result.layers[0].passes:
                each.rect.foreach_set(self.numbers(each, layer, view, result).ravel())
            self.end_result(result)
            name = f"raypick/{layer}" + (f"/{view}" if view else "")
            self.get_result().stamp_data_add_field(name, json.dumps(self.header))

    def numbers(self, each, layer, view, result):
        """The numbers (H, W, k) of a pass."""
        rng, shape = (
            np.random.default_rng(len(self.given)),
            (result.resolution_y, result.resolution_x),
        )
        numbers = rng.normal(size=(*shape, each.channels)).astype(np.float32)
        if each.name in ("Object", "Instance"):
            numbers = rng.integers(0, 10, numbers.shape).astype(np.float32)
            numbers[..., 1:] = 0
        if each.name in PASSES:
            self.given[layer, view or None, each.name] = numbers
        return numbers.reshape(-1, each.channels)


@pytest.fixture
def rendered(tmp_path):
    """Render the scene, with settings, and return the path of the file and what was given."""
    bpy.utils.register_class(TinyEngine)
    TinyEngine.given, TinyEngine.header = {}, HEADER
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    settings = scene.render
    settings.engine, settings.filepath = TinyEngine.bl_idname, str(tmp_path / "shot.exr")
    settings.resolution_x, settings.resolution_y = WIDTH, HEIGHT
    settings.resolution_percentage = 100
    file = settings.image_settings
    if hasattr(file, "media_type"):
        file.media_type = "MULTI_LAYER_IMAGE"
    file.file_format, file.color_depth, file.exr_codec = "OPEN_EXR_MULTILAYER", "32", "ZIP"

    def render(**more):
        for name, value in more.items():
            setattr(file if hasattr(file, name) else settings, name, value)
        bpy.ops.render.render(write_still=True)
        return tmp_path / "shot.exr", TinyEngine.given

    yield render
    bpy.utils.unregister_class(TinyEngine)


def check(path, given):
    """Compare a file with what Blender was given."""
    picture = read_exr(path)
    for (layer, view, name), numbers in given.items():
        for i, letter in enumerate(PASSES[name]):
            full = ".".join(filter(None, (layer, name, view, letter)))
            assert picture.channels[full].tobytes() == numbers[::-1, :, i].tobytes(), full
    assert sorted(list_renders(path)) == sorted({(layer, view) for layer, view, _ in given})
    for layer, view in list_renders(path):
        check_render(read_render(path, layer, view), given)


def check_render(shot, given):
    expected = {column: given[shot.layer, shot.view, name] for name, (column, *_) in SAID.items()}
    for column in ("point", "attribute:Tangent"):
        assert shot[column].tobytes() == expected[column].tobytes()
    for column in ("object", "instance"):
        assert np.array_equal(shot[column], expected[column][..., 0].astype(int) - 1)
    texts = [*HEADER["object_names"], ""]
    assert shot.names("object").tolist() == [[texts[n] for n in row] for row in shot["object"]]


@pytest.mark.parametrize("codec", ["NONE", "RLE", "ZIPS", "ZIP"])
@pytest.mark.parametrize("depth", ["16", "32"])
def test_codecs_without_loss_are_read(rendered, codec, depth):
    """Blender halves colors alone."""
    check(*rendered(exr_codec=codec, color_depth=depth))


@pytest.mark.parametrize("codec", ["PIZ", "PXR24", "DWAA"])
def test_other_codecs_are_refused(rendered, codec):
    path, _ = rendered(exr_codec=codec)
    with pytest.raises(errors.TableFileError, match=f"by {codec}: choose ZIP"):
        read_exr(path)


def test_layers_of_any_name_are_read(rendered):
    for name in ("Second/one", "Third.two", "é球"):
        bpy.context.scene.view_layers.new(name)
    path, given = rendered()
    assert len(list_renders(path)) == 4
    check(path, given)


def test_views_in_one_file_are_read(rendered):
    bpy.context.scene.view_layers.new("B/left")
    check(*rendered(use_multiview=True, views_format="MULTIVIEW"))


def test_each_of_individual_views_is_read_by_its_name(rendered):
    path, given = rendered(use_multiview=True, views_format="INDIVIDUAL")
    for view, ending in (("left", "_L"), ("right", "_R")):
        check_render(read_render(path.with_stem(path.stem + ending), view=view), given)


def test_a_border_is_misses_around_what_is_rendered(rendered):
    border = {"border_min_x": 0.2, "border_max_x": 0.7, "border_min_y": 0.1, "border_max_y": 0.8}
    TinyEngine.header = HEADER | {"border": [4, 3, 14, 29]}
    path, given = rendered(use_border=True, use_crop_to_border=False, **border)
    shot = read_render(path)
    inside = np.zeros((HEIGHT, WIDTH), bool)
    inside[3:29, 4:14] = True
    point = given["ViewLayer", None, "Point"]
    assert shot["point"][inside].tobytes() == point.reshape(-1, 3).tobytes()
    assert np.isnan(shot["point"][~inside]).all()
    assert (shot["object"][~inside] == -1).all()
    TinyEngine.header = HEADER | {"border": [4, 3, 14, 29], "cropped": True}
    check(*rendered(use_crop_to_border=True))


def test_a_file_that_blender_was_stopped_in_is_refused(rendered):
    path, _ = rendered()
    content = path.read_bytes()
    for size in range(0, len(content), len(content) // 40):
        path.write_bytes(content[:size])
        with pytest.raises(errors.TableFileError):
            list_renders(path)
