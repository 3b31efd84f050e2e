# SPDX-License-Identifier: GPL-3.0-or-later
"""Add, change, switch, reorder, apply and remove modifiers."""

import bpy

from .common import ANY, NothingToDoError, action, below, objects, one, operate, select

ALONE = {
    "ARRAY": {"count": 2},
    "BEVEL": {"width": 0.1},
    "BUILD": {"frame_start": 1, "frame_duration": 8},
    "CAST": {"factor": 0.5},
    "DECIMATE": {"ratio": 0.6},
    "DISPLACE": {"strength": 0.3},
    "EDGE_SPLIT": {},
    "MASK": {"vertex_group": "Bone"},
    "MIRROR": {},
    "REMESH": {"mode": "BLOCKS", "octree_depth": 3},
    "SCREW": {"steps": 4, "render_steps": 4},
    "SIMPLE_DEFORM": {"angle": 1.0},
    "SMOOTH": {"iterations": 2},
    "SOLIDIFY": {"thickness": 0.2},
    "SUBSURF": {"levels": 1},
    "TRIANGULATE": {},
    "WAVE": {"height": 0.4},
    "WELD": {"merge_threshold": 0.3},
    "WIREFRAME": {"thickness": 0.1},
}
"""Modifiers that need no other object, with settings that show on a small mesh."""

DEPENDENT = {
    "ARMATURE": ("object", ("ARMATURE",)),
    "ARRAY": ("offset_object", ()),
    "BOOLEAN": ("object", ("MESH",)),
    "CAST": ("object", ()),
    "CURVE": ("object", ("CURVE",)),
    "HOOK": ("object", ()),
    "LATTICE": ("object", ("LATTICE",)),
    "MIRROR": ("mirror_object", ()),
    "SHRINKWRAP": ("target", ("MESH",)),
    "SURFACE_DEFORM": ("target", ("MESH",)),
}
"""Modifiers that follow another object: the property that names it, and the types it may have."""

CHANGEABLE = ("thickness", "strength", "factor", "width", "angle", "count", "levels", "ratio")
DEFORMED = ("MESH", "CURVE", "FONT", "SURFACE")


def with_modifiers():
    return [obj for obj in objects() if len(obj.modifiers)]


@action(ANY)
def add_modifier(rng):
    obj = one(rng, objects("MESH"))
    kind = rng.choice(sorted(ALONE))
    modifier = obj.modifiers.new(kind.title(), kind)
    for name, value in ALONE[kind].items():
        setattr(modifier, name, value)


@action(ANY)
def add_modifier_that_follows_an_object(rng):
    obj = one(rng, objects(*DEFORMED))
    kind = rng.choice(sorted(DEPENDENT))
    name, types = DEPENDENT[kind]
    target = one(rng, below(obj, *types))
    modifier = obj.modifiers.new(kind.title(), kind)
    if modifier is None:
        raise NothingToDoError
    setattr(modifier, name, target)
    if kind == "ARMATURE":
        group = obj.vertex_groups.new(name=target.data.bones[0].name)
        if obj.type == "MESH" and obj.mode == "OBJECT":
            group.add(range(len(obj.data.vertices)), 1.0, "REPLACE")
    elif kind == "ARRAY":
        modifier.use_object_offset, modifier.count = True, 2
    elif kind == "HOOK" and obj.type == "MESH" and obj.mode == "OBJECT":
        modifier.vertex_indices_set(list(range(0, len(obj.data.vertices), 2)))


@action(ANY)
def toggle_modifier(rng):
    modifier = one(rng, one(rng, with_modifiers()).modifiers)
    switch = rng.choice(("show_viewport", "show_viewport", "show_in_editmode", "show_on_cage"))
    setattr(modifier, switch, not getattr(modifier, switch))


@action(ANY)
def change_modifier(rng):
    modifier = one(rng, one(rng, with_modifiers()).modifiers)
    name = one(rng, [name for name in CHANGEABLE if hasattr(modifier, name)])
    if isinstance(getattr(modifier, name), int):
        setattr(modifier, name, rng.randint(0, 2))
    else:
        setattr(modifier, name, rng.uniform(0.05, 0.9))


@action(ANY)
def change_nodes(rng):
    nodes = [
        modifier for obj in objects() for modifier in obj.modifiers if modifier.type == "NODES"
    ]
    modifier = one(rng, nodes)
    group = modifier.node_group
    if group is None:
        raise NothingToDoError
    info = group.nodes.get("Object Info")
    if info is not None and rng.randrange(2):
        info.inputs["Object"].default_value = one(rng, below(modifier.id_data))
    elif info is not None:
        as_instance = info.inputs["As Instance"]
        as_instance.default_value = not as_instance.default_value
    else:
        size = [rng.uniform(0.5, 1.5) for _ in range(3)]
        one(rng, [n for n in group.nodes if n.type == "MESH_PRIMITIVE_CUBE"]).inputs[
            "Size"
        ].default_value = size


@action(ANY)
def move_modifier(rng):
    modifiers = one(rng, with_modifiers()).modifiers
    modifiers.move(rng.randrange(len(modifiers)), rng.randrange(len(modifiers)))


@action(ANY)
def remove_modifier(rng):
    modifiers = one(rng, with_modifiers()).modifiers
    modifiers.remove(one(rng, modifiers))


@action()
def apply_modifier(rng):
    obj = select([one(rng, with_modifiers())])[0]
    operate(bpy.ops.object.modifier_apply, modifier=one(rng, obj.modifiers).name)
