# SPDX-License-Identifier: GPL-3.0-or-later
"""What users choose about files of landmarks: formats, units, axes, and how triangles count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface
from bpy.props import EnumProperty, StringProperty

from ..bridge.landmarks import storage
from ..bridge.landmarks.fitting import Arguments
from ..model.landmark_files import Triple
from ..model.landmarks.document import Document
from ..session import landmarks
from ..translations import reasons
from .base import RaypickOperator

FORMAT_ITEMS = (
    (
        "slicer",
        "Slicer Markups",
        "Positions for 3D Slicer, with the places on the mesh (.mrk.json)",
    ),
    ("fcsv", "Slicer Fiducials", "Positions for 3D Slicer, as it wrote them once (.fcsv)"),
    (
        "embedding",
        "Face Model Embedding",
        "Triangles and weights for FLAME, SMPL-X, MediaPipe and DECA (.npz)",
    ),
    ("wrap", "Wrap Points on Triangles", "Triangles and weights for Faceform Wrap (.json)"),
    ("meshlab", "MeshLab Picked Points", "Positions for MeshLab (.pp)"),
    ("pts", "Landmark and Viewbox Points", "Positions for Landmark, Viewbox and Morpho (.pts)"),
    ("tps", "TPS", "Positions for geomorph, without names (.tps)"),
    ("csv", "CSV", "A table with a row for each landmark (.csv)"),
    ("tsv", "TSV", "A table for spreadsheets, with tabs between columns (.tsv)"),
    ("npy", "NumPy Positions", "An array of positions, without names (.npy)"),
    ("cloudcompare", "CloudCompare Picking List", "Positions for CloudCompare (.txt)"),
)
UNITS = {"M": "m", "CM": "cm", "MM": "mm", "UM": "µm", "IN": "in", "FT": "ft"}
UNIT_ITEMS = (
    ("SCENE", "Scene Units", "Numbers as Blender has them, whatever a unit of the scene is"),
    ("M", "Meters", "By the unit scale of the scene"),
    ("CM", "Centimeters", "By the unit scale of the scene"),
    ("MM", "Millimeters", "By the unit scale of the scene"),
    ("UM", "Micrometers", "By the unit scale of the scene"),
    ("IN", "Inches", "By the unit scale of the scene"),
    ("FT", "Feet", "By the unit scale of the scene"),
)
AXES_ITEMS = (
    ("Z_UP", "Z Up", "As in Blender"),
    ("Y_UP", "Y Up", "Z points to the viewer, as in most OBJ and glTF files"),
    ("LPS", "LPS", "Left, posterior, superior: as in Blender, for one who faces the front view"),
    ("RAS", "RAS", "Right, anterior, superior: X and Y are negated"),
)
SPACE_ITEMS = (
    ("WORLD", "World", "Positions in world space"),
    ("LOCAL", "Local", "Positions in the local space of the object"),
)
MESH_ITEMS = (
    ("AUTO", "Automatic", "The original mesh, unless landmarks are on the evaluated one alone"),
    ("ORIGINAL", "Original", "The mesh without its modifiers"),
    ("EVALUATED", "Evaluated", "The mesh with its modifiers"),
)
CUT_ITEMS = (
    ("AUTO", "As Usual", "Fans for Wrap, and Blender's triangles for all else"),
    ("BLENDER", "Blender's Triangles", "Faces are cut as Blender cuts them where it draws them"),
    ("FAN", "Fans", "Faces are cut from their first corner"),
)
SETS_ITEMS = (
    ("ACTIVE", "Active Set", "The set that was used last"),
    ("ALL", "All Sets", "All sets of the object, if the format holds several"),
)


class InSpace:
    """Mixin of operators that ask for the space of positions, and from where on they count."""

    space: EnumProperty(name="Space", description="The space of positions", items=SPACE_ITEMS)
    offset: StringProperty(  # of Blender's numbers none has the digits of a survey's coordinates
        name="Offset",
        description="X, Y, Z of the file where the space begins: the global shift of a scan",
        options={"SKIP_SAVE"},
    )


class OnMesh:
    """Mixin of operators that ask how triangles count."""

    mesh: EnumProperty(
        name="Mesh", description="The mesh in which triangles count", items=MESH_ITEMS
    )
    triangles: EnumProperty(
        name="Triangles",
        description="How faces with more than three corners are cut into triangles",
        items=CUT_ITEMS,
    )


class OfLandmarks(RaypickOperator):
    """Base of operators that read the landmarks of the active object."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.is_possible(why_no_landmarks(context))


def why_no_landmarks(context: bpy.types.Context) -> str | None:
    """Why there are no landmarks of the active object that can be read; None where there are."""
    obj = context.object
    if obj is None:
        return "There is no active object"
    document = landmarks.readable(obj)
    if document is None:
        return reasons.translated(storage.why_not_editable(obj) or "")
    has_any = any(each.landmarks for each in document.sets)
    return None if has_any else "The active object has no landmarks"


def active_sets(document: Document, which: str) -> str | None:
    """The id of the set that is meant; None for all."""
    if which == "ALL" or document.set is None:
        return None
    return document.set.id


def chosen(value: str) -> str | None:
    """What the API takes for an item; None for what is as usual."""
    return None if value in ("AUTO", "FILE") else UNITS.get(value, value)


def in_unit(unit: str, axes: str) -> str:
    """The unit and axes of positions, to be reported."""
    return f"{shown_unit(unit)}, {shown_axes(axes)}"


def shown_unit(unit: str) -> str:
    """A unit, to be reported."""
    return pgettext_iface("Scene Units") if unit == "SCENE" else unit


def shown_axes(axes: str) -> str:
    """Axes, to be reported."""
    return pgettext_iface({name: label for name, label, _ in AXES_ITEMS}[axes])


def shown_arguments(arguments: Arguments) -> str:
    """Arguments of an import as its fields show them, to be reported."""
    shown: dict[str, tuple[str, Callable[[Any], str]]] = {
        "unit": ("Unit", shown_unit),
        "axes": ("Axes", shown_axes),
        "offset": ("Offset", _shown_offset),
    }
    parts = ((*shown[name], value) for name, value in arguments.items())
    return ", ".join(f"{pgettext_iface(label)}: {text(value)}" for label, text, value in parts)


def properties_of(arguments: Arguments) -> dict[str, Any]:
    """Arguments of an import as its operator has them."""
    items = {unit: name for name, unit in UNITS.items()}
    return {
        name: _shown_offset(value) if name == "offset" else items.get(value, value)
        for name, value in arguments.items()
    }


def _shown_offset(offset: Triple) -> str:
    return ", ".join(repr(each).removesuffix(".0") for each in offset)
