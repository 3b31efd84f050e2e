# SPDX-License-Identifier: GPL-3.0-or-later
"""Change meshes, curves and texts, in edit mode and out of it."""

import bmesh
import bpy
import numpy as np

from .common import (
    ANY,
    EDIT,
    NothingToDoError,
    action,
    objects,
    one,
    operate,
    select,
    some,
    without_shape_keys,
)


@action()
def enter_edit_mode(rng):
    select(some(rng, objects("MESH")))
    operate(bpy.ops.object.mode_set, mode="EDIT")


@action()
def enter_another_mode(rng):
    select([one(rng, objects("MESH"))])
    modes = ("SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT")
    operate(bpy.ops.object.mode_set, mode=rng.choice(modes))


@action(ANY)
def leave_the_mode(_rng):
    operate(bpy.ops.object.mode_set, mode="OBJECT")


def edited(rng):
    """A mesh in edit mode, as BMesh."""
    mesh = one(rng, without_shape_keys(bpy.context.objects_in_mode_unique_data)).data
    edit_mesh = bmesh.from_edit_mesh(mesh)
    for sequence in (edit_mesh.verts, edit_mesh.edges, edit_mesh.faces):
        sequence.ensure_lookup_table()
    return mesh, edit_mesh


@action(EDIT)
def move_vertices_in_edit_mode(rng):
    mesh, edit_mesh = edited(rng)
    for vertex in some(rng, edit_mesh.verts):
        vertex.co.z += rng.uniform(-1.0, 1.0)
    bmesh.update_edit_mesh(mesh, loop_triangles=rng.randrange(2) == 0, destructive=False)


@action(EDIT)
def delete_faces_in_edit_mode(rng):
    mesh, edit_mesh = edited(rng)
    bmesh.ops.delete(edit_mesh, geom=some(rng, edit_mesh.faces), context="FACES")
    bmesh.update_edit_mesh(mesh)


@action(EDIT)
def edit_by_operator(rng):
    objects_in_mode = bpy.context.objects_in_mode_unique_data
    if len(without_shape_keys(objects_in_mode)) < len(objects_in_mode):
        raise NothingToDoError
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.mesh.select_random(ratio=0.5, seed=rng.randrange(100))
    mesh = bpy.ops.mesh
    operator, options = rng.choice(
        (
            (mesh.subdivide, {"number_cuts": 1}),
            (mesh.dissolve_faces, {}),
            (mesh.dissolve_verts, {}),
            (mesh.dissolve_limited, {}),
            (mesh.delete, {"type": rng.choice(("VERT", "EDGE", "FACE", "ONLY_FACE"))}),
            (mesh.quads_convert_to_tris, {}),
            (mesh.tris_convert_to_quads, {}),
            (mesh.flip_normals, {}),
            (mesh.duplicate_move, {"TRANSFORM_OT_translate": {"value": (0.3, 0.2, 0.7)}}),
            (mesh.extrude_region_move, {"TRANSFORM_OT_translate": {"value": (0.1, 0.2, 0.5)}}),
            (mesh.inset, {"thickness": 0.1}),
            (mesh.poke, {}),
            (mesh.merge, {"type": "CENTER"}),
            (mesh.remove_doubles, {"threshold": 0.2}),
            (mesh.edge_split, {}),
            (mesh.vertices_smooth, {"factor": 0.5}),
        )
    )
    operate(operator, **options)


@action(EDIT)
def hide_faces_in_edit_mode(rng):
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.mesh.select_random(ratio=0.5, seed=rng.randrange(100))
    operate(bpy.ops.mesh.hide, unselected=rng.randrange(2) == 0)


@action(EDIT)
def reveal_faces_in_edit_mode(_rng):
    operate(bpy.ops.mesh.reveal)


@action()
def move_vertices(rng):
    mesh = one(rng, objects("MESH")).data
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    points *= 1 + np.random.default_rng(rng.randrange(2**32)).uniform(-0.3, 0.3, len(points))
    mesh.vertices.foreach_set("co", points)
    mesh.update()


@action()
def move_one_vertex(rng):
    one(rng, one(rng, objects("MESH")).data.vertices).co.x += rng.uniform(-1.0, 1.0)


@action()
def transform_the_mesh(rng):
    mesh = one(rng, objects("MESH")).data
    if rng.randrange(2):
        mesh.flip_normals()
    else:
        from mathutils import Matrix

        mesh.transform(Matrix.Translation([rng.uniform(-1.0, 1.0) for _ in range(3)]))
    mesh.update()


@action()
def rebuild_the_mesh(rng):
    """The mesh of another shape with the same data-block, as scripts that generate meshes do."""
    mesh = one(rng, without_shape_keys(objects("MESH"))).data
    made = bmesh.new()
    bmesh.ops.create_icosphere(made, subdivisions=1, radius=rng.uniform(0.5, 2.0))
    bmesh.ops.delete(made, geom=[made.faces[:][rng.randrange(20)]], context="FACES")
    made.to_mesh(mesh)
    made.free()
    mesh.update()


@action()
def clear_the_geometry(rng):
    mesh = one(rng, without_shape_keys(objects("MESH"))).data
    mesh.clear_geometry()
    if rng.randrange(2):
        mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.5)], [], [(0, 1, 2, 3)])
    mesh.update()


@action()
def change_a_curve_or_text(rng):
    data = one(rng, objects("CURVE", "FONT", "SURFACE", "META")).data
    if isinstance(data, bpy.types.TextCurve):
        data.body = rng.choice(("i", "Zz", "8"))
    elif isinstance(data, bpy.types.Curve):
        data.bevel_depth = rng.uniform(0.0, 0.5)
    else:
        one(rng, data.elements).radius = rng.uniform(0.8, 1.6)


@action()
def change_materials(rng):
    obj = one(rng, objects("MESH"))
    if not obj.data.materials or rng.randrange(2):
        obj.data.materials.append(bpy.data.materials.new("Chalk"))
    for face in obj.data.polygons:
        face.material_index = rng.randrange(len(obj.data.materials))


@action()
def add_shape_key(rng):
    obj = one(rng, objects("MESH"))
    if not obj.data.shape_keys:
        obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Key")
    for point in key.data:
        point.co.z += rng.uniform(-0.5, 0.5)
    key.value = 1.0


@action(ANY)
def change_shape_keys(rng):
    obj = one(rng, [obj for obj in objects("MESH") if obj.data.shape_keys])
    key = obj.data.shape_keys.key_blocks[-1]
    kind = rng.randrange(4)
    if kind == 0:
        key.mute = not key.mute
    elif kind == 1 and obj.mode == "OBJECT":
        obj.shape_key_remove(key)
    elif kind == 2:
        obj.show_only_shape_key = not obj.show_only_shape_key
    else:
        key.value = rng.random()
