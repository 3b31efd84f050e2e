# SPDX-License-Identifier: GPL-3.0-or-later
"""Add objects of every type that shows faces, and what makes instances of them."""

import bpy

from .common import action, below, is_shown_by, link, objects, one, place, ranked, size, some, turn
from .marking import mark
from .node_groups import instance_on_points, object_info

PRIMITIVES = (
    ("cube", {}),
    ("plane", {}),
    ("grid", {"x_subdivisions": 3, "y_subdivisions": 4}),
    ("uv_sphere", {"segments": 8, "ring_count": 5}),
    ("ico_sphere", {"subdivisions": 1}),
    ("cone", {"vertices": 6}),
    ("cylinder", {"vertices": 7}),
    ("torus", {"major_segments": 8, "minor_segments": 5}),
)


def added(rng):
    """Put what an operator has just added somewhere."""
    obj = ranked(bpy.context.object)
    obj.location, obj.rotation_euler, obj.scale = place(rng), turn(rng), size(rng)
    if obj.type == "MESH":
        mark(obj.data, rng)
    return obj


@action()
def add_primitive(rng):
    name, options = rng.choice(PRIMITIVES)
    getattr(bpy.ops.mesh, f"primitive_{name}_add")(**options)
    added(rng)


@action()
def add_mesh_of_data(rng):
    mesh = bpy.data.meshes.new("Cube")
    corners = [place(rng) for _ in range(rng.randint(4, 7))]
    mesh.from_pydata(corners, [], [tuple(range(len(corners))), (0, 1, 2), (0, 2, 3)])
    mark(mesh, rng)
    link(bpy.data.objects.new("Cube", mesh))


@action()
def add_text(rng):
    bpy.ops.object.text_add()
    text = added(rng).data
    text.body = rng.choice(("Ab", "o", "X1"))
    text.extrude = rng.choice((0.0, 0.2))
    text.resolution_u = 2


@action()
def add_curve(rng):
    kind = rng.choice(("bezier_circle", "bezier_curve", "nurbs_path"))
    getattr(bpy.ops.curve, f"primitive_{kind}_add")()
    curve = added(rng).data
    curve.resolution_u = 3
    curve.bevel_depth, curve.bevel_resolution = rng.uniform(0.05, 0.4), 1
    if rng.randrange(2):
        curve.extrude = 0.3


@action()
def add_surface(rng):
    kind = rng.choice(("surface", "sphere", "cylinder"))
    getattr(bpy.ops.surface, f"primitive_nurbs_surface_{kind}_add")()
    surface = added(rng).data
    surface.resolution_u = surface.resolution_v = 2


@action()
def add_metaball(rng):
    bpy.ops.object.metaball_add(type=rng.choice(("BALL", "CUBE", "ELLIPSOID")))
    ball = added(rng)
    ball.data.resolution = 0.6
    # Far apart sizes make Blender polygonise a huge grid.
    ball.scale = [rng.uniform(0.7, 1.2)] * 3


@action()
def add_lattice(rng):
    lattice = link(bpy.data.objects.new("Lattice", bpy.data.lattices.new("Lattice")))
    lattice.location = place(rng)
    lattice.scale = [3.0] * 3


@action()
def add_armature(rng):
    bpy.ops.object.armature_add()
    armature = ranked(bpy.context.object)
    armature.location = place(rng)
    armature.pose.bones[0].rotation_mode = "XYZ"


@action()
def instance_a_collection(rng):
    """An empty that instances a collection of some objects, maybe other such empties."""
    chosen = some(rng, objects())
    collection = bpy.data.collections.new("Instanced")
    taken_out = rng.randrange(3) == 0
    for obj in chosen:
        if taken_out:
            for user in list(obj.users_collection):
                user.objects.unlink(obj)
        collection.objects.link(obj)
    empty = link(bpy.data.objects.new("Empty", None))
    empty.instance_type, empty.instance_collection = "COLLECTION", collection
    empty.location, empty.rotation_euler, empty.scale = place(rng), turn(rng), size(rng)


@action()
def instance_by_nodes(rng):
    """An object with Geometry Nodes that put a cube, or an object, on its points."""
    bpy.ops.mesh.primitive_plane_add()
    carrier = added(rng)
    source = rng.choice([None, *below(carrier)])
    group = instance_on_points(source, realize=rng.randrange(2) == 0)
    carrier.modifiers.new("Instances", "NODES").node_group = group


@action()
def bring_in_by_nodes(rng):
    """An object whose Geometry Nodes show another object in its place, or several times."""
    bpy.ops.mesh.primitive_plane_add()
    carrier = added(rng)
    group = object_info(one(rng, below(carrier)), as_instance=rng.randrange(2) == 0)
    carrier.modifiers.new("Object Info", "NODES").node_group = group


@action()
def instance_on_faces(rng):
    """A parent whose vertices or faces show its child."""
    child = one(rng, objects("MESH", "CURVE", "FONT"))
    parent = one(rng, [other for other in below(child, "MESH") if not is_shown_by(other, child)])
    child.parent = parent
    parent.instance_type = rng.choice(("VERTS", "FACES"))
    parent.show_instancer_for_viewport = rng.randrange(2) == 0


@action()
def add_particles(rng):
    """Hair that shows an object at each root."""
    obj = one(rng, objects("MESH"))
    source = one(rng, below(obj, "MESH"))
    settings = obj.modifiers.new("Hair", "PARTICLE_SYSTEM").particle_system.settings
    settings.type, settings.count = "HAIR", 4
    settings.render_type, settings.instance_object = "OBJECT", source
    settings.particle_size = 0.3
