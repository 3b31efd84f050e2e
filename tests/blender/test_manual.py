# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of the manual run as they stand there, and do what is said about them."""

import ast
import contextlib
import io
import json
import re
import sys
from importlib import import_module
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from checkout import ROOT

from .heads import animate, copy_of
from .scenes import down, mesh_object, suzanne


def blocks(language, page="docs/manual.md"):
    """The examples in a language, in their order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def head(raypick):
    """A head with the names of the examples, and another of the same topology beside it."""
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    obj = suzanne()
    bpy.ops.object.modifier_add(type="TRIANGULATE")
    bpy.ops.object.modifier_apply(modifier=obj.modifiers[0].name)
    obj.name = "Head"
    obj.shape_key_add(name="Basis")
    smile = obj.shape_key_add(name="Smile")
    for point in smile.data:
        point.co.x *= 1.0 + 0.2 * point.co.z
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    rig.pose.bones[0].rotation_mode = "XYZ"
    obj.vertex_groups.new(name="Bone").add(range(len(obj.data.vertices)), 1.0, "REPLACE")
    animate(obj)
    bpy.context.scene.frame_set(1)
    copy_of(obj, "Other").location.x = 5.0
    bpy.context.view_layer.update()
    return obj


def test_the_examples_in_python_do_what_they_say(raypick, head, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, embedding, landmarks, measures, *_ = blocks("python")
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(landmarks, names)
        exec(measures, names)
    assert names["now"].shape == (2, 3)
    assert names["track"].shape == (24, 2, 3)
    assert np.isfinite(names["track"]).all()
    assert np.ptp(names["track"], axis=0).max() > 0.1  # it moves
    assert len(names["empties"]) == 2
    assert [line.split("\t")[1] for line in names["table"].splitlines()[1:]] == [
        *("nasion", "gnathion")
    ]
    api = raypick.api
    semi = [each.name for each in api.landmarks.of("Head", "Semilandmarks")]
    assert semi == [f"semi.{i + 1:03d}" for i in range(int(names["hits"].hit.sum()))]
    assert api.landmarks.remove("Head", set="Semilandmarks") == len(semi) > 100
    assert [each.set for each in api.landmarks.of("Other")] == ["Face", "Face", "Read", "Read"]
    assert api.landmarks.transfer(bpy.context, "Head", "Other") == {
        "nasion": None,
        "gnathion": None,
    }
    straight, along, clear = api.measures.values(bpy.context, head)
    assert straight.value == pytest.approx(float(np.linalg.norm(np.diff(names["now"], axis=0))))
    assert along.exact
    assert along.value > straight.value
    assert clear.value > 1.0
    assert "Face Height" in printed.getvalue()
    assert "Face Height" in (tmp_path / "face.csv").read_text(encoding="utf-8")

    bpy.context.scene.frame_set(12)
    shape = head.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    local = np.array([vertex.co for vertex in shape.vertices])
    matrix = np.array(head.matrix_world)
    names["vertices"] = local @ matrix[:3, :3].T + matrix[:3, 3]
    names["faces"] = np.array([[*face.vertices] for face in shape.polygons])
    exec(embedding, names)
    assert names["points"] == pytest.approx(names["track"][11], abs=1e-6)


def test_the_example_of_original_faces_numbers_them(raypick, head):
    (modifier,) = [each for each in head.modifiers if each.type == "ARMATURE"]
    head.modifiers.remove(modifier)
    head.modifiers.new("Welded", "WELD").merge_threshold = 0.0
    bpy.context.view_layer.objects.active = head
    (hit,) = down(raypick, 0.3, 0.1)[:1]
    assert hit.original_face is None
    exec(blocks("python")[0], {})
    (hit,) = down(raypick, 0.3, 0.1)[:1]
    assert hit.original_face == hit.face


def test_the_example_of_single_rays_finds_the_same_place_again_and_keeps_a_pick(raypick):
    suzanne()
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(blocks("python")[-1], names)
    assert names["again"].point == pytest.approx(names["hit"].point, abs=1e-6)
    current = import_module(f"{raypick.__name__}.session.current")
    assert current.kept().hits[0].face == names["hit"].face


def test_the_template_is_one(raypick):
    template = import_module(f"{raypick.__name__}.model.landmarks.template")
    found = template.from_json(blocks("json")[0].encode())
    assert found.name == "Face"
    assert [*found.notes][1:3] == ["nasion", "pronasale"]
    assert found.notes["nasion"]
    assert found.notes["pronasale"] == ""


def test_the_stored_text_is_read_and_its_place_is_the_sum_that_is_named(raypick, head):
    text = blocks("json")[1]
    head["raypick_landmarks"] = text
    document = import_module(f"{raypick.__name__}.model.landmarks.document")
    (landmark,) = document.Document.from_text(text).landmarks
    assert document.Document.from_text(text).lost == 0
    anchor = json.loads(text)["sets"][0]["landmarks"][0]["anchor"]
    assert landmark.anchor.vertices == tuple(anchor["vertices"])
    bpy.ops.mesh.primitive_monkey_add()
    mesh = bpy.context.object.data
    assert sorted(anchor["vertices"]) == sorted(
        mesh.polygons[anchor["face"]].vertices[corner] for corner in anchor["corners"]
    )
    place = sum(
        np.array(mesh.vertices[vertex].co) * weight
        for vertex, weight in zip(anchor["vertices"], anchor["barycentric"], strict=True)
    )
    assert place == pytest.approx(landmark.point, abs=0.01)


@pytest.fixture
def shot(raypick):
    """A head before the scene's camera, in a small picture."""
    suzanne()
    bpy.ops.object.camera_add(location=(0, -6, 0), rotation=(np.pi / 2, 0, 0))
    scene = bpy.context.scene
    scene.camera = bpy.context.object
    scene.render.resolution_x, scene.render.resolution_y = 40, 30
    bpy.context.view_layer.update()


def test_the_examples_of_survey_view_do_what_they_say(raypick, shot):
    *_, depth, faces, _ = blocks("python")
    names = {"bpy": bpy}
    exec(faces, names)
    assert tuple(names["image"].size) == (40, 30)
    bpy.ops.raypick.survey_view(source="CAMERA", kind="DEPTH")
    image = bpy.data.images["Raypick Survey: Depth"]
    pixels = np.array(image.pixels).reshape(30, 40, 4)
    given = {"image": image, "pixels": pixels}
    exec(depth, given)
    seen = raypick.api.survey(bpy.context, columns=["depth"])
    shown = seen.hit
    assert given["depth"][shown] == pytest.approx(seen["depth"][shown], abs=1e-5)


def test_the_example_of_the_readme_does_what_it_says(raypick, shot):
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(blocks("python", "README.md")[0], names)
    assert printed.getvalue().startswith("Suzanne ")
    assert names["hits"] == []  # the pixel is beside this small picture
    assert set(np.unique(names["faces"] >= 0)) == {False, True}


def examples_of_pipelines():
    """The examples of Python, by a word that they alone have."""
    every = blocks("python", "docs/pipelines.md")
    words = "linspace", "use_pass_uv", "view_matrix", "mask", "texture", "unlink", "Terrain"
    return {word: next(each for each in every if word in each) for word in words}


def test_the_example_of_many_rays_does_what_it_says(raypick, shot):
    names = {}
    exec(examples_of_pipelines()["linspace"], names)
    assert names["hits"]["face"].shape == (400, 400)
    assert set(np.unique(names["hits"].names("object"))) == {"", "Suzanne"}
    assert names["shot"]["depth"].shape == (30, 40)


def test_the_example_of_a_terrain_returns_the_heights_of_its_nodes(raypick, rng):
    heights = rng.normal(100, 30, 20)
    nodes = [(i % 5 * 0.1, i // 5 * 0.1, z) for i, z in enumerate(heights.tolist())]
    faces = [(i, i + 1, i + 6, i + 5) for i in range(15) if i % 5 < 4]
    terrain = mesh_object("Terrain", nodes, faces)
    terrain.location = 500000.3, 4649776.7, 0
    bpy.context.view_layer.update()
    names = {"bpy": bpy, "np": np, "api": raypick.api}
    exec(examples_of_pipelines()["Terrain"], names)
    assert names["heights"].tolist() == heights.astype(np.float32).tolist()
    terrain.rotation_euler, terrain.scale = (0.3, 0.2, 0.1), (1.7, 1.7, 1.7)
    bpy.context.view_layer.update()
    names["own"] = names["nodes"] - np.array(terrain.matrix_world.translation, np.float64)
    mesh = raypick.api.core_scene(bpy.context, only="Terrain")[0].mesh
    hits = mesh.cast_rays(names["own"] + (0, 0, 1000.0), (0, 0, -1), border="closed")
    assert hits.point[:, 2].tolist() == names["own"][:, 2].tolist()


class PillowImage:
    """What the examples need of Pillow, which Blender's Python lacks; files are NumPy's."""

    def __init__(self, pixels):
        self._pixels = pixels

    @classmethod
    def fromarray(cls, pixels):
        return cls(pixels)

    @classmethod
    def open(cls, path):
        return cls(np.load(f"{path}.npy"))

    def save(self, path):
        np.save(f"{path}.npy", self._pixels)

    def convert(self, _mode):
        return self

    def __array__(self, dtype=None, copy=None):
        return self._pixels.astype(dtype)


@pytest.fixture
def rendered(shot, tmp_path, monkeypatch):
    """What the engine renders of the head, called Head, and a photo that is red at the top."""
    bpy.data.objects["Suzanne"].name = "Head"
    use = bpy.context.view_layer.raypick
    use.use_pass_uv = use.use_pass_front = True
    render = bpy.context.scene.render
    render.engine, render.filepath = "RAYPICK", str(tmp_path / "ids/0001")
    bpy.ops.raypick.use_multilayer()
    bpy.ops.render.render(write_still=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "PIL", SimpleNamespace(Image=PillowImage))
    photo = np.zeros((30, 40, 3), np.uint8)
    photo[:15, :, 0] = photo[15:, :, 2] = 200
    np.save("photo.png.npy", photo)
    return tmp_path


def test_the_example_of_a_render_does_what_it_says(raypick, rendered):
    names, code = {}, examples_of_pipelines()["view_matrix"]
    assert "[540, 960]" in code
    exec(code.replace("[540, 960]", "[15, 20]"), names)
    seen = raypick.api.survey(bpy.context, columns=["object", "face", "depth"])
    assert np.array_equal(names["shot"]["face"], seen["face"])
    assert np.array_equal(names["shot"].names("object"), seen.names("object"))


def test_the_example_of_masks_does_what_it_says(raypick, rendered, capsys):
    exec(examples_of_pipelines()["mask"], {})
    mask, depth = (np.load(f"ids/0001.{name}.npy") for name in ("mask.png", "depth"))
    seen = raypick.api.survey(bpy.context, columns=["object", "depth"])
    names = ast.literal_eval(capsys.readouterr().out)
    number = next(number for number, name in names.items() if name == "Head")
    assert np.array_equal(mask == number, seen.names("object")[::-1] == "Head")
    assert np.array_equal(depth, seen["depth"][::-1].astype(np.float32))


def test_the_example_of_passes_does_what_it_says(raypick, shot):
    bpy.data.objects["Suzanne"].data.uv_layers.new(name="Atlas")
    exec(examples_of_pipelines()["use_pass_uv"], {})
    layer = bpy.context.view_layer.raypick
    assert layer.use_pass_uv
    assert layer.use_pass_front
    assert not layer.use_pass_normal
    assert [(each.name, each.type) for each in layer.attributes] == [("Atlas", "VECTOR_2D")]


def test_the_example_of_killed_tasks_removes_what_is_not_whole(raypick, rendered, capsys):
    whole = (rendered / "ids/0001.exr").read_bytes()
    for frame, size in enumerate((len(whole) - 1, len(whole) // 2, 300, 0), 2):
        (rendered / f"ids/{frame:04d}.exr").write_bytes(whole[:size])
    exec(examples_of_pipelines()["unlink"], {})
    assert [each.name for each in (rendered / "ids").iterdir()] == ["0001.exr"]
    assert capsys.readouterr().out.count("\n") == 4


def test_the_example_of_a_texture_does_what_it_says(raypick, rendered):
    exec(examples_of_pipelines()["texture"], {})
    texture = np.load("texture.png.npy")[::-1]
    seen = raypick.api.survey(bpy.context, columns=["object", "uv", "front"])
    painted = 0
    for y, x in np.argwhere(seen.hit & seen["front"]).tolist():
        column, row = (seen["uv"][y, x] * 1024).astype(int).clip(0, 1023)
        color = texture[row, column].tolist()
        assert color in ([200, 0, 0] if y >= 15 else [0, 0, 200], [100, 0, 100])
        painted += 1
    assert painted > 100
