# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever the API and the operators are given, they answer, or say in words why not.

The numbers of calls are those of a quick look; ``RAYPICK_NASTY_CALLS`` sets another.
"""

import inspect
import os
from collections import Counter
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from ..nasty import VALUES, drawn
from .actions.common import window
from .scenes import collection_instance, down, mesh_object, square, suzanne

pytestmark = pytest.mark.filterwarnings("error")

COUNT = int(os.environ.get("RAYPICK_NASTY_CALLS", "400"))


def removed(collection, *arguments):
    """Something of Blender's that is no more."""
    made = collection.new("Removed", *arguments)
    collection.remove(made)
    return made


BLENDERS = {
    "removed object": lambda: removed(bpy.data.objects, None),
    "list of removed objects": lambda: [removed(bpy.data.objects, None)],
    "removed mesh": lambda: removed(bpy.data.meshes),
    "removed scene": lambda: removed(bpy.data.scenes),
    "object": lambda: bpy.data.objects["Floor"],
    "mesh": lambda: bpy.data.meshes["Floor"],
    "camera object": lambda: bpy.data.objects["Camera"],
    "object of no scene": lambda: bpy.data.objects["Alone"],
    "name": lambda: "Floor",
    "names": lambda: ["Floor", "Suzanne"],
    "unknown name": lambda: "Nobody",
    "name of an instancer": lambda: "Instancer",
    "scene": lambda: bpy.context.scene,
    "context": lambda: bpy.context,
    "context as a dict": lambda: bpy.context.copy(),
    "viewport": lambda: viewport()[1],
    "region of another editor": lambda: other_region(),
    "Blender's vector": lambda: Vector((0, 0, -1)),
    "Blender's matrix": lambda: Matrix(),
    "bpy": lambda: bpy,
    "vertex": lambda: "vertex",
    "back": lambda: "back",
    "many pixels": lambda: 1e300,
}


def viewport():
    """The region of a 3D viewport, and the viewport."""
    area = next(area for area in window().screen.areas if area.type == "VIEW_3D")
    return next(region for region in area.regions if region.type == "WINDOW"), area.spaces.active


def over(region, x=80, y=30):
    """An event with the mouse over a pixel of a region."""
    return SimpleNamespace(mouse_x=region.x + x, mouse_y=region.y + y)


def other_region():
    return next(area for area in window().screen.areas if area.type != "VIEW_3D").regions[0]


@pytest.fixture
def scene(raypick):
    """A few things to be hit, and others."""
    square("Floor")
    suzanne(levels=1)
    collection_instance(square("Tile"), (5, 0, 0))
    corners = [(0, 0, -9), (1, 0, -9), (0, 1, -9), (0, 0, -8)]
    mesh_object("Closed", corners, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y = 12, 8
    bpy.data.objects.new("Alone", None)
    bpy.context.view_layer.update()
    yield
    raypick.api.remove_callback(ignored)


def ignored(_context, _event):
    """A callback."""


def all_calls(raypick):
    """Names of the API's functions, and arguments that they take."""
    region, space = viewport()
    view = {"region": region, "region_data": space.region_3d, "position": (40.5, 30.5)}
    ray = {"origin": (0.25, 0.5, 5), "direction": (0, 0, -1)}
    limits = {"max_distance": 99.0, "cull": None, "all_hits": False}
    rule = {"selectable_only": False, "solid_only": False, "evaluated": True, "exclude": ()}
    rule["only"] = ["Floor", "Suzanne", "Tile"]
    context = {"context": bpy.context}
    hits = raypick.api.ray_cast(bpy.context, (0.25, 0.5, 5), (0, 0, -1))
    rays = {"origins": [(0.25, 0.5, 5)] * 2, "directions": (0, 0, -1)}
    shown = {"space": None, **rule}
    limits |= {"min_distance": 0.5, "border": "closed"}
    most, side = {"max_distance": 99.0}, {"min_distance": 0, "cull": None, "border": "closed"}
    many = {**context, **rays, **most, **side, "min_distance": (0.0, 0.5), **shown}
    points = {**context, "points": [(0.25, 0.5, 5)] * 2, **shown}
    run = {"threads": None, "progress": None}
    columns = {"columns": ("face", "uv"), "attributes": ("UVMap",), "missing": "error"}
    survey = {"camera": None, "region": None, "region_data": None, "samples": 2, "clip": True}
    survey["visibility"] = "viewport"
    mapped = {**context, "object": "Suzanne", "uv_map": "UVMap", "library": None}
    mapped |= {"instance": None, "instancer": None, "space": None, "evaluated": True}
    inside = {"only": "Closed", "rule": "crossings", "threads": None}
    return {
        "cast_rays": many | columns | run,
        "cast_rays_all": many | columns | run,
        "any_hit": many | run,
        "count_hits": many | run,
        "survey": context | survey | columns | run | rule | most | side,
        "core_scene": context | shown,
        "frozen": context | shown,
        "ray_cast": context | ray | limits | shown,
        "closest_point": context | {"point": (0.25, 0.5, 5)} | most | shown,
        "nearest_vertex": context | {"point": (0.25, 0.5, 5)} | most | shown,
        "closest_points": points | most | columns | run,
        "contains": points | inside,
        "signed_distance": points | inside,
        "winding_number": points | {"max_error": 0.01, "threads": None} | shown,
        "pick": {
            **(context | view | limits | rule),
            "clip": True,
            "snap": None,
            "snap_radius": 15.0,
            "tolerance": 4.0,
        },
        "unpickable_at": {
            **(context | view),
            "max_distance": 99.0,
            "clip": True,
            "exclude": (),
            "only": None,
        },
        "point_on_plane": {**view, "point": (0, 0, 0), "normal": (0, 0, 1)},
        "place": {
            **context,
            "object": "Floor",
            "face": 0,
            "triangle": 0,
            "barycentric": (0.2, 0.3, 0.5),
            "triangle_of_face": 0,
            "library": None,
            "instance": None,
            "instancer": None,
            "space": None,
            "evaluated": True,
        },
        "at_uv": {**mapped, "uv": (0.25, 0.5)},
        "at_uvs": {**mapped, "uvs": [(0.25, 0.5), (9, 9)], **columns},
        "places": {**context, "hits": hits, **columns, "space": None},
        "mark_faces": {"object": "Floor", "copy": True},
        "unmark_faces": {"object": "Floor"},
        "under_mouse": {**context, "event": over(region)},
        "camera": {"region": region, "region_data": space.region_3d},
        "render_camera": {**context, "camera_object": bpy.data.objects["Camera"]},
        "on_pick": {"callback": ignored},
        "on_landmark": {"callback": ignored},
        "remove_callback": {"callback": ignored},
    }


def test_all_arguments_of_the_api_are_given(raypick, scene):
    calls, api = all_calls(raypick), raypick.api
    functions = {name for name in api.__all__ if inspect.isfunction(getattr(api, name))}
    assert functions - {"indexing", "memory", "save_scene"} == calls.keys()
    for name, given in calls.items():
        assert inspect.signature(getattr(api, name)).parameters.keys() == given.keys()
        assert getattr(api, name)(**given) is not None


def test_nasty_arguments_of_the_api_are_refused_by_name_or_answered(raypick, scene, rng):
    api, calls, values = raypick.api, all_calls(raypick), VALUES | BLENDERS
    before = down(raypick, 0.25, 0.5, all_hits=True)
    ends, faults = Counter(), []
    for _ in range(COUNT):
        name = str(rng.choice(list(calls)))
        arguments, chosen = drawn(rng, calls[name], values)
        try:
            getattr(api, name)(**arguments)
            ends["answered"] += 1
        except api.RaypickError as error:
            ends["refused"] += 1
            if not str(error) or len(str(error)) > 999 or "pick again" in str(error):
                faults.append(f"{name} {chosen}: {str(error)[:99]!r} is no reason")
        except Exception as error:
            ends["failed"] += 1
            faults.append(f"{name} {chosen}: {type(error).__name__}: {error!s:.150}")
    print(bpy.app.version_string, dict(ends))
    assert not faults, "\n".join([f"{len(faults)} of {COUNT}", *sorted(set(faults))[:60]])
    assert min(ends["answered"], ends["refused"]) > 0.02 * COUNT
    for name in ("Floor", "Closed"):
        api.unmark_faces(name)  # a hit has all attributes at its place
    assert down(raypick, 0.25, 0.5, all_hits=True) == before


NUMBERS = {
    "INT": [0, 1, -1, 3, 2**31 - 1, -(2**31)],
    "FLOAT": [0.0, 0.25, -1.0, 5.0, np.nan, np.inf, -np.inf, 1e38, 3e38, 1e-45],
    "BOOLEAN": [False, True],
    "STRING": [
        "",
        "Floor",
        "Suzanne",
        "Tile",
        "Instancer",
        "0",
        "0 1",
        "x" * 5000,
        "\udc80",
        "ä\n",
    ],
}
ERRORS_OF_BLENDER = "Converting py args to operator properties"


def any_value(rng, prop):
    """A value of an operator's property, or at times one that Blender itself refuses."""
    if prop.type == "ENUM":
        names = [*prop.enum_items.keys(), "NONSENSE"]
        if prop.is_enum_flag:
            return {names[i] for i in rng.integers(len(names), size=rng.integers(len(names)))}
        return names[rng.integers(len(names))]
    if prop.type == "COLLECTION":
        return [{"name": str(name)} for name in rng.choice(["", "a.csv", "."], rng.integers(3))]
    choices = NUMBERS[prop.type]
    count = getattr(prop, "array_length", 0)
    drawn_ones = [choices[rng.integers(len(choices))] for _ in range(count or 1)]
    return drawn_ones if count else drawn_ones[0]


def disturb(rng):
    """Do something else in Blender, as between two clicks."""
    step = rng.integers(8)
    if step == 0 and len(bpy.data.objects) > 3:
        bpy.data.objects.remove(bpy.data.objects[rng.integers(len(bpy.data.objects))])
    elif step == 1:
        square(f"Square {len(bpy.data.objects)}", z=float(rng.integers(-3, 4)))
    elif step == 2:
        bpy.context.scene.frame_set(int(rng.integers(100)))
    elif step == 3 and bpy.context.view_layer.objects.active is None:
        bpy.context.view_layer.objects.active = bpy.data.objects.get("Floor")
    elif step == 4 and bpy.context.view_layer.objects.active is not None:
        mode = str(rng.choice(["OBJECT", "EDIT", "SCULPT"]))
        if bpy.context.view_layer.objects.active.type == "MESH":
            bpy.ops.object.mode_set(mode=mode)
    elif step == 5:
        bpy.ops.raypick.cast(origin=(0.25, 0.5, 5), direction=(0, 0, -1))


def test_operators_end_with_a_message_at_worst(raypick, scene, rng, tmp_path, capfd):
    ends, faults = Counter(), []
    names = [name for name in dir(bpy.ops.raypick) if not name.startswith("_")]
    region, space = viewport()
    area = next(area for area in window().screen.areas if area.spaces.active == space)
    for _ in range(COUNT):
        name = names[rng.integers(len(names))]
        operator = getattr(bpy.ops.raypick, name)
        properties = [p for p in operator.get_rna_type().properties if p.identifier != "rna_type"]
        given = {p.identifier: any_value(rng, p) for p in properties if rng.random() < 0.7}
        if "filepath" in given:
            path = str(rng.choice(["history.csv", "history.json", "nowhere/history.csv", "."]))
            given["filepath"] = str(tmp_path / path)
        way = "EXEC_DEFAULT"
        if "export" not in name and rng.random() < 0.3:
            way = "INVOKE_DEFAULT"
        if rng.random() < 0.2:
            disturb(rng)
        override = {"window": window(), "area": area, "region": region}
        try:
            with bpy.context.temp_override(**(override if rng.random() < 0.5 else {})):
                operator(way, **given)
            ends["done"] += 1
        except (TypeError, ValueError) as error:
            ends["refused by Blender"] += 1
            if ERRORS_OF_BLENDER not in str(error):
                faults.append(f"{name} {given}: {type(error).__name__}: {error!s:.300}")
        except RuntimeError as error:
            ends["message"] += 1
            if "Traceback" in str(error):
                faults.append(f"{name} {given}: {str(error)[-400:]}")
        except Exception as error:
            faults.append(f"{name} {given}: {type(error).__name__}: {error!s:.300}")
    printed = "".join(capfd.readouterr())
    print(bpy.app.version_string, dict(ends))
    assert "Traceback" not in printed, printed[printed.index("Traceback") :][:2000]  # as of polls
    assert not faults, "\n".join([f"{len(faults)} of {COUNT}", *sorted(set(faults))[:30]])
    assert min(ends["done"], ends["message"]) > 0.02 * COUNT
