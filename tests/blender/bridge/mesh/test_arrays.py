# SPDX-License-Identifier: GPL-3.0-or-later
"""Of a mesh with hidden faces, each index is that in the whole mesh, and hidden ones are errors."""

from importlib import import_module

import bpy
import numpy as np
import pytest

from ...conftest import PACKAGE
from ...scenes import down, mesh_object


def polygons_in_a_row(counts):
    """A mesh of faces with these numbers of corners, side by side along x."""
    vertices, faces = [], []
    for face, count in enumerate(counts):
        angles = np.arange(count) * (2.0 * np.pi / count)
        faces.append(range(len(vertices), len(vertices) + count))
        vertices += [(3.0 * face + np.cos(angle), np.sin(angle), 0.0) for angle in angles]
    obj = mesh_object("Row", vertices, [tuple(face) for face in faces])
    bpy.context.view_layer.objects.active = obj
    return obj


def listed_mesh():
    (row,) = (
        import_module(f"{PACKAGE}.bridge.scene.snapshot").of_context(bpy.context).listed.values()
    )
    return row.mesh


@pytest.mark.parametrize("kind", ["scan", "tree", "flat"])
@pytest.mark.parametrize("sizes", ["triangles", "all sizes"])
def test_every_index_is_that_of_the_whole_mesh(raypick, rng, sizes, kind):
    counts = rng.integers(3, 4 if sizes == "triangles" else 7, 12)
    hidden = rng.random(12) < 0.5
    hidden[:2] = True, False
    obj = polygons_in_a_row(counts.tolist())
    obj.data.polygons.foreach_set("hide", hidden)
    obj.data.calc_loop_triangles()
    triangles = [(each.polygon_index, each.vertices[:]) for each in obj.data.loop_triangles]
    places = np.array([vertex.co for vertex in obj.data.vertices])
    if kind == "flat":
        obj.scale.z = 0.0
    bpy.ops.object.mode_set(mode="EDIT")
    mesh, errors = listed_mesh(), raypick.standalone_core.errors
    if kind == "tree":
        mesh.polygons.build()
    visible = []
    for triangle, (face, vertices) in enumerate(triangles):
        x, y, _ = places[list(vertices)].mean(axis=0)
        hits = down(raypick, x, y)
        if hidden[face]:
            assert not hits
            with pytest.raises(errors.IndexRangeError, match="hidden"):
                mesh.face_of(triangle)
            with pytest.raises(errors.IndexRangeError, match="no face"):
                mesh.split_face(face)
            continue
        visible.append(triangle)
        assert [(hit.face, hit.triangle, hit.vertices) for hit in hits] == [
            (face, triangle, vertices)
        ]
        assert mesh.face_of(triangle) == face
        split = mesh.split_face(face)
        assert tuple(split.vertices[triangle - split.first].tolist()) == vertices
        assert hits[0].triangle_of_face == triangle - split.first
    everywhere = raypick.standalone_core.Region.of(np.empty((0, 4)))
    assert mesh.triangles_in(everywhere).triangle.tolist() == visible
    with pytest.raises(errors.IndexRangeError):
        mesh.face_of(len(triangles))


def test_beside_hidden_faces_a_large_mesh_has_the_normals_that_blender_shades_with(raypick, rng):
    side = 160
    x, y = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side))
    places = np.stack([x, y, 0.3 * np.sin(5 * x) * np.cos(4 * y)], axis=-1).reshape(-1, 3)
    first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    faces = first[:, None] + (0, 1, side + 1, side)
    obj = mesh_object("Waves", places.tolist(), faces.tolist())
    obj.data.shade_smooth()
    hidden = rng.random(len(faces)) < 0.4
    obj.data.polygons.foreach_set("hide", hidden)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="SCULPT")
    for face in rng.choice(np.flatnonzero(~hidden), 20).tolist():
        weights = rng.dirichlet((1, 1, 1))
        hit = raypick.api.place(
            bpy.context, "Waves", face=face, triangle_of_face=0, barycentric=weights
        )
        normals = [obj.data.vertices[vertex].normal for vertex in hit.vertices]
        between = np.array(hit.barycentric) @ np.array(normals, dtype=np.float64)
        between /= np.linalg.norm(between)
        np.testing.assert_allclose(hit.smooth_normal, between, atol=1e-9)
