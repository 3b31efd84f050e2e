# SPDX-License-Identifier: GPL-3.0-or-later
"""A number stands for one thing in all frames of a render, and in surveys of the same file."""

import bpy
import numpy as np
import pytest

from tests.blender.command.conftest import arrays, type_in  # noqa: F401
from tests.blender.command.test_survey_numbers import crowd  # noqa: F401

from . import cycles

COLUMNS = "object", "instance", "material"
FRAMES = range(1, 5)


@pytest.fixture
def frames(crowd, tmp_path):  # noqa: F811
    """Render frames, each of which shows other things; return what the files say."""
    scene = bpy.context.scene
    for obj in bpy.data.objects:
        if obj.animation_data:  # hidden in some frames
            for frame in FRAMES:
                scene.frame_set(frame)
                obj.hide_render = obj.hide_viewport
                obj.keyframe_insert("hide_render", frame=frame)
    for name in ("instance", "material"):
        setattr(bpy.context.view_layer.raypick, f"use_pass_{name}", True)
    scene.camera = bpy.data.objects["Left"]
    scene.render.resolution_x = scene.render.resolution_y = 64
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    cycles.write(tmp_path / "frame", animation=True)
    bpy.ops.wm.save_mainfile()
    return {frame: cycles.read(tmp_path / f"frame{frame:04d}.exr") for frame in FRAMES}


def things(view):
    """What the numbers of a picture stand for, by column."""
    told, index = view.told, {name: view.index(name.title()) for name in COLUMNS}
    seen = {name: [*map(int, np.unique(each[each >= 0]))] for name, each in index.items()}
    objects, materials = (
        {one: (told[f"{name}_names"][one], told[f"{name}_libraries"][one]) for one in seen[name]}
        for name in ("object", "material")
    )
    assert sorted(told["instance_numbers"]) == seen["instance"]  # the header has those seen alone
    places = np.array(told["instance_matrix_world"])[:, :3, 3].round(3).tolist()
    rows = map(told["instance_numbers"].index, seen["instance"])
    instances = {
        told["instance_numbers"][row]: (*places[row], objects[told["instance_object"][row]])
        for row in rows
    }
    return {"object": objects, "material": materials, "instance": instances}


def test_a_number_stands_for_one_thing_in_all_frames(frames):
    every, shown = {name: {} for name in COLUMNS}, {name: set() for name in COLUMNS}
    names = set()
    for render in frames.values():
        (view,) = render.views.values()
        names.add((*view.told["object_names"], *view.told["material_names"]))
        for column, found in things(view).items():
            for number, thing in found.items():
                assert every[column].setdefault(number, thing) == thing
            shown[column].add(frozenset(found))
    assert len(names) == 1
    for column, found in every.items():
        assert len({*map(str, found.values())}) == len(found), column  # nothing has two numbers
    assert len(shown["object"]) == 3  # kinds of frames
    assert len(shown["instance"]) == 4
    assert len(every["instance"]) == 18


def test_the_numbers_are_those_of_a_survey(frames, type_in, tmp_path):  # noqa: F811
    asked = "--camera", "Left", "--passes", "id,material", "--visibility", "render"
    assert type_in("survey", *asked, "--frames", "1-4", "--out", "surveyed").code == 0
    for frame, render in frames.items():
        (view,), table = render.views.values(), arrays(tmp_path / f"surveyed/Left_{frame:04d}.npz")
        for name in COLUMNS:
            assert np.array_equal(view.index(name.title()), table[name]), name
        assert view.told["object_names"] == table["object_names"].tolist()
        assert view.told["material_names"] == table["material_names"].tolist()
        rows = np.searchsorted(table["instance_numbers"], view.told["instance_numbers"])
        for name in ("numbers", "names", "object", "matrix_world"):
            told = view.told[f"instance_{name}"]
            assert np.array_equal(table[f"instance_{name}"][rows], told), name
