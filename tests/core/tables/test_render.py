# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the engine Raypick: columns and names, and headers that do not fit the pixels."""

import copy
import json
import struct

import numpy as np
import pytest

from standalone_core import errors
from standalone_core.tables import Render, list_renders, read_render, write_exr

from .exr_files import MANY_PARTS, Part, exr
from .test_hostile_tables import mutant

SHAPE = (5, 7)
LETTERS = {1: "X", 2: "XYZ", 3: "XYZ", 4: "XYZW"}  # Blender has no passes of two channels
HEADER = {
    "version": 1,
    "passes": {
        "Object": ["object", "id", 1],
        "Instance": ["instance", "long", 2],
        "Material": ["material", "id", 1],
        "Face": ["face", "id", 1],
        "Weights": ["barycentric", "number", 3],
        "Front": ["front", "flag", 1],
        "RayDepth": ["depth", "number", 1],
        "Distance": ["distance", "number", 1],
        "RayUV": ["uv", "number", 2],
        "Col": ["attribute:Col", "number", 4],
        "Value": ["attribute:v.x", "number", 1],
    },
    "object_names": ["Cube", "Éa 球", "Lamp"],
    "material_names": ["Red"],
    "instance_numbers": [2, 1 << 30, (1 << 48) - 2, 0],
    "instance_names": ["Lamp", "Maker 3", "Maker 4", "Cube"],
    "camera": "Camera",
    "frame": 12,
    "resolution": [7, 5],
    "border": [0, 0, 7, 5],
    "cropped": False,
    "landmarks": {"object": ["Head"], "name": ["nasion"], "x": [1.5]},
}


def columns(rng, shape=SHAPE):
    """Columns of a survey, the bottom row first."""
    hit = rng.random(shape) < 0.6
    single = rng.normal(size=(*shape, 4)).astype(np.float32)
    single[~hit] = np.nan
    far = np.where(hit, np.abs(single[..., 0]), np.float32(np.inf))
    return {
        "object": np.where(hit, rng.integers(0, 3, shape), -1).astype(np.int32),
        "instance": np.where(hit, rng.choice(HEADER["instance_numbers"], shape), -1),
        "material": np.where(hit, 0, -1).astype(np.int32),
        "face": np.where(hit, rng.integers(0, 1 << 24, shape), -1).astype(np.int32),
        "barycentric": single[..., :3],
        "front": hit & (rng.random(shape) < 0.5),
        "depth": far,
        "distance": 2 * far,
        "uv": single[..., 1:3],
        "attribute:Col": single,
        "attribute:v.x": single[..., 3],
    }


def stored(shot, layer="ViewLayer", view="", passes=HEADER["passes"]):
    """The channels of columns as the engine stores them, the top row first."""
    found = {}
    for title, (column, kind, width) in passes.items():
        numbers = shot[column][::-1]
        if kind == "long":
            numbers = np.stack([(numbers + 1) % (1 << 24), (numbers + 1) >> 24], axis=-1)
        elif kind == "id":
            numbers = numbers + 1
        parts = [*np.moveaxis(numbers.reshape(*numbers.shape[:2], -1), -1, 0), np.zeros(SHAPE)]
        letters = "Z" if column == "depth" else LETTERS[width]
        for letter, part in zip(letters, parts, strict=False):
            name = ".".join(filter(None, (layer, title, view, letter)))
            found[name] = part.astype(np.float32)
    return found


def check(render, shot):
    assert set(render) == set(shot)
    for name, column in shot.items():
        assert render[name].dtype == column.dtype, name
        assert np.array_equal(render[name], column, column.dtype.kind == "f"), name


@pytest.fixture
def written(tmp_path):
    """Write a file of parts and return its path."""

    def write(*parts, **options):
        (tmp_path / "shot.exr").write_bytes(exr(*parts, **options))
        return tmp_path / "shot.exr"

    return write


def one(shot, header=HEADER, name="raypick/ViewLayer", **more):
    return Part(stored(shot, passes=header["passes"]), texts={name: json.dumps(header)}, **more)


def test_columns_are_those_of_a_survey(written, rng):
    shot = columns(rng)
    render = read_render(written(one(shot)))
    check(render, shot)
    assert (render.layer, render.view, render.meta) == ("ViewLayer", None, HEADER)
    assert (len(render), [*render]) == (11, [column for column, *_ in HEADER["passes"].values()])
    assert render.landmarks == HEADER["landmarks"]


def test_names_are_empty_where_nothing_is_hit(written, rng):
    shot = columns(rng)
    render = read_render(written(one(shot)))
    for column in ("object", "instance", "material"):
        numbers = HEADER["instance_numbers"] if column == "instance" else range(3)
        texts = dict(zip([*numbers], HEADER[f"{column}_names"], strict=False)) | {-1: ""}
        assert render.names(column).tolist() == [
            [texts[n] for n in row] for row in shot[column].tolist()
        ]
    assert render.names().tolist() == render.names("object").tolist()
    with pytest.raises(errors.ArgumentError, match="of object, instance, material, not 'face'"):
        render.names("face")
    with pytest.raises(errors.ArgumentError, match="of none"):
        Render({}, "ViewLayer", None, {}).names("object")


def parts_of(shots):
    """A part for each pass, as Blender 5 writes them; the headers are in the first."""
    parts, texts = [], {}
    for (layer, view), shot in shots.items():
        texts[f"raypick/{layer}" + (f"/{view}" if view else "")] = json.dumps(HEADER)
        for title, said in HEADER["passes"].items():
            texts_of = {"name": f"{layer}.{title}-{view}"} | ({"view": view} if view else {})
            parts.append(Part(stored(shot, layer, "", {title: said}), texts=texts_of))
    parts[0].texts |= texts
    return parts


def together(shots):
    """One part, as Blender 4 writes it."""
    channels, texts = {}, {}
    for (layer, view), shot in shots.items():
        texts[f"raypick/{layer}" + (f"/{view}" if view else "")] = json.dumps(HEADER)
        channels |= stored(shot, layer, view or "")
    return [Part(channels, texts=texts)]


KEYS = [
    [("A", "left"), ("A", "right"), ("B/x", "left"), ("B/x", "right")],
    [("A/left", "left"), ("A", "left"), ("A", "right"), ("A/left", "right")],
    [("A", None), ("A/left", None), ("A.b", None), ("é", None)],
    [("A/", "a/b"), ("A", "a.b")],
]


@pytest.mark.parametrize("keys", KEYS, ids=str)
@pytest.mark.parametrize("form", [parts_of, together])
def test_layers_and_views_are_told_apart(written, rng, form, keys):
    if form is together and ("A", "a.b") in keys:
        keys = keys[:1]  # Blender's views have no dots in the names of channels
    shots = {key: columns(rng) for key in keys}
    path = written(*form(shots))
    assert sorted(list_renders(path), key=str) == sorted(keys, key=str)
    for (layer, view), shot in shots.items():
        render = read_render(path, layer, view)
        check(render, shot)
        assert (render.layer, render.view) == (layer, view)


def test_what_is_not_named_is_listed(written, rng):
    keys = [("A", "left"), ("A", "right"), ("B", "left")]
    path = written(*parts_of({key: columns(rng) for key in keys}))
    assert read_render(path, "B").view == "left"
    assert read_render(path, view="right").layer == "A"
    listed = "'A' view 'left', 'A' view 'right', 'B' view 'left'"
    for asked in ({}, {"layer": "A"}, {"view": "left"}):
        with pytest.raises(errors.ArgumentError, match=f"several .*, name one: {listed}"):
            read_render(path, **asked)
    for asked, said in (
        ({"layer": "C"}, "no view layer 'C'"),
        ({"layer": "B", "view": "right"}, "no view layer 'B' view 'right'"),
        ({"layer": 3}, "no view layer 3"),
    ):
        with pytest.raises(errors.ArgumentError, match=f"{said}, but the view layers {listed}"):
            read_render(path, **asked)


def test_a_file_of_one_view_shows_the_one_that_is_named(written, rng):
    """Blender 5 does not say which view a file of "Individual" views shows; its header has all."""
    shot = columns(rng)
    part = one(shot, name="raypick/ViewLayer/left")
    part.texts["raypick/ViewLayer/right"] = json.dumps(HEADER | {"camera": "Right"})
    path = written(part)
    with pytest.raises(
        errors.ArgumentError, match="name one: 'ViewLayer' view 'left', 'ViewLayer'"
    ):
        read_render(path)
    render = read_render(path, view="right")
    check(render, shot)
    assert (render.view, render.meta["camera"]) == ("right", "Right")


def test_a_file_that_says_its_view_shows_no_other(written, rng):
    """So does Blender 4."""
    shot = columns(rng)
    part = one(shot, name="raypick/ViewLayer/left")
    part.texts["raypick/ViewLayer/right"] = json.dumps(HEADER | {"camera": "Right"})
    part.more["multiView"] = "stringvector", struct.pack("<i", 5) + b"right"
    path = written(part)
    assert list_renders(path) == [("ViewLayer", "right")]
    assert read_render(path).meta["camera"] == "Right"


def test_nothing_is_hit_outside_of_a_border(written, rng):
    """Blender fills it with zeros."""
    shot = columns(rng)
    left, bottom, right, top = 2, 1, 6, 4
    inside = np.zeros(SHAPE, np.bool_)
    inside[bottom:top, left:right] = True
    pixels = {name: np.where(inside[::-1], each, 0) for name, each in stored(shot).items()}
    header = HEADER | {"border": [left, bottom, right, top]}
    path = written(Part(pixels, texts={"raypick/ViewLayer": json.dumps(header)}))
    misses = {"front": False, "depth": np.inf, "distance": np.inf}
    for name, column in shot.items():
        column[~inside] = misses.get(name, -1 if column.dtype.kind == "i" else np.nan)
    check(read_render(path), shot)


def test_a_cropped_picture_is_the_border(written, rng):
    shot = columns(rng)
    header = HEADER | {"resolution": [99, 50], "border": [90, 2, 97, 7], "cropped": True}
    check(read_render(written(one(shot, header))), shot)


def test_a_layer_may_have_no_passes_of_the_engine(written):
    texts = {"raypick/A/left": json.dumps(HEADER | {"passes": {}})}
    path = written(Part({"A.Combined.left.R": np.zeros(SHAPE, np.float32)}, texts=texts))
    assert list_renders(path) == [("A", "left")]
    assert dict(read_render(path)) == {}


def test_landmarks_need_not_be_there(written, rng):
    header = {name: said for name, said in HEADER.items() if name != "landmarks"}
    assert read_render(written(one(columns(rng), header))).landmarks is None


def without(name):
    return {key: value for key, value in HEADER.items() if key != name}


OBJECT = {"passes": {"Object": ["object", "id", 1]}}


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (without("version"), "no version"),
        (HEADER | {"version": "1"}, "no version"),
        (HEADER | {"version": 2}, "format version 2, but this Raypick reads none after 1"),
        (HEADER | {"passes": {"Object": ["object", "ids", 1]}}, "what the passes are"),
        (HEADER | {"passes": {"Object": ["object", "number", 1]}}, "what the passes are"),
        (HEADER | {"passes": {"Object": ["object", "id", "1"]}}, "what the passes are"),
        (HEADER | {"passes": {"Object": ["object", "id", 0]}}, "what the passes are"),
        (HEADER | {"passes": {"Object": ["object", "id"]}}, "what the passes are"),
        (HEADER | {"passes": {"Object": ["object", "id", 5]}}, "not all channels of a pass"),
        (HEADER | {"passes": {"Object": ["attribute:a", "id", 2]}}, "not all channels of a pass"),
        (HEADER | {"passes": [1]}, "what the passes are"),
        (HEADER | {"passes": {"A": ["face", "id", 1], "B": ["face", "id", 1]}}, "same column"),
        (HEADER | {"passes": {"Vertices": ["vertices", "id", 3]}}, "that the picture does not"),
        (HEADER | {"passes": {"Object": ["uv", "number", 1]}}, "uv is in 1 channels, not 2"),
        (HEADER | {"passes": {"RayUV": ["depth", "number", 2]}}, "depth is in 2 channels, not 1"),
        (HEADER | {"passes": {"Col": ["attribute:Col", "long", 4]}}, "4 channels, not 2"),
        (HEADER | {"passes": {"Weights": ["attribute:a", "id", 3]}}, "not in whole numbers"),
        (HEADER | {"passes": {"Object": ["front", "flag", 1]}}, "not in whole numbers"),
        (HEADER | OBJECT | {"object_names": ["Cube", "Lamp"]}, "not name all numbers of object"),
        (HEADER | OBJECT | {"object_names": ["Cube", 3, "Lamp"]}, "no object_names"),
        (without("material_names"), "no material_names"),
        (without("instance_numbers"), "no instance_numbers"),
        (HEADER | {"instance_numbers": [2, 3, 4, 0]}, "not name all numbers of instance"),
        (HEADER | {"instance_numbers": [2, 3, -4, 0]}, "no table of instances"),
        (HEADER | {"instance_numbers": [2, 1 << 70, 4, 0]}, "no table of instances"),
        (HEADER | {"instance_numbers": [], "instance_names": []}, "not name all numbers of inst"),
        (HEADER | {"instance_names": []}, "no table of instances"),
        (without("resolution"), "no resolution"),
        (HEADER | {"resolution": [7, 5, 1]}, "must be 2 numbers"),
        (HEADER | {"resolution": [14, 10], "border": None}, "had 14 x 10 pixels, and has 7 x 5"),
        (HEADER | {"border": [0, 0, 8, 5]}, "border lies outside"),
        (HEADER | {"border": [3, 0, 3, 5]}, "border lies outside"),
        (HEADER | {"border": [0, 0, 6, 5], "cropped": True}, "had 6 x 5 pixels, and has 7 x 5"),
        (HEADER | {"landmarks": {"name": ["a"], "x": []}}, "landmarks are no table"),
        (HEADER | {"landmarks": [1]}, "landmarks are no table"),
        ([1], "no version"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(written, rng, header, said):
    shot = columns(rng)
    shot["object"][0, :2] = shot["instance"][0, :2] = 2
    part = Part(stored(shot), texts={"raypick/ViewLayer": json.dumps(header)})
    with pytest.raises(errors.TableFileError, match=said):
        read_render(written(part))


def test_a_picture_that_was_changed_is_refused(written, rng):
    shot = columns(rng)
    whole = one(shot)
    halved = {name: np.zeros(SHAPE, np.float16) for name in whole.channels}
    lacking = {name: each for name, each in whole.channels.items() if "Weights.X" not in name}
    mixed = {name: (each + np.roll(each, 1, 1)) / 2 for name, each in whole.channels.items()}
    texts = whole.texts
    for part, said in (
        (Part(halved, texts=texts), "object is not in single precision"),
        (Part(lacking, texts=texts), "not all channels of a pass, only ViewLayer.Weights.Y"),
        (Part(mixed, texts=texts), "not in whole numbers"),
        (Part(whole.channels, texts=texts, corner=(1, 0), display=(0, 0, 6, 4)), "was changed"),
        (Part(whole.channels, texts={"raypick/ViewLayer": "{"}), "no JSON"),
        (Part(whole.channels, texts={"raypick/ViewLayer": "[" * 100_000}), "no JSON"),
        (Part(whole.channels, texts={"raypick": "{}"}), "render with the engine Raypick"),
    ):
        with pytest.raises(errors.TableFileError, match=said):
            read_render(written(part))
    other = Part({"A": whole.channels["ViewLayer.Object.X"]}, texts={"raypick/ViewLayer": "{}"})
    with pytest.raises(errors.TableFileError, match="parts of the file are of different renders"):
        read_render(written(whole, other))


def test_other_parts_of_a_file_must_be_whole_too(written, rng):
    other = Part({"Z": np.zeros(SHAPE, np.float32)})
    path = written(one(columns(rng)), other)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(errors.TableFileError, match="cut off"):
        list_renders(path)


def places(value):
    """All places in a value of JSON, each as the list or dict that has it and a key."""
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(each, dict | list):
            yield from places(each)


JUNK = [None, True, -1, 0, 1, 2, 0.5, 1 << 70, float("nan"), "", "object", "id", "long", [], {}]
JUNK += [[1, 2], ["a", "b"], {"a": ["object", "id", 1]}]


def test_no_header_ends_in_another_error(written, rng):
    """Values in it are replaced, then bytes of it."""
    part, ends = one(columns(rng)), set()
    text = json.dumps(HEADER)
    for turn in range(160):
        if turn % 4:
            header = copy.deepcopy(HEADER)
            for _ in range(rng.integers(1, 3)):
                holder, key = [*places(header)][rng.integers(len([*places(header)]))]
                holder[key] = JUNK[rng.integers(len(JUNK))]
            said = json.dumps(header)
        else:
            said = mutant(rng, text.encode()).decode("utf-8", "replace")
        part.texts = {"raypick/ViewLayer": said}
        path = written(part)
        try:
            render = read_render(path)
            for column in ("object", "instance", "material"):
                if column in render:
                    assert render.names(column).shape == SHAPE
            ends.add("read")
        except errors.TableFileError:
            ends.add("refused")
    assert ends == {"read", "refused"}


def test_what_write_exr_writes_is_read(tmp_path, rng):
    shot = columns(rng)
    write_exr(tmp_path / "a.exr", stored(shot), {"raypick/ViewLayer": json.dumps(HEADER)})
    check(read_render(tmp_path / "a.exr"), shot)


def test_a_file_that_is_told_to_have_parts_may_have_one(written, rng):
    shot = columns(rng)
    check(read_render(written(one(shot), flags=MANY_PARTS)), shot)
