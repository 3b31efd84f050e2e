# SPDX-License-Identifier: GPL-3.0-or-later
"""``info``: what is in the file that is open."""

import bpy

from tests.blender.command.conftest import camera, saved
from tests.blender.heads import mark


def test_it_counts_what_rays_can_hit(raypick, animated, type_in):
    hidden = bpy.data.objects["Suzanne"].copy()
    bpy.context.scene.collection.objects.link(hidden)
    hidden.hide_viewport = True
    bpy.data.objects["Suzanne"].vertex_groups.new(name="Jaw")
    saved(animated)
    ran = type_in("info", "--json")
    found = ran.json
    graph = bpy.context.evaluated_depsgraph_get()
    faces = [
        sum(len(face.vertices) - 2 for face in each.object.data.polygons)
        for each in graph.object_instances
        if each.object.type == "MESH"
    ]
    assert ran.code == 0
    assert found["triangles"] == sum(faces) == 3936 + 6 * 12
    assert (found["objects"], found["instances"]) == (2, 6)
    assert found["triangles_of_meshes"] == 3936 + 12
    assert {"UVMap", "position", "Jaw"} <= {*found["attributes"]}


def test_it_names_cameras_frames_and_landmarks(raypick, animated, type_in):
    mark(raypick, bpy.data.objects["Suzanne"], count=2)
    camera("Second").data.type = "PANO"
    bpy.context.scene.render.resolution_percentage = 50
    saved(animated)
    found = type_in("info", "--json").json
    assert found["blender"] == bpy.app.version_string
    assert found["raypick"].count(".") == 2
    assert found["file"] == str(animated)
    first, second = found["cameras"]
    assert first == {"name": "Camera", "is_active": True, "width": 24, "height": 16}
    assert "panoramic" in second["error"]
    assert found["frames"] == [1, 10, 1]
    assert found["landmarks"] == [{"object": "Suzanne", "count": 2}]


def test_the_size_of_a_cropped_picture_is_that_of_its_border(animated, type_in):
    render = bpy.context.scene.render
    render.use_border, render.border_max_x, render.border_max_y = True, 0.5, 0.26
    for is_cropped, size in ((False, (48, 32)), (True, (24, 8))):
        render.use_crop_to_border = is_cropped
        (found,) = type_in("info", "--json").json["cameras"]
        assert (found["width"], found["height"]) == size


def test_people_read_the_same(animated, type_in):
    ran = type_in("info")
    lines = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in ran.out.splitlines()}
    assert lines["objects"] == "2"
    assert lines["instances"] == "6"
    assert lines["cameras"] == "Camera 48 x 32"
    assert lines["frames"] == "1-10"
