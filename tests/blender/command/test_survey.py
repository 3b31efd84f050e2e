# SPDX-License-Identifier: GPL-3.0-or-later
"""``survey``: files of what cameras see, the same to the last bit as the API tells."""

import json
import os

import bpy
import numpy as np
import pytest

from tests.blender.command.conftest import arrays, camera, saved
from tests.blender.command.exr_reader import read
from tests.blender.scenes import mesh_object

PASSES = "id,face,weights,original,point,normal,smooth,uv,depth,distance,front,material,vertices"
COLUMNS = (
    *("object", "face", "triangle", "barycentric", "original_face", "point", "normal"),
    *("smooth_normal", "uv", "depth", "distance", "front", "material", "vertices"),
)


def survey(raypick, frame, **options):
    """What the API tells of a frame."""
    bpy.context.scene.frame_set(frame)
    return raypick.api.survey(bpy.context, "Camera", **options)


def check_instances(found, expected):
    """Check that numbers of instances in a file lead to what the API tells."""
    hit = expected.hit
    assert np.array_equal(found["instance"] >= 0, hit)
    rows = np.searchsorted(found["instance_numbers"], found["instance"][hit])
    assert np.array_equal(found["instance_numbers"][rows], found["instance"][hit])
    assert np.array_equal(found["instance_names"][rows], expected.names("instance")[hit])
    assert np.array_equal(found["instance_object"][rows], found["object"][hit])
    placed = expected.instances.matrix_world[expected["instance"][hit]]
    assert np.array_equal(found["instance_matrix_world"][rows], placed)


def test_each_frame_has_the_columns_of_the_api_to_the_bit(raypick, animated, type_in, tmp_path):
    ran = type_in("survey", "--frames", "1-10x4", "--passes", PASSES, "--out", "shots")
    assert (ran.code, ran.out) == (0, "")
    names = [f"Camera_{frame:04d}.npz" for frame in (1, 5, 9)]
    assert sorted(os.listdir(tmp_path / "shots")) == names
    seen = []
    for frame, name in zip((1, 5, 9), names, strict=True):
        found, expected = arrays(tmp_path / "shots" / name), survey(raypick, frame, columns=COLUMNS)
        for column in COLUMNS:
            assert found[column].dtype == expected[column].dtype
            assert found[column].tobytes() == expected[column].tobytes()
        assert found["object_names"].tolist() == list(expected.objects)
        assert found["material_names"].tolist() == list(expected.materials)
        check_instances(found, expected)
        assert {"Suzanne", "Points"} & set(found["object_names"][found["object"]].ravel())
        seen.append(found["face"])
    assert not np.array_equal(seen[0], seen[1])


def test_a_pixel_is_what_a_ray_through_its_center_hits(raypick, animated, type_in, tmp_path, rng):
    assert type_in("survey", "--frames", "5", "--passes", PASSES, "--out", "shots").code == 0
    found = arrays(tmp_path / "shots/Camera_0005.npz")
    bpy.context.scene.frame_set(5)
    seen, hit_at_all = raypick.api.render_camera(bpy.context), 0
    for _ in range(60):
        x, y = rng.integers(48), rng.integers(32)
        ray = seen.ray(x + 0.5, y + 0.5)
        hits = raypick.api.ray_cast(bpy.context, ray.origin, ray.direction)
        assert (found["face"][y, x] == -1) == (not hits)
        for hit in hits:
            hit_at_all += 1
            assert found["object_names"][found["object"][y, x]] == hit.object
            assert (found["face"][y, x], found["triangle"][y, x]) == (hit.face, hit.triangle)
            assert found["barycentric"][y, x].tolist() == list(hit.barycentric)
            assert found["point"][y, x].tolist() == list(hit.point)
    assert hit_at_all > 10


def test_a_picture_has_the_same_values_from_the_top(raypick, animated, type_in, tmp_path):
    options = "--frames", "5", "--passes", f"{PASSES},attribute:UVMap", "--out", "shots"
    assert type_in("survey", *options, "--format", "exr").code == 0
    channels, texts = read(tmp_path / "shots/Camera_0005.exr")
    meta = json.loads(texts["raypick"])
    expected = survey(raypick, 5, columns=COLUMNS, attributes=["UVMap"])
    assert type_in("survey", *options).code == 0
    table = arrays(tmp_path / "shots/Camera_0005.npz")
    for column in ("object", "material", "face", "triangle", "original_face"):
        channel = f"{column.removesuffix('_face')}.X"
        assert channels[channel].dtype == np.uint32
        assert np.array_equal(channels[channel][::-1].astype(int) - 1, expected[column])
    halves = [channels[f"instance.{each}"][::-1].astype(np.int64) for each in "XY"]
    assert np.array_equal(halves[0] + 2**24 * halves[1] - 1, table["instance"])
    assert max(half.max() for half in halves) < 2**24  # what single precision holds
    for letter, number in (("R", 0), ("G", 1), ("B", 2)):
        weights = expected["barycentric"][::-1, :, number].astype(np.float32)
        assert np.array_equal(channels[f"weights.{letter}"], weights, equal_nan=True)
    depth = expected["depth"][::-1].astype(np.float32)
    assert np.array_equal(channels["depth.Z"], depth)
    map_v = expected["attribute:UVMap"][::-1, :, 1].astype(np.float32)
    assert np.array_equal(channels["attribute_UVMap.Y"], map_v, equal_nan=True)
    assert np.array_equal(channels["front.X"][::-1], expected["front"])
    assert meta["row_order"] == "top row first"
    assert meta["object_names"] == list(expected.objects)
    for name in ("instance_numbers", "instance_names", "instance_object"):
        assert meta[name] == table[name].tolist()


def test_blender_reads_a_picture_of_everything(animated, type_in, tmp_path):
    """Three channels of a layer by names it does not know it would write beside its memory."""
    options = "--passes", f"{PASSES},attribute:UVMap,attribute:position", "--out", "shots"
    assert type_in("survey", *options, "--format", "exr").code == 0
    channels, _ = read(tmp_path / "shots/Camera_0001.exr")
    layers = {}
    for name in channels:
        layers.setdefault(name.rpartition(".")[0], set()).add(name.rpartition(".")[2])
    assert len(layers) == 17
    known = [{*"XYZ"}, {*"RGB"}, {*"XY"}, {*"UV"}, {"X"}, {"Z"}]
    assert all(letters in known for letters in layers.values())
    image = bpy.data.images.load(str(tmp_path / "shots/Camera_0001.exr"))
    _ = tuple(image.size)  # which has it read
    assert image.type == "MULTILAYER"


def test_samples_attributes_and_limits_are_those_of_the_api(raypick, animated, type_in, tmp_path):
    ran = type_in(
        *("survey", "--out", "s", "--samples", "2", "--attributes", "UVMap", "--cull", "front"),
        *("--exclude", "Points", "--max-distance", "7", "--original", "--passes", "face,depth"),
        *("--resolution-percentage", "50", "--no-clip", "--min-distance", "6", "--only", "Suzanne"),
    )
    assert ran.code == 0
    assert bpy.context.scene.render.resolution_percentage == 100
    bpy.context.scene.render.resolution_percentage = 50
    expected = survey(
        raypick,
        *(1,),
        samples=2,
        clip=False,
        columns=["face", "depth"],
        attributes=["UVMap"],
        cull="front",
        exclude=["Points"],
        only="Suzanne",
        max_distance=7.0,
        min_distance=6.0,
        evaluated=False,
    )
    assert 0 < expected.hit.mean() < 0.9
    found = arrays(tmp_path / "s/Camera_0001.npz")
    assert found["face"].shape == (16, 24, 4)
    for column in ("face", "depth", "attribute:UVMap"):
        assert found[column].tobytes() == expected[column].tobytes()


def test_cameras_whose_names_are_alike_have_files_of_their_own(raypick, type_in, tmp_path):
    names = ["Cam/1", "Cam_1", "cam_1", "Cam:1", "相机"]
    for number, name in enumerate(names):
        camera(name, (0, -5 - number, 0), resolution=(4, 3))
    saved(tmp_path / "cameras.blend")
    ran = type_in("survey", "--camera", ",".join(names), "--out", "shots", "--json")
    assert ran.code == 0
    made = ran.json["made"]
    assert len({each.casefold() for each in made}) == len(names)
    metas = [json.loads(str(arrays(tmp_path / each)["meta"])) for each in made]
    assert [meta["camera"] for meta in metas] == names


def test_the_camera_of_a_frame_is_that_which_a_marker_binds_to_it(raypick, type_in, tmp_path, rng):
    scene = bpy.context.scene
    cameras = [camera(name, (0, 6 * side, 0), (4, 4)) for name, side in (("A", -1), ("B", 1))]
    cameras.append(camera("Hidden", (6, 0, 0)))
    cameras[2].hide_render = True
    for frame in rng.permutation(np.arange(3, 30))[:12].tolist():
        marker = scene.timeline_markers.new("", frame=frame)
        marker.camera = ([*cameras, None])[rng.integers(4)]
    scene.camera = cameras[0]
    saved(tmp_path / "markers.blend")
    ran = type_in("survey", "--frames", "0-31", "--out", "s", "--json")
    made = {os.path.basename(path) for path in ran.json["made"]}
    assert bpy.context.scene.camera.name == "A"
    scene = bpy.context.scene
    wanted = set()
    for frame in range(32):
        scene.frame_set(frame)
        wanted.add(f"{scene.camera.name}_{frame:04d}.npz")
    assert made == wanted
    assert len({name[0] for name in made}) == 2


def test_an_attribute_that_no_shot_has_is_named_once(animated, type_in):
    options = "--frames", "1-3", "--attributes", "Cool,UVMap"
    ran = type_in("survey", "--out", "s", *options)
    assert ran.code == 0
    assert ran.err.count("nothing that was hit has an attribute 'Cool'") == 1
    assert "'UVMap'" not in ran.err


def test_a_comma_in_a_name_has_a_backslash_before_it(animated, type_in):
    camera("Left, upper")
    saved(animated)
    ran = type_in("survey", "--camera", r"Camera,Left\, upper", "--out", "s", "--json")
    assert len(ran.json["made"]) == 2


def test_the_longest_names_have_files(animated, type_in):
    name = "\U00020000" * 63
    camera("x").name = name
    saved(animated)
    (name,) = [obj.name for obj in bpy.data.objects if obj.name[0] == "\U00020000"]
    ran = type_in("survey", "--camera", name, "--out", "s", "--json")
    assert (ran.code, len(ran.json["made"])) == (0, 1)


def test_a_file_that_cannot_be_written_is_told_first_and_the_rest_is_made(
    animated, type_in, tmp_path
):
    (tmp_path / "s/Camera_0003.npz").mkdir(parents=True)
    ran = type_in("survey", "--frames", "1-3", "--out", "s", "--json")
    assert ran.code == 1
    assert [each["frame"] for each in ran.json["failed"]] == [3]
    assert len(ran.json["made"]) == 2
    assert "error: camera Camera, frame 3: " in ran.err.splitlines()[0]
    assert "Camera_0003.npz: Is a directory" in ran.err.splitlines()[0]


def test_attributes_whose_names_are_alike_have_layers_of_their_own(raypick, type_in, tmp_path):
    square = mesh_object("Square", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2, 3)])
    for name, value in (("A.b", 1.0), ("A_b", 2.0), ("A b", 3.0)):
        attribute = square.data.attributes.new(name, "FLOAT", "POINT")
        attribute.data.foreach_set("value", [value] * 4)
    camera(location=(0, 0.01, 6), resolution=(5, 5))
    saved(tmp_path / "square.blend")
    options = "--format", "exr", "--passes", "face", "--attributes", "A.b,A_b,A b"
    assert type_in("survey", "--out", "s", *options).code == 0
    channels, _ = read(tmp_path / "s/Camera_0001.exr")
    layers = [name for name in channels if name.startswith("attribute_")]
    assert sorted(channels[name][2, 2] for name in layers) == [1.0, 2.0, 3.0]
    assert channels["attribute_A_b.X"][2, 2] == 2.0


def test_a_shot_that_fails_is_named_and_the_rest_is_made(animated, type_in, tmp_path):
    camera("Panorama", (0, -5, 0)).data.type = "PANO"
    saved(animated)
    ran = type_in(
        "survey", "--camera", "Panorama,Camera", "--frames", "1,2", "--out", "s", "--json"
    )
    assert ran.code == 1
    assert [(each["camera"], each["frame"]) for each in ran.json["failed"]] == [
        ("Panorama", 1),
        ("Panorama", 2),
    ]
    assert "camera Panorama, frame 1: " in ran.err
    assert sorted(os.listdir(tmp_path / "s")) == ["Camera_0001.npz", "Camera_0002.npz"]


@pytest.mark.parametrize("is_cropped", [False, True])
def test_matrices_and_border_of_a_file_are_those_of_its_pixels(
    animated, type_in, tmp_path, is_cropped
):
    render = bpy.context.scene.render
    render.use_border, render.use_crop_to_border = True, is_cropped
    render.border_min_x, render.border_max_x, render.border_max_y = 0.26, 0.9, 0.8
    for form in ("npz", "exr"):
        command = "survey", "--passes", "point", "--out", "s", "--format", form
        assert type_in(*command).code == 0
    found = arrays(tmp_path / "s/Camera_0001.npz")
    height, width = found["point"].shape[:2]
    assert (width, height) == ((31, 25) if is_cropped else (48, 32))
    _, texts = read(tmp_path / "s/Camera_0001.exr")
    for meta in (json.loads(str(found["meta"])), json.loads(texts["raypick"])):
        assert (meta["resolution"], meta["border"]) == ([48, 32], [12, 0, 43, 25])
    y, x = np.nonzero(np.isfinite(found["point"][..., 0]))
    assert len(x) > 50
    seen = np.insert(found["point"][y, x], 3, 1.0, axis=-1)
    clip = seen @ (found["projection_matrix"] @ found["view_matrix"]).T
    places = (clip[:, :2] / clip[:, 3:] + 1) / 2 * (width, height)
    assert places == pytest.approx(np.stack([x, y], axis=-1) + 0.5, abs=1e-4)


def test_another_scene_and_view_layer_are_seen(raypick, animated, type_in, tmp_path):
    other = bpy.data.scenes.new("Other")
    other.render.resolution_x, other.render.resolution_y = 8, 6
    other.collection.objects.link(bpy.data.objects["Camera"])
    other.camera = bpy.data.objects["Camera"]
    other.collection.objects.link(bpy.data.objects["Suzanne"])
    layer = other.view_layers.new("Empty")
    layer.layer_collection.exclude = False
    hidden = bpy.data.collections.new("Hidden")
    other.collection.children.link(hidden)
    other.collection.objects.unlink(bpy.data.objects["Suzanne"])
    hidden.objects.link(bpy.data.objects["Suzanne"])
    layer.layer_collection.children["Hidden"].exclude = True
    saved(animated)
    assert type_in("survey", "--scene", "Other", "--out", "a").code == 0
    assert type_in("survey", "--scene", "Other", "--view-layer", "Empty", "--out", "b").code == 0
    one, two = (arrays(tmp_path / each / "Camera_0001.npz")["object"] for each in "ab")
    assert one.shape == (6, 8)
    assert (one >= 0).any()
    assert (two == -1).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--frames", "5-1"], "must not end before"),
        (["--passes", "depht"], "'depht'"),
        (["--samples", "0"], "--samples"),
        (["--samples", "65"], "from 1 to 64"),
        (["--resolution-percentage", "99999999999"], "from 1 to 32767"),
        (["--camera", ""], "a name is missing"),
        (["--camera", "Camera,"], "a name is missing"),
        (["--out", ""], "a folder has a name"),
        (["--json", "no/s.json"], "there is no folder no"),
        (["--samples", "2", "--format", "exr"], "--samples"),
        (["--format", "png"], "png"),
        (["--step", "x"], "--step"),
        (["--max-distance", "nan"], "--max-distance"),
        (["scene.blend"], "before --command"),
    ],
)
def test_wrong_usage_says_what_is_wrong(animated, type_in, options, said):
    ran = type_in("survey", "--out", "s", *options)
    assert ran.code == 2
    assert said in ran.err
    assert not os.path.exists("s")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--camera", "Nope"], "no camera 'Nope'"),
        (["--camera", "Suzanne"], "'Suzanne' is no camera"),
        (["--scene", "Nope"], "no scene 'Nope'"),
        (["--view-layer", "Nope"], "no view layer 'Nope'"),
        (["--exclude", "Nope"], "Nope"),
        (["--only", "Suzanne", "Nope"], "Nope"),
    ],
)
def test_what_the_file_has_not_fails_by_name(animated, type_in, options, said):
    ran = type_in("survey", "--out", "s", *options)
    assert ran.code == 1
    assert said in ran.err
    assert not os.path.exists("s")


def test_a_folder_that_is_a_file_fails_by_name(animated, type_in, tmp_path):
    (tmp_path / "s").write_text("")
    ran = type_in("survey", "--out", "s")
    assert ran.code == 1
    assert "s" in ran.err
