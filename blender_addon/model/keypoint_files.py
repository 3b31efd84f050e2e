# SPDX-License-Identifier: GPL-3.0-or-later
"""Keypoints as tables of numbers, as JSON, and in COCO's layout.

COCO's keypoints are as in https://cocodataset.org/#format-data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .columns import Array
from .keypoints import Box, Keypoints, Picture, without_nan

_TEXTS = ("camera", "object", "set", "landmark", "hidden_by", "hidden_by_instancer")

NOTES = {
    "x, y": "pixels from the bottom left of the picture; pixel (0, 0) is from 0 to 1",
    "depth": "scene units along the viewing direction, from the camera's own place",
    "inside": "in the picture, within its border, and between the camera's clip planes",
    "visible": "inside, and hidden by nothing",
    "hidden_by": "the object that is seen there instead",
}

COCO_NOTES = (
    "pixels from the top left; v is 0 outside of the picture or where the place is unknown, "
    "1 hidden, 2 visible; boxes are around the whole object in the picture, hidden parts too"
)


def table(keypoints: Keypoints) -> tuple[dict[str, Array], dict[str, list[str]]]:
    """Columns of numbers, and the names that those in columns of texts stand for; -1 is none."""
    columns = {("landmark" if name == "name" else name): each for name, each in keypoints.items()}
    names = {}
    for column in _TEXTS:
        texts = columns[column].tolist()
        names[column] = [*dict.fromkeys(filter(None, texts))]
        numbers = {text: number for number, text in enumerate(names[column])}
        columns[column] = np.array([numbers.get(text, -1) for text in texts], np.int32)
    return columns, names


def plain(keypoints: Keypoints) -> dict[str, Any]:
    """Keypoints as JSON: notes, pictures and columns; null for what is not known."""
    columns = {name: column.tolist() for name, column in keypoints.items()}
    pictures = [each._asdict() for each in keypoints.pictures]
    return {"notes": NOTES, "pictures": pictures, "columns": without_nan(columns)}


def coco(
    keypoints: Keypoints,
    sizes: Sequence[int],
    boxes: Sequence[Sequence[Box | None]],
    files: Sequence[str],
    info: Mapping[str, Any],
) -> dict[str, Any]:
    """Keypoints in COCO's layout.

    Sets of one name are a category, with the landmarks of all of them. Each set of an object has an
    annotation in each picture in which its box is.

    Parameters
    ----------
    keypoints : Keypoints
    sizes : sequence of int
        The number of landmarks in each set of each object, in the order of the rows.
    boxes : sequence of sequence of (Box or None)
        For each picture, the boxes around the objects of these sets.
    files : sequence of str
        The name of each picture's file.
    info : mapping
        What to say of the file.
    """
    ends = np.cumsum(sizes).tolist()
    groups = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    categories = _categories(keypoints, groups)
    images, annotations = list[dict[str, Any]](), list[dict[str, Any]]()
    for picture, file, around in zip(keypoints.pictures, files, boxes, strict=True):
        first = len(images) * keypoints.shape[1]
        images.append({"id": len(images) + 1, **_image(picture, file)})
        for own, box in zip(groups, around, strict=True):
            if box is not None:
                rows = slice(first + own.start, first + own.stop)
                category = categories[str(keypoints["set"][own.start])]
                marks = _marks(keypoints, rows, category["keypoints"], picture.height)
                annotations.append(
                    {
                        "id": len(annotations) + 1,
                        "image_id": len(images),
                        "category_id": category["id"],
                        "object": str(keypoints["object"][own.start]),
                        **marks,
                        **_extent(box, picture.height),
                        "iscrowd": 0,
                    }
                )
    return {
        "info": {**info, "notes": COCO_NOTES},
        "licenses": [],
        "images": images,
        "annotations": annotations,
        "categories": [*categories.values()],
    }


def _categories(keypoints: Keypoints, groups: Sequence[slice]) -> dict[str, dict[str, Any]]:
    """The categories by their names; `groups` are the rows of sets in the first picture."""
    names: dict[str, dict[str, None]] = {}
    for own in groups:
        known = names.setdefault(str(keypoints["set"][own.start]), {})
        known.update(dict.fromkeys(keypoints["name"][own].tolist()))
    return {
        name: {
            "id": number,
            "name": name,
            "supercategory": "landmarks",
            "keypoints": [*known],
            "skeleton": [],
        }
        for number, (name, known) in enumerate(names.items(), 1)
    }


def _image(picture: Picture, file: str) -> dict[str, Any]:
    size = {"width": picture.width, "height": picture.height}
    return {**size, "file_name": file, "camera": picture.camera, "frame": picture.frame}


def _marks(keypoints: Keypoints, rows: slice, names: Sequence[str], height: int) -> dict[str, Any]:
    """The landmarks of some names among rows, as x and y from the top left, and v."""
    x, y, inside, visible = (keypoints[name][rows] for name in ("x", "y", "inside", "visible"))
    columns = np.where(inside, x, 0.0), np.where(inside, height - y, 0.0), 1 * inside + visible
    found = zip(*(column.tolist() for column in columns), strict=True)
    marks = dict(zip(keypoints["name"][rows].tolist(), found, strict=True))
    points = [marks.get(name, (0.0, 0.0, 0)) for name in names]
    return {
        "keypoints": [part for point in points for part in point],
        "num_keypoints": sum(flag > 0 for *_, flag in points),
    }


def _extent(box: Box, height: int) -> dict[str, Any]:
    left, bottom, right, top = box
    size = right - left, top - bottom
    return {"bbox": [left, height - top, *size], "area": size[0] * size[1]}
