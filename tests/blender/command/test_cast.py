# SPDX-License-Identifier: GPL-3.0-or-later
"""``cast``: rays of a file, and what they hit in a file, as the API tells to the last bit."""

import csv
import json
import os
import time

import bpy
import numpy as np
import pytest

from tests.blender.command.conftest import arrays, saved
from tests.blender.scenes import mesh_object

COLUMNS = (
    *("object", "instance", "face", "triangle", "barycentric", "point", "normal", "distance"),
    "front",
)


def test_the_nearest_hits_are_those_of_the_api(raypick, animated, rays, type_in):
    ran = type_in("cast", "--rays", "rays.npz", "--out", "hits.npz", "--json")
    assert ran.code == 0
    found, expected = arrays("hits.npz"), raypick.api.cast_rays(bpy.context, *rays[1:])
    for column in COLUMNS:
        assert found[column].dtype == expected[column].dtype
        assert found[column].tobytes() == expected[column].tobytes()
    assert (ran.json["rays"], ran.json["hits"]) == (300, int(expected.hit.sum()))
    assert 100 < ran.json["hits"] < 300


def test_each_row_is_what_a_single_ray_hits(raypick, animated, rays, type_in):
    options = "--passes", "id,face,weights,point,uv,smooth,vertices,original,material"
    assert type_in("cast", "--rays", "rays.npz", "--out", "hits.npz", *options).code == 0
    found = arrays("hits.npz")
    for row, (origin, direction) in enumerate(zip(*rays[1:], strict=True)):
        hits = raypick.api.ray_cast(bpy.context, origin, direction)
        assert (found["object"][row] == -1) == (not hits)
        for hit in hits:
            assert found["object_names"][found["object"][row]] == hit.object
            assert (found["face"][row], found["triangle"][row]) == (hit.face, hit.triangle)
            assert found["barycentric"][row].tolist() == list(hit.barycentric)
            assert found["point"][row].tolist() == list(hit.point)
            assert found["vertices"][row].tolist() == list(hit.vertices)
            expected = -1 if hit.original_face is None else hit.original_face
            assert found["original_face"][row] == expected
            if hit.material is not None:
                assert found["material_names"][found["material"][row]] == hit.material


def test_all_hits_any_and_counts_agree(animated, rays, type_in):
    for kind in ("all", "any", "count"):
        options = "--hits", kind, "--out", f"{kind}.npz"
        assert type_in("cast", "--rays", "rays.npz", *options).code == 0
    every, counts = arrays("all.npz"), arrays("count.npz")["count"]
    assert counts.max() > 1
    assert np.array_equal(np.diff(every["splits"]), counts)
    assert np.array_equal(np.bincount(every["ray"], minlength=300), counts)
    assert np.array_equal(arrays("any.npz")["hit"], counts > 0)


def test_a_csv_has_a_row_for_each_ray_with_names(raypick, animated, rays, type_in):
    with open("rays.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ox", "oy", "oz", "dx", "dy", "dz"])
        writer.writerows(np.concatenate(rays[1:], axis=1).tolist())
    assert type_in("cast", "--rays", "rays.csv", "--out", "hits.csv").code == 0
    with open("hits.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expected = raypick.api.cast_rays(bpy.context, *rays[1:])
    assert [int(row["object"]) for row in rows] == expected["object"].tolist()
    assert [row["object_name"] for row in rows] == expected.names().tolist()
    points = np.array([[float(row[f"point_{axis}"]) for axis in "xyz"] for row in rows])
    assert np.array_equal(points, expected["point"], equal_nan=True)


def test_rays_may_have_any_shape_and_an_end_each(raypick, animated, rays, type_in):
    origins, directions = (each.reshape(10, 30, 3) for each in rays[1:])
    ends = np.linspace(5, 9, 30)
    np.savez("more.npz", origins=origins, directions=directions, max_distance=ends)
    options = "--rays", "more.npz", "--out", "hits.npz", "--max-distance", "8"
    assert type_in("cast", *options).code == 0
    expected = raypick.api.cast_rays(bpy.context, origins, directions, np.minimum(ends, 8.0))
    found = arrays("hits.npz")["distance"]
    assert found.shape == (10, 30)
    assert found.tobytes() == expected["distance"].tobytes()
    np.savez("one.npz", origins=origins[0, 0], directions=directions[0, 0])
    assert type_in("cast", "--rays", "one.npz", "--out", "one_hit.npz").code == 0
    assert arrays("one_hit.npz")["face"].shape == (1,)


def test_objects_and_collections_are_chosen_as_in_the_api(raypick, animated, rays, type_in):
    group = bpy.data.collections.new("Group")
    bpy.context.scene.collection.children.link(group)
    group.objects.link(bpy.data.objects["Points"])
    saved(animated)
    for number, (typed, chosen) in enumerate(
        (
            (["--only", "Points"], {"only": ["Points"]}),
            (["--only", "Suzanne", "Group"], {"only": ["Suzanne", "Group"]}),
            (["--only", "Suzanne", "--only", "Group"], {"only": ["Suzanne", "Group"]}),
            (["--exclude", "Group"], {"exclude": "Points"}),
            (["--only", "Suzanne", "Points", "--exclude", "Group"], {"only": "Suzanne"}),
        )
    ):
        name = f"{number}.npz"
        assert type_in("cast", "--rays", "rays.npz", "--out", name, *typed).code == 0
        expected = raypick.api.cast_rays(bpy.context, *rays[1:], **chosen)
        found = arrays(name)
        assert found["distance"].tobytes() == expected["distance"].tobytes()
        names = np.append(found["object_names"], "")[found["object"]]
        assert names.tolist() == expected.names().tolist()


@pytest.mark.parametrize("kind", ["nearest", "all", "any", "count"])
def test_rays_may_begin_at_a_distance_of_the_file_or_of_an_option(
    raypick, animated, rays, type_in, rng, kind
):
    api, (path, origins, directions) = raypick.api, rays
    starts = rng.uniform(5, 9, len(origins))
    np.savez(path, origins=origins, directions=directions, min_distance=starts)
    for typed, least in (([], starts), (["--min-distance", "7"], np.maximum(starts, 7.0))):
        options = ["--hits", kind, *typed]
        assert type_in("cast", "--rays", "rays.npz", "--out", "hits.npz", *options).code == 0
        found = arrays("hits.npz")
        ask = {"all": api.cast_rays_all, "any": api.any_hit, "count": api.count_hits}
        ask = ask.get(kind, api.cast_rays)
        expected = ask(bpy.context, origins, directions, min_distance=least)
        if kind in ("nearest", "all"):
            assert found["distance"].tobytes() == expected["distance"].tobytes()
            assert np.isfinite(found["distance"]).sum() > 0
        else:
            assert np.array_equal(found["hit" if kind == "any" else "count"], expected)
    np.savez(path, origins=origins[0], directions=directions[0], min_distance=np.array(1e9))
    assert type_in("cast", "--rays", "rays.npz", "--out", "hits.npz").code == 0
    assert arrays("hits.npz")["instance"].tolist() == [-1]


def test_a_frame_is_set_and_the_scene_left_as_it_was(raypick, animated, rays, type_in):
    options = "--rays", "rays.npz", "--out", "hits.npz", "--frame", "7"
    assert type_in("cast", *options).code == 0
    assert bpy.context.scene.frame_current == 1
    bpy.context.scene.frame_set(7)
    expected = raypick.api.cast_rays(bpy.context, *rays[1:])
    assert arrays("hits.npz")["point"].tobytes() == expected["point"].tobytes()


def test_a_file_that_was_saved_between_two_frames_is_cast_at_at_the_whole_one(
    raypick, animated, rays, type_in
):
    bpy.context.scene.frame_set(3, subframe=0.5)
    saved(animated)
    assert type_in("cast", "--rays", "rays.npz", "--out", "saved.npz").code == 0
    assert type_in("cast", "--rays", "rays.npz", "--out", "third.npz", "--frame", "3").code == 0
    assert bpy.context.scene.frame_subframe == 0.5
    assert arrays("saved.npz")["point"].tobytes() == arrays("third.npz")["point"].tobytes()
    command = "cast", "--rays", "rays.npz", "--out", "third.npz", "--resume", "--json"
    assert type_in(*command).json["kept"]


def test_a_complete_answer_is_kept_until_the_question_changes(animated, rays, type_in):
    command = "cast", "--rays", "rays.npz", "--out", "hits.npz", "--resume", "--json"
    assert [type_in(*command).json["kept"] for _ in range(2)] == [False, True]
    assert [type_in(*command, "--hits", "all").json["kept"] for _ in range(2)] == [False, True]
    np.savez("rays.npz", origins=rays[1] + 0.125, directions=rays[2])
    again = [type_in(*command, "--hits", "all").json["kept"] for _ in range(2)]
    assert again == [False, True]
    bpy.data.objects["Suzanne"].scale = (2, 2, 2)
    saved(animated)
    assert not type_in(*command, "--hits", "all").json["kept"]


def test_the_same_question_has_the_same_bytes(animated, rays, type_in, tmp_path):
    assert type_in("cast", "--rays", "rays.npz", "--out", "a.npz").code == 0
    time.sleep(2.1)  # the dates in an archive have steps of two seconds
    assert type_in("cast", "--rays", "rays.npz", "--out", "b.npz").code == 0
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "rays.npz"), (b"", "rays.npz"), (b"PK\x03\x04" + bytes(50), "rays.npz")],
)
def test_bad_rays_fail_by_name_at_once_and_leave_the_old_answer(
    animated, type_in, tmp_path, module, monkeypatch, content, said
):
    (tmp_path / "hits.npz").write_bytes(b"old")
    if content is not None:
        (tmp_path / "rays.npz").write_bytes(content)
    monkeypatch.setattr(module("cast").opened, "FilesRead", None)  # that takes a while
    ran = type_in("cast", "--rays", "rays.npz", "--out", "hits.npz")
    assert ran.code == 1
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1
    assert (tmp_path / "hits.npz").read_bytes() == b"old"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--out", "hits.npz"], 2, "--rays"),
        (["--rays", "rays.npz", "--out", "hits.txt"], 2, ".parquet"),
        (["--rays", "rays.npz", "--out", "hits.npz", "--passes", "depth"], 2, "depth"),
        (["--rays", "rays.npz", "--out", "hits.npz", "--hits", "some"], 2, "some"),
        (["--rays", "rays.npz", "--out", "nowhere/hits.npz"], 2, "no folder nowhere"),
        (["--rays", "rays.npz", "--out", "hits.npz", "--json", "no/j.json"], 2, "no folder no"),
        (["--rays", "rays.npz", "--out", "./rays.npz"], 2, "--out would replace the rays"),
        (["--rays", "rays.npz", "--out", "h.npz", "--json", "h.npz"], 2, "would replace --out"),
        (["--rays", "rays.npz", "--out", "hits.npz", "--hits", "any", "--passes", "id"], 2, "any"),
        (["--rays", "rays.npz", "--out", "hits.csv", "--resume"], 2, "--resume needs"),
        (["--rays", "rays.npz", "--out", "hits.npz", "--frame", "2000000"], 2, "2000000"),
        (["--rays", "rays.npz", "--out", "hits.npz", "--frame", "1-3"], 2, "one frame"),
        (["--rays", "rays.npz", "--out", "hits.npz", "--threads", "0"], 2, "--threads"),
        (["--rays", "rays.npz", "--out", "hits.npz", "--exclude", "Nope"], 1, "Nope"),
        (["--rays", "rays.npz", "--out", "hits.npz", "--only", "Points", "Nope"], 1, "Nope"),
        (["--rays", "rays.npz", "--out", "hits.npz", "--min-distance", "-1"], 2, "from 0 on"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is(
    animated, rays, type_in, options, code, said
):
    ran = type_in("cast", *options)
    assert ran.code == code
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1
    assert not os.path.exists("hits.npz")


def test_no_output_replaces_what_is_read_by_another_path(animated, rays, type_in, tmp_path):
    (tmp_path / "link.npz").symlink_to("rays.npz")
    os.link("animated.blend", "hard.json")
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    cast = "cast", "--rays", "rays.npz", "--out"
    for argv, said in (
        ((*cast, "link.npz"), "--out would replace the rays"),
        ((*cast, "h.npz", "--json", "rays.npz"), "--json would replace the rays"),
        ((*cast, "h.npz", "--json", "hard.json"), "replace animated.blend, which is read"),
        (("info", "--json", "animated.blend"), "replace animated.blend, which is read"),
    ):
        ran = type_in(*argv)
        assert ran.code == 2
        assert said in ran.err
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_no_shot_replaces_the_report(animated, type_in, tmp_path):
    (tmp_path / "s").mkdir()
    ran = type_in("survey", "--out", "s", "--json", "s/Camera_0001.npz")
    assert ran.code == 1
    assert "Camera_0001.npz would replace --json" in ran.err
    assert [*(tmp_path / "s").iterdir()] == []


def test_attributes_that_nothing_has_are_named(animated, rays, type_in):
    ran = type_in("cast", "--rays", "rays.npz", "--out", "hits.npz", "--attributes", "UVMap,Cool")
    assert ran.code == 0
    assert "nothing that was hit has an attribute 'Cool'" in ran.err
    assert "UVMap" not in ran.err


def test_an_interrupted_cast_leaves_no_file(animated, rays, type_in, module, monkeypatch):
    interruption = module("talk").Interruption
    monkeypatch.setattr(interruption, "is_asked_for", True, raising=False)
    monkeypatch.setattr(interruption, "__init__", lambda _: None)
    ran = type_in("cast", "--rays", "rays.npz", "--out", "hits.npz")
    assert ran.code == 130
    assert sorted(os.listdir(".")) == ["animated.blend", "rays.npz"]


def test_the_meta_tells_the_question(animated, rays, type_in):
    options = "--rays", "rays.npz", "--out", "hits.npz", "--cull", "back"
    assert type_in("cast", *options).code == 0
    question = json.loads(str(arrays("hits.npz")["meta"]))["question"]
    assert (question["command"], question["cull"], question["frame"]) == ("cast", "back", 1)
    assert [line.split()[1] for line in question["files"]] == ["animated.blend", "rays.npz"]


def test_a_closed_border_is_hit_where_it_is_asked_for(raypick, type_in):
    """Every node of a terrain is hit straight down, whatever is asked of the rays."""
    nodes = [(x + 0.5, y + 0.5, (x * y) % 3) for y in range(4) for x in range(5)]
    mesh_object("Terrain", nodes, [(i, i + 1, i + 6, i + 5) for i in range(15) if i % 5 < 4])
    bpy.context.view_layer.update()
    origins = np.array(nodes) + (0, 0, 8.0)
    np.savez("rays.npz", origins=origins, directions=np.broadcast_to((0, 0, -1.0), origins.shape))
    rays = "cast", "--rays", "rays.npz", "--out", "hits.npz", "--json"
    for hits in ("nearest", "any", "count", "all"):
        assert type_in(*rays, "--hits", hits, "--border", "closed").json["hits"] == 20
        openly = type_in(*rays, "--hits", hits).json["hits"]
        assert 0 < openly < 20
        assert type_in(*rays, "--hits", hits, "--border", "open").json["hits"] == openly
    assert type_in(*rays, "--border", "shut").code == 2
