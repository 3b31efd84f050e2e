# SPDX-License-Identifier: GPL-3.0-or-later
"""Which landmarks of the file are those of the scene, and where they are."""

import importlib

import bpy
import numpy as np
import pytest

from ..conftest import PACKAGE
from ..scenes import collection_instance, down, square


@pytest.fixture
def landmarks(raypick):
    return importlib.import_module(f"{PACKAGE}.session.landmarks")


def mark(raypick, x=0.5, y=0.5, **options):
    """Add a landmark where a ray straight down hits."""
    return raypick.api.landmarks.add(bpy.context, down(raypick, x, y)[0], **options)


def names(landmarks):
    return [obj.name for obj in landmarks.holders(bpy.context)]


def test_objects_that_are_shown_by_instances_alone_are_of_the_scene(raypick, landmarks):
    obj = square()
    collection_instance(obj, (5.0, 0.0, 2.0))
    bpy.context.view_layer.update()
    record = mark(raypick, 5.5)
    assert record.instancer == "Instancer"
    assert bpy.context.view_layer.objects.get("Square") is None
    assert names(landmarks) == ["Square"]
    (shown,) = landmarks.shown(bpy.context)
    assert shown.places.points.tolist() == [[5.5, 0.5, 2.0]]


def test_objects_of_other_scenes_are_not(raypick, landmarks):
    mark_of = square()
    mark(raypick)
    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(mark_of)
    bpy.context.scene.collection.objects.unlink(mark_of)
    bpy.context.view_layer.update()
    assert names(landmarks) == []


def test_what_scripts_write_is_seen_at_once(raypick, landmarks):
    obj = square()
    assert landmarks.shown(bpy.context) == []
    mark(raypick)
    (shown,) = landmarks.shown(bpy.context)
    assert len(shown.rows) == 1
    obj.location.z = 3.0
    (shown,) = landmarks.shown(bpy.context)
    assert np.allclose(shown.places.points, [[0.5, 0.5, 3.0]])
    raypick.api.landmarks.remove(obj)
    assert [*landmarks.shown(bpy.context)] == []


def test_nothing_is_looked_up_again_where_nothing_has_changed(raypick, landmarks):
    square()
    mark(raypick)
    before = landmarks.shown(bpy.context)
    assert landmarks.shown(bpy.context) is before


def test_what_cannot_be_read_hides_no_other_objects_landmarks(raypick, landmarks):
    square("Good")
    mark(raypick)
    bad = square("Bad", z=1.0)
    bad["raypick_landmarks"] = "{"
    bpy.context.view_layer.update()
    assert len(landmarks.shown(bpy.context)) == 1
