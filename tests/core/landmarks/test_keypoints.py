# SPDX-License-Identifier: GPL-3.0-or-later
"""Keypoints as columns, tables, JSON and in COCO's layout, without Blender."""

import json

import numpy as np
import pytest

from tests.core.landmark_files.model import model_module

model, files = model_module("keypoints"), model_module("keypoint_files")

ROWS = [  # object, set, name, x, y, inside, visible, hidden_by
    ("Ann", "Face", "nose", 1.5, 2.0, True, True, ""),
    ("Ann", "Face", "chin", 3.0, 8.0, True, False, "Hat"),
    ("Ann", "Hand", "thumb", 30.0, 4.0, False, False, ""),
    ("Bob", "Face", "chin", np.nan, np.nan, False, False, ""),
    ("Bob", "Face", "brow", 0.0, 0.0, True, True, ""),
]
NAMES = ("object", "set", "name", "x", "y", "inside", "visible", "hidden_by")
SIZES = [2, 1, 2]


def picture(frame, camera="Camera", rows=ROWS, right=0.0):
    columns = dict(zip(NAMES, map(np.array, zip(*rows, strict=True)), strict=True))
    count = len(rows)
    columns |= {"frame": np.full(count, frame), "camera": np.full(count, camera)}
    columns["x"] = columns["x"] + right
    columns |= {"depth": columns["x"] * 2, "hidden_by_instancer": np.full(count, "")}
    return model.Keypoints(columns, (model.Picture(frame, camera, 16, 10),))


@pytest.fixture
def keypoints():
    """Return two pictures of the same landmarks."""
    return model.joined([picture(1), picture(2, "Second", right=1.0)])


def test_pictures_are_joined_one_after_the_other(keypoints):
    assert keypoints.shape == (2, 5)
    assert len(keypoints) == 10
    assert keypoints["frame"].tolist() == [1] * 5 + [2] * 5
    assert keypoints["frame"].dtype == np.int64
    assert keypoints["camera"].reshape(keypoints.shape)[:, 0].tolist() == ["Camera", "Second"]
    assert [each.camera for each in keypoints.pictures] == ["Camera", "Second"]
    assert dict(keypoints)["x"] is keypoints["x"]
    assert model.joined([picture(1), picture(2.5)])["frame"].dtype == np.float64
    nothing = model.joined([])
    assert (nothing.shape, [*nothing]) == ((0, 0), [*keypoints])
    assert nothing["name"].dtype.kind == "U"


def test_a_table_has_numbers_for_texts(keypoints):
    columns, names = files.table(keypoints)
    assert all(column.dtype.kind in "ifb" for column in columns.values())
    assert names["landmark"] == ["nose", "chin", "thumb", "brow"]
    assert columns["landmark"].tolist() == [0, 1, 2, 1, 3] * 2
    assert names["hidden_by"] == ["Hat"]
    assert columns["hidden_by"].tolist() == [-1, 0, -1, -1, -1] * 2
    assert names["hidden_by_instancer"] == []
    assert "name" not in columns


def test_json_has_null_for_what_is_not_known(keypoints):
    found = json.loads(json.dumps(files.plain(keypoints), allow_nan=False))
    assert found["columns"]["x"][:5] == [1.5, 3.0, 30.0, None, 0.0]
    assert found["columns"]["visible"][:2] == [True, False]
    assert found["pictures"][1] == {"frame": 2, "camera": "Second", "width": 16, "height": 10}
    assert {*found["notes"]["x, y"].split()} >= {"bottom", "left"}


BOXES = [[(1, 1, 5, 9), (1, 1, 5, 9), (0, 0, 16, 10)], [None, None, (2.5, 4, 3, 6)]]


def test_cocos_categories_have_the_landmarks_of_all_sets_of_their_name(keypoints):
    found = files.coco(keypoints, SIZES, BOXES, ["a.png", "b.png"], {"description": "x"})
    json.dumps(found, allow_nan=False)
    assert [each["keypoints"] for each in found["categories"]] == [
        ["nose", "chin", "brow"],
        ["thumb"],
    ]
    assert [(each["id"], each["name"]) for each in found["categories"]] == [
        (1, "Face"),
        (2, "Hand"),
    ]
    assert found["images"][1] == {
        "id": 2,
        "width": 16,
        "height": 10,
        "file_name": "b.png",
        "camera": "Second",
        "frame": 2,
    }
    assert found["info"]["description"] == "x"


def test_cocos_annotations_count_from_the_top_left(keypoints):
    found = files.coco(keypoints, SIZES, BOXES, ["a.png", "b.png"], {})["annotations"]
    told = [(each["image_id"], each["object"], each["category_id"]) for each in found]
    assert told == [(1, "Ann", 1), (1, "Ann", 2), (1, "Bob", 1), (2, "Bob", 1)]
    assert [each["id"] for each in found] == [1, 2, 3, 4]
    assert found[0]["keypoints"] == [1.5, 8.0, 2, 3.0, 2.0, 1, 0, 0, 0]
    assert found[1]["keypoints"] == [0, 0, 0]
    assert found[2]["keypoints"] == [0, 0, 0, 0, 0, 0, 0.0, 10.0, 2]
    assert found[3]["keypoints"] == [0, 0, 0, 0, 0, 0, 1.0, 10.0, 2]
    assert [each["num_keypoints"] for each in found] == [2, 0, 1, 1]
    assert found[0]["bbox"] == [1, 1, 4, 8]
    assert (found[3]["bbox"], found[3]["area"]) == ([2.5, 4, 0.5, 2], 1.0)


def test_objects_of_one_name_have_annotations_of_their_own():
    """Two files may have an object of the same name."""
    twins = picture(1, rows=[ROWS[0], ROWS[1], ROWS[0]])
    found = files.coco(twins, [2, 1], [[(0, 0, 1, 1)] * 2], ["a.png"], {})["annotations"]
    assert [each["num_keypoints"] for each in found] == [2, 1]
