# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains of modifiers at random, on meshes at random whose faces hold their own index.

Blender carries the attribute along; the add-on does not read it.
"""

import bmesh
import bpy
import numpy as np

from ...scenes import mesh_object

ORACLE = "own_index"
MOST = 20_000  # faces, after which a chain ends
UNKNOWN = -1


def random_mesh(rng):
    """A bent patch of faces of 3 to 12 corners; some share several vertices with others."""
    mesh, build = bpy.data.meshes.new("Random"), bmesh.new()
    size = rng.integers(1, 6, 2)
    bmesh.ops.create_grid(build, x_segments=size[0], y_segments=size[1], size=1.0)
    for vertex in build.verts:
        vertex.co += type(vertex.co)(rng.uniform(-0.15, 0.15, 3) * (1.0, 1.0, 2.0))
    for edge in [each for each in build.edges if rng.random() < 0.2]:
        if edge.is_valid and len(edge.link_faces) == 2:
            bmesh.ops.dissolve_edges(build, edges=[edge])
    bmesh.ops.triangulate(build, faces=[each for each in build.faces if rng.random() < 0.2])
    if rng.random() < 0.3:
        for face in [each for each in build.faces if rng.random() < 0.2]:
            corners = rng.choice(len(face.verts), min(len(face.verts), 4), replace=False)
            chosen = [face.verts[i] for i in sorted(corners)[: int(rng.integers(3, 5))]]
            if build.faces.get(chosen) is None:
                build.faces.new(chosen)
    build.to_mesh(mesh)
    build.free()
    rows = rng.permutation(len(mesh.polygons))
    faces = [tuple(mesh.polygons[i].vertices) for i in rows]
    obj = mesh_object("Random", [vertex.co[:] for vertex in mesh.vertices], faces)
    own = obj.data.attributes.new(ORACLE, "INT", "FACE")
    own.data.foreach_set("value", np.arange(len(faces), dtype=np.int32))
    return obj


def settings(rng, kind):
    yes = lambda share=0.5: bool(rng.random() < share)  # noqa: E731
    choice = lambda *values: values[int(rng.integers(len(values)))]  # noqa: E731
    match kind:
        case "TRIANGULATE":
            return {
                "quad_method": choice("BEAUTY", "FIXED", "FIXED_ALTERNATE", "SHORTEST_DIAGONAL"),
                "ngon_method": choice("BEAUTY", "CLIP"),
                "min_vertices": choice(4, 4, 4, 5, 6, 9),
            }
        case "SUBSURF":
            return {
                "levels": choice(0, 1, 2),
                "subdivision_type": choice("SIMPLE", "CATMULL_CLARK"),
            }
        case "MIRROR":
            merging = {"use_mirror_merge": yes(), "merge_threshold": choice(0.001, 0.1, 0.6)}
            return {"use_axis": (yes(0.7), yes(0.3), yes(0.2)), **merging}
        case "ARRAY":
            merging = {"use_merge_vertices": yes(), "merge_threshold": choice(0.01, 0.2, 0.5)}
            return {"count": choice(1, 2, 3), "fit_length": 5.0, "fit_type": fit(yes), **merging}
        case "SOLIDIFY":
            return {"use_rim": yes(), "use_rim_only": yes(0.2), "thickness": 0.1}
    return {}


def fit(yes):
    return "FIT_LENGTH" if yes(0.2) else "FIXED_COUNT"


KINDS = {
    "TRIANGULATE": 4,
    "SUBSURF": 2,
    "MIRROR": 2,
    "ARRAY": 2,
    "SOLIDIFY": 2,
    "SMOOTH": 1,
    "EDGE_SPLIT": 1,
    "WELD": 0.2,
}


def random_chain(rng, obj):
    weights = np.array([*KINDS.values()]) / sum(KINDS.values())
    for kind in rng.choice([*KINDS], rng.integers(1, 5), p=weights).tolist():
        modifier = obj.modifiers.new(kind.title(), kind)
        for name, value in settings(rng, kind).items():
            setattr(modifier, name, value)
        modifier.show_in_editmode = bool(rng.random() < 0.8)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        if len(obj.evaluated_get(depsgraph).data.polygons) > MOST:
            obj.modifiers.remove(modifier)


def right_faces(mesh):
    """The own face (F,) that each evaluated face comes from."""
    right = np.empty(len(mesh.polygons), np.int32)
    mesh.attributes[ORACLE].data.foreach_get("value", right)
    return right
