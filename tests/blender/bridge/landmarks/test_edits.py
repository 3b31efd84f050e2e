# SPDX-License-Identifier: GPL-3.0-or-later
"""Every edit of the topology is told, and no other edit is.

The oracle compares the vertices of all faces, one by one, before and after.
"""

import bmesh
import bpy
import numpy as np
import pytest

from ...scenes import mesh_object
from .oracle import hits_at, reasons

CHANGED = "The topology has changed"
SIDE = 9


@pytest.fixture
def marked(raypick):
    """A bent patch of quads with a few triangles; landmarks on its first faces alone."""
    places = [(x, y) for y in range(SIDE + 1) for x in range(SIDE + 1)]
    corners = [y * (SIDE + 1) + x for y in range(SIDE) for x in range(SIDE)]
    faces = [(i, i + 1, i + SIDE + 2, i + SIDE + 1) for i in corners]
    a, b, c, d = faces[-1]
    faces[-1:] = [(a, b, c), (a, c, d)]
    obj = mesh_object("Patch", [(x, y, 0.2 * np.sin(x + 2 * y)) for x, y in places], faces)
    bpy.context.view_layer.objects.active = obj
    bpy.context.view_layer.update()
    for triangle in (0, 1, 2):
        hit = raypick.api.place(bpy.context, obj, triangle=triangle)
        raypick.api.landmarks.add(bpy.context, hit)
    return obj


def pick(rng, elements, count=1):
    """Some of the elements, none of those near the landmarks."""
    far = [each for each in elements if position(each).x + position(each).y > 4.0]
    return [far[i] for i in rng.choice(len(far), size=count, replace=False)]


def position(element):
    if isinstance(element, bmesh.types.BMVert):
        return element.co
    vertices = element.verts
    return sum((vertex.co for vertex in vertices), vertices[0].co * 0) / len(vertices)


def rotate_edges(b, rng):
    bmesh.ops.rotate_edges(b, edges=pick(rng, [e for e in b.edges if len(e.link_faces) == 2]))


def dissolve(b, rng):
    bmesh.ops.dissolve_edges(b, edges=pick(rng, [e for e in b.edges if len(e.link_faces) == 2]))


def merge(b, rng):
    (edge,) = pick(rng, b.edges)
    bmesh.ops.pointmerge(b, verts=edge.verts[:], merge_co=edge.verts[0].co)


def sort_faces(b, rng):
    order = rng.permutation(len(b.faces)).tolist()
    b.faces.sort(key=lambda face: order[face.index])


def sort_vertices(b, rng):
    order = rng.permutation(len(b.verts)).tolist()
    b.verts.sort(key=lambda vertex: order[vertex.index])


def swap_two_vertices(b, rng):
    first, second = (vertex.index for vertex in pick(rng, b.verts, 2))
    swapped = {first: second, second: first}
    b.verts.sort(key=lambda vertex: swapped.get(vertex.index, vertex.index))


def connect(b, rng):
    (face,) = pick(rng, [face for face in b.faces if len(face.verts) == 4])
    bmesh.utils.face_split(face, face.verts[0], face.verts[2])


def make_again(b, rng):
    """The same face of the same vertices with another first corner, at the end of all."""
    (face,) = pick(rng, b.faces)
    vertices = face.verts[1:] + face.verts[:1]
    b.faces.remove(face)
    b.faces.new(vertices)


EDITS = [
    rotate_edges,
    dissolve,
    merge,
    sort_faces,
    sort_vertices,
    swap_two_vertices,
    connect,
    make_again,
    lambda b, rng: bmesh.ops.reverse_faces(b, faces=pick(rng, b.faces)),
    lambda b, rng: bmesh.ops.delete(b, geom=pick(rng, b.faces, 2), context="FACES"),
    lambda b, rng: bmesh.ops.delete(b, geom=pick(rng, b.faces), context="FACES_ONLY"),
    lambda b, rng: bmesh.ops.delete(b, geom=pick(rng, b.verts), context="VERTS"),
    lambda b, rng: bmesh.ops.extrude_face_region(b, geom=pick(rng, b.faces, 2)),
    lambda b, rng: bmesh.ops.extrude_discrete_faces(b, faces=pick(rng, b.faces)),
    lambda b, rng: bmesh.ops.split(b, geom=pick(rng, b.faces)),
    lambda b, rng: bmesh.ops.split_edges(b, edges=pick(rng, b.edges, 6)),
    lambda b, rng: bmesh.ops.poke(b, faces=pick(rng, b.faces)),
    lambda b, rng: bmesh.ops.triangulate(b, faces=pick(rng, b.faces, 3)),
    lambda b, rng: bmesh.ops.subdivide_edges(b, edges=pick(rng, b.edges), cuts=1),
    lambda b, rng: bmesh.ops.subdivide_edges(
        b, edges=pick(rng, b.faces)[0].edges[:], cuts=1, use_grid_fill=True
    ),
    lambda b, rng: bmesh.ops.inset_individual(b, faces=pick(rng, b.faces), thickness=0.1),
    lambda b, rng: bmesh.ops.duplicate(b, geom=pick(rng, b.faces)),
    lambda b, rng: bmesh.ops.collapse(b, edges=pick(rng, b.edges)),
    lambda b, rng: bmesh.ops.dissolve_verts(b, verts=pick(rng, b.verts)),
    lambda b, rng: b.verts.new((50.0, 0.0, 0.0)),
]


def faces_of(mesh):
    return len(mesh.vertices), [face.vertices[:] for face in mesh.polygons]


def edit(obj, rng, change):
    """Edit the mesh, and return whether its faces have other vertices by now."""
    before = faces_of(obj.data)
    edited = bmesh.new()
    edited.from_mesh(obj.data)
    for elements in (edited.verts, edited.edges, edited.faces):
        elements.ensure_lookup_table()
        elements.index_update()
    change(edited, rng)
    edited.to_mesh(obj.data)
    edited.free()
    obj.data.update()
    return faces_of(obj.data) != before


def restore(obj, kept):
    back = bmesh.new()
    back.from_mesh(kept)
    back.to_mesh(obj.data)
    back.free()
    obj.data.update()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("modifiers", [(), ("SUBSURF",), ("MIRROR", "SUBSURF")], ids=str)
def test_each_edit_of_the_topology_is_told_and_undone_gives_the_places_back(
    raypick, marked, seed, modifiers
):
    for kind in modifiers:
        marked.modifiers.new(kind, kind)
    rng = np.random.default_rng(seed)
    kept = marked.data.copy()
    points = raypick.api.landmarks.points(bpy.context, marked)
    assert np.isfinite(points).all()
    counts = tuple(map(len, (kept.vertices, kept.edges, kept.loops, kept.polygons)))
    told, same_counts = 0, 0
    for change in EDITS:
        if not edit(marked, rng, change):
            assert reasons(raypick, marked) == [None] * 3
            continue
        assert reasons(raypick, marked) == [CHANGED] * 3, f"seed {seed}, {change}"
        assert np.isnan(raypick.api.landmarks.points(bpy.context, marked)).all()
        mesh, told = marked.data, told + 1
        now = tuple(map(len, (mesh.vertices, mesh.edges, mesh.loops, mesh.polygons)))
        same_counts += counts == now
        restore(marked, kept)
        back = raypick.api.landmarks.points(bpy.context, marked)
        assert np.abs(back - points).max() < 1e-6, f"seed {seed}, {change}"
    assert told == len(EDITS)
    assert same_counts >= 5


@pytest.mark.parametrize("seed", range(4))
def test_edits_in_edit_mode_are_told_while_they_go_on(raypick, marked, seed):
    rng = np.random.default_rng(seed)
    points = raypick.api.landmarks.points(bpy.context, marked)
    kept = marked.data.copy()
    for change in EDITS:
        bpy.ops.object.mode_set(mode="EDIT")
        assert reasons(raypick, marked) == [None] * 3
        edited = bmesh.from_edit_mesh(marked.data)
        for elements in (edited.verts, edited.edges, edited.faces):
            elements.ensure_lookup_table()
            elements.index_update()
        change(edited, rng)
        bmesh.update_edit_mesh(marked.data)
        assert reasons(raypick, marked) == [CHANGED] * 3, f"seed {seed}, {change}"
        bpy.ops.object.mode_set(mode="OBJECT")
        assert reasons(raypick, marked) == [CHANGED] * 3, f"seed {seed}, {change}"
        restore(marked, kept)
        back = raypick.api.landmarks.points(bpy.context, marked)
        assert np.abs(back - points).max() < 1e-6


def move_vertices(obj, rng):
    moved = rng.normal(size=(len(obj.data.vertices), 3)).astype(np.float32)
    obj.data.vertices.foreach_set("co", moved.ravel())


def add_shape_key(obj, rng):
    if obj.data.shape_keys is None:
        obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Key")
    key.data[int(rng.integers(len(key.data)))].co.z += 2.0
    key.value = float(rng.uniform())


def change_uvs(obj, rng):
    layer = obj.data.uv_layers.active or obj.data.uv_layers.new(name="UV")
    layer.uv[int(rng.integers(len(layer.uv)))].vector = rng.uniform(size=2).tolist()


def change_materials(obj, rng):
    obj.data.materials.append(bpy.data.materials.new("Material"))
    for face in obj.data.polygons:
        face.material_index = int(rng.integers(len(obj.data.materials)))


def mark_edges(obj, rng):
    for edge in obj.data.edges:
        edge.use_seam, edge.use_edge_sharp = (rng.uniform(size=2) > 0.5).tolist()


def shade_smooth(obj, rng):
    for face in obj.data.polygons:
        face.use_smooth = bool(rng.uniform() > 0.5)


def hide_faces(obj, rng):
    for face in obj.data.polygons:
        face.hide = bool(rng.uniform() > 0.5)


def select_faces(obj, rng):
    for face in obj.data.polygons:
        face.select = bool(rng.uniform() > 0.5)


def add_attributes(obj, rng):
    for domain in ("POINT", "EDGE", "FACE", "CORNER"):
        layer = obj.data.attributes.new(f"{domain} {rng.integers(1 << 30)}", "FLOAT", domain)
        layer.data[0].value = 1.0


def add_weights(obj, rng):
    group = obj.vertex_groups.new(name="Group")
    group.add(rng.integers(len(obj.data.vertices), size=9).tolist(), 0.5, "REPLACE")


HARMLESS = [
    *(move_vertices, add_shape_key, change_uvs, change_materials, mark_edges, shade_smooth),
    *(hide_faces, select_faces, add_attributes, add_weights),
]


@pytest.mark.parametrize("modifiers", [(), ("SUBSURF",), ("MIRROR", "SUBSURF")], ids=str)
def test_edits_that_leave_the_topology_alone_are_never_told(raypick, marked, modifiers):
    for kind in modifiers:
        marked.modifiers.new(kind, kind)
    rng = np.random.default_rng(5)
    for number in rng.integers(len(HARMLESS), size=60).tolist():
        HARMLESS[number](marked, rng)
        marked.data.update()
        bpy.context.view_layer.update()
        assert reasons(raypick, marked) == [None] * 3, HARMLESS[number]
        assert np.isfinite(raypick.api.landmarks.points(bpy.context, marked)).all()


def test_landmarks_at_hits_of_the_edited_mesh_are_known_beside_those_that_are_lost(raypick, marked):
    edit(marked, np.random.default_rng(0), sort_faces)
    ((hit, point),) = hits_at(raypick, marked, 1, seed=0)
    raypick.api.landmarks.add(bpy.context, hit)
    assert reasons(raypick, marked) == [CHANGED] * 3 + [None]
    assert raypick.api.landmarks.points(bpy.context, marked)[3] == pytest.approx(point, abs=1e-6)
