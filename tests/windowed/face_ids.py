# SPDX-License-Identifier: GPL-3.0-or-later
"""Which face the graphics card draws on each pixel: read from colors, without rays or matrices.

Each face has a flat color of its own. Two pictures hold three digits of its index each, one in
each channel: so few levels that no rounding on the way to the screen turns one into another.
"""

import base64

import numpy as np

from tests.windowed.views import EMPTY

_BASE = 7
_PICTURES = 2
_LOWEST, _STEP = 64, 31
_MOST_ROUNDING = 3

NOTHING = -1
"""Instead of a face, where the background is seen."""

UNKNOWN = -2
"""Instead of a face, where something else is drawn."""

_BORDER = 24

SCENE = """
import base64
import numpy as np
from mathutils import Matrix, Quaternion, Vector
from bl_ext.user_default.raypick.session import history, current, queries, viewports
from bl_ext.user_default.raypick import settings
from bl_ext.user_default.raypick.operators import inspect

current.show(None)
history.clear()
current.include_all()
options = settings.preferences().options
for name in options.bl_rna.properties.keys():
    if name not in ("rna_type", "name"):
        options.property_unset(name)

def array(data, kind, width):
    return np.frombuffer(base64.b64decode(data), kind).reshape(-1, width)

def color_faces(mesh, colors):
    counts = [face.loop_total for face in mesh.polygons]
    for picture, rgb in enumerate(colors):
        rgba = np.ones((len(rgb), 4), dtype=np.float32)
        rgba[:, :3] = rgb / np.float32(255.0)
        layer = mesh.color_attributes.new(f"Digits {{picture}}", "BYTE_COLOR", "CORNER")
        layer.data.foreach_set("color_srgb", np.repeat(rgba, counts, axis=0).ravel())

def show_plainly(space):
    space.show_region_ui = space.show_region_toolbar = False
    space.show_region_header = space.show_region_tool_header = False
    space.overlay.show_overlays = space.show_gizmo = False
    shading = space.shading
    shading.type, shading.light, shading.color_type = "SOLID", "FLAT", "VERTEX"
    shading.background_type, shading.background_color = "VIEWPORT", (0.0, 0.0, 0.0)
    shading.show_object_outline = shading.show_cavity = shading.show_shadows = False

def turn_view(view):
    view.view_perspective, view.view_location = "PERSP", (0.0, 0.0, 0.0)
    view.view_rotation = Quaternion((0.9, 0.35, 0.1, 0.2)).normalized()
    view.view_distance = {distance}

def seen_by():
    return [
        [
            [each.x, each.y, each.width, each.height],
            [list(row) for row in each.data.perspective_matrix],
        ]
        for each in area.regions if each.type == "WINDOW"
    ]

def picks(pixels):
    found = []
    with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
        for x, y in pixels:
            spot = viewports.under(bpy.context.window, x, y)
            record = queries.pick(bpy.context, spot, options.query_options())
            hit = record.hits[0] if record.hits else None
            found.append((hit.face, hit.point) if hit else ({nothing}, None))
    return found

mesh = bpy.data.meshes.new("Scan")
mesh.from_pydata(
    array({vertices!r}, np.float32, 3).tolist(), [],
    [[i for i in face if i >= 0] for face in array({faces!r}, np.int32, 4).tolist()],
)
color_faces(mesh, array({colors!r}, np.uint8, 3).reshape({pictures}, -1, 3))
scan = bpy.data.objects.new("Scan", mesh)
bpy.context.scene.collection.objects.link(scan)
bpy.context.view_layer.objects.active = scan
_, area, region, view = viewport()
space = area.spaces.active
show_plainly(space)
turn_view(view)
result = None
"""

_SHOW_DIGITS = """
mesh.attributes.active_color = mesh.color_attributes["Digits {picture}"]
result = None
"""


def show_faces(blender, vertices, faces, distance):
    """Show a mesh, alone and plainly: vertices (V, 3), and faces (F, 4) with -1 for no corner."""
    blender.py(EMPTY)
    blender.redraw()
    blender.py(
        SCENE.format(
            vertices=_text(vertices, np.float32),
            faces=_text(faces, np.int32),
            colors=_text(_colors(len(faces)), np.uint8),
            pictures=_PICTURES,
            distance=distance,
            nothing=NOTHING,
        )
    )
    blender.redraw()


def drawn_faces(blender):
    """The face that is drawn on each pixel of the window (height, width), `NOTHING` or `UNKNOWN`.

    Only what the main regions of the first viewport draw is known, but for their borders: there
    Blender draws over it.
    """
    digits = []
    for picture in range(_PICTURES):
        blender.py(_SHOW_DIGITS.format(picture=picture))
        for _ in range(2):
            before = blender.py("area.tag_redraw()\ndraws")
            blender.wait(f"draws > {before}")
        digits.append(_digits(blender.pixels()))
    digits = np.concatenate(digits, axis=-1)
    faces = digits @ _BASE ** np.arange(digits.shape[-1])
    faces[(digits == NOTHING).all(axis=-1)] = NOTHING
    seen = np.full_like(faces, UNKNOWN)
    border = round(_BORDER * blender.py("bpy.context.preferences.system.ui_scale"))
    for (x, y, width, height), _ in blender.py("seen_by()"):
        inside = np.s_[y + border : y + height - border, x + border : x + width - border]
        is_known = (digits[inside] >= 0).all(axis=-1) | (faces[inside] == NOTHING)
        assert is_known.all(), "a color is none of the code"
        seen[inside] = faces[inside]
    return seen


def _colors(count):
    """The colors (pictures, count, 3) of so many faces."""
    places = _BASE ** np.arange(3 * _PICTURES)
    assert count <= _BASE ** len(places)
    digits = np.arange(count)[:, None] // places % _BASE
    return (_LOWEST + _STEP * digits).reshape(count, _PICTURES, 3).transpose(1, 0, 2)


def _digits(pixels):
    """The digits (..., 3) that colors mean: `NOTHING` for 0, `UNKNOWN` for no digit."""
    meaning = np.full(256, UNKNOWN, dtype=np.int8)
    meaning[0] = NOTHING
    for digit in range(_BASE):
        level = _LOWEST + _STEP * digit
        meaning[level - _MOST_ROUNDING : level + _MOST_ROUNDING + 1] = digit
    return meaning[pixels]


def _text(array, kind):
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind)).decode()
