# SPDX-License-Identifier: GPL-3.0-or-later
"""How actions choose what they act on; the same numbers lead to the same choices."""

import bpy

OBJECT, EDIT, ANY = "OBJECT", "EDIT", "ANY"

ACTIONS = {}
"""All actions by name: functions of a ``random.Random``."""

MODES = {}
"""The mode that an action of that name needs."""


class NothingToDoError(Exception):
    """There is nothing in the scene that the action could be done to."""


def action(mode=OBJECT):
    """Declare an action, and the mode that it needs."""

    def declare(function):
        ACTIONS[function.__name__] = function
        MODES[function.__name__] = mode
        return function

    return declare


def window():
    """The window, to show another scene or view layer.

    Not the context's own: before Blender 4.5, after ``context.tool_settings`` was read, what is
    set through the context is noted in the scene of that time, whose memory a load has freed.
    """
    return bpy.data.window_managers[0].windows[0]


def objects(*types):
    """Objects of the view layer, of some types if any are named, by name."""
    found = [obj for obj in bpy.context.view_layer.objects if not types or obj.type in types]
    return sorted((obj for obj in found if obj.library is None), key=lambda obj: obj.name)


def one(rng, choices):
    """One of the choices."""
    choices = list(choices)
    if not choices:
        raise NothingToDoError
    return rng.choice(choices)


def some(rng, choices, most=3):
    """A few of the choices, at least one."""
    choices = list(choices)
    if not choices:
        raise NothingToDoError
    return rng.sample(choices, rng.randint(1, min(most, len(choices))))


def without_shape_keys(chosen):
    """Those whose meshes have no shape keys, which would be left behind by an edit.

    Blender then shows vertices that it never set, at other places in each run.
    """
    return [obj for obj in chosen if not obj.data.shape_keys]


def below(obj, *types):
    """Objects that this one may depend on, such that there are no cycles: they are older."""
    rank = obj.get("rank", 0)
    older = [other for other in objects(*types) if other.get("rank", 0) < rank]
    return [other for other in older if not is_shown_by(obj, other)]


def is_shown_by(obj, other):
    """Whether another object makes instances of this one, by however many steps."""
    seen, ahead = set(), [other]
    while ahead:
        shown = set(directly_shown(ahead.pop())) - seen
        seen |= shown
        ahead += shown
    return obj in seen


def directly_shown(obj):
    """The objects that this one makes instances of, or brings in by nodes."""
    if obj.instance_type in {"VERTS", "FACES"}:
        yield from obj.children
    if obj.instance_collection:
        yield from obj.instance_collection.all_objects
    for modifier in obj.modifiers:
        if modifier.type == "PARTICLE_SYSTEM":
            settings = modifier.particle_system.settings
            yield from [settings.instance_object] if settings.instance_object else ()
        elif modifier.type == "NODES" and modifier.node_group:
            info = modifier.node_group.nodes.get("Object Info")
            source = info and info.inputs["Object"].default_value
            yield from [source] if source else ()


def ranked(obj):
    """Give a new object its rank, above that of all others."""
    obj["rank"] = 1 + max((other.get("rank", 0) for other in bpy.data.objects), default=0)
    return obj


def link(obj):
    """Link a new object to the active collection, or else to the scene's own."""
    active = bpy.context.view_layer.active_layer_collection
    collection = active.collection if active else bpy.context.scene.collection
    collection.objects.link(obj)
    return ranked(obj)


def select(chosen):
    """Select these objects alone, the first active; return those that could be."""
    for obj in bpy.context.view_layer.objects:
        obj.select_set(False)
    chosen = [obj for obj in chosen if obj.visible_get() and not obj.hide_select]
    if not chosen:
        raise NothingToDoError
    for obj in chosen:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = chosen[0]
    return chosen


def operate(operator, **options):
    """Run an operator; one that refuses what it finds has done nothing."""
    try:
        if not operator.poll():
            raise NothingToDoError
        if operator(**options) == {"CANCELLED"}:
            raise NothingToDoError
    except RuntimeError as error:
        raise NothingToDoError(str(error)) from None


def place(rng):
    """A location near the origin."""
    return [rng.uniform(-4.0, 4.0) for _ in range(3)]


def turn(rng):
    """Euler angles."""
    return [rng.choice((0.0, rng.uniform(-3.0, 3.0))) for _ in range(3)]


def size(rng):
    """A scale: even, uneven, negative, rarely flat."""
    kind = rng.randrange(40)
    if kind < 15:
        return [rng.uniform(0.3, 1.5)] * 3
    scale = [rng.choice((-1, 1)) * rng.uniform(0.2, 2.0) for _ in range(3)]
    if kind == 39:
        scale[rng.randrange(3)] = 0.0
    return scale


def leave_mode():
    """Go to object mode."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
