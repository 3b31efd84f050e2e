# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts that people read in the interface, gathered from the source code."""

import ast
import re
from pathlib import Path

from tests.core.landmark_files.model import files, model_module

ADDON = Path(__file__).parents[1] / "blender_addon"

FOLDERS = ("ui", "operators", "overlay")
FILES = (
    "session/active_landmarks.py",
    "session/following.py",
    "session/history.py",
    "session/hover.py",
    "session/survey.py",
    "session/undo.py",
    "compiled_code.py",
    "options.py",
    "bridge/query_options.py",
    "preferences.py",
    "translations/reasons.py",
    "registration.py",
    "formatting.py",
    "model/hit.py",
    "model/landmarks/document.py",
    "model/landmarks/measure.py",
    "model/landmarks/template.py",
    "bridge/landmarks/anchoring.py",
    "bridge/landmarks/topology.py",
    "bridge/landmarks/face_numbers.py",
    "bridge/landmarks/places.py",
    "bridge/landmarks/editing.py",
    "bridge/landmarks/fitting.py",
    "bridge/landmarks/empties.py",
    "bridge/landmarks/importing.py",
    "bridge/landmarks/locating.py",
    "bridge/landmarks/measuring.py",
    "bridge/landmarks/measure_files.py",
    "bridge/landmarks/storage.py",
    "bridge/landmarks/triangle_numbers.py",
    "bridge/original/faces.py",
    "bridge/placing.py",
    "bridge/batch/columns.py",
    "bridge/original/trace.py",
    "bridge/report.py",
    "render/engine.py",
    "render/files.py",
    "render/settings.py",
)

# Names for Python and for Blender are no texts, nor are class names and Blender's own terms.
_IS_NAME = re.compile(
    r"[a-z0-9_.:*;/-]*|[A-Z0-9_]+|RAYPICK_\w+|[A-Z]\w*_[MP]T_\w+|\w*Node[A-Z]\w*|[\W\d_]*"
)
_NO_TEXT = {
    *("ABC", "XYZ", "UV", "UV ", "Ag", "Raypick", "Numba", "NumPy", "JSON", "CSV", "Python"),
    *(
        "Operator",
        "Scene",
        "µm",
        "3D View",
        "3D View Tool: ",
        "Window",
        "lineWidth",
        "viewportSize",
    ),
    *("Operator", "_Row", "closed curve", "the matrix of the object", r"[\n\r\t,;]+", "srgbTarget"),
    *("Attribute", "Geometry", "Scale", "Value", "Vector", "nk,nkc->nc"),
    *("False", "NaN", "PickHit", "_Function", "{columns}"),
    *("Front", "OriginalFace", "RayDepth", "RayNormal", "RayUV", "SmoothNormal", "Standard"),
    # What only scripts are told.
    *("each of hits", "each of names", "nothing was hit there", "this is no history"),
    *("a point must be finite", "a measure has a list of places", "a face or a triangle is needed"),
    *("its weights must not be below 0", "its weights must add up to 1"),
}


def texts():
    """Every text of the interface, in English."""
    paths = [path for folder in FOLDERS for path in sorted((ADDON / folder).glob("*.py"))]
    found = set()
    for path in [*paths, *(ADDON / name for name in FILES)]:
        found |= texts_of(path.read_text(encoding="utf-8"))
    return found | texts_of(repr([*texts_of_formats()]))


def texts_of_formats():
    """The texts by which formats of landmarks, their layouts and their columns are offered."""
    for each in files.formats():
        yield from (each.label, each.purpose, each.layouts_tell)
        for layout in each.layouts.values():
            yield from (layout.label, layout.purpose)
    for column in model_module("landmark_files.table").COLUMNS.values():
        yield from (column.label, column.purpose)


def texts_of(source):
    """The texts in a module: all strings but docstrings, names, and what is put into formats.

    The help of commands is in English alone.
    """
    tree = ast.parse(source)
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.JoinedStr):
            value = node.value if isinstance(node, ast.Expr) else node
            if isinstance(value, ast.Constant | ast.JoinedStr):
                left_out.update(map(id, ast.walk(value)))
        if isinstance(node, ast.keyword) and node.arg in ("about", "help"):
            left_out.add(id(node.value))
        if isinstance(node, ast.arg | ast.AnnAssign | ast.FunctionDef):
            annotation = getattr(node, "annotation", None) or getattr(node, "returns", None)
            if isinstance(annotation, ast.Constant):
                left_out.add(id(annotation))
    strings = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in left_out
    }
    return {text for text in strings if not _IS_NAME.fullmatch(text)} - _NO_TEXT
