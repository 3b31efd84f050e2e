# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of the add-on, imported without the add-on around it, which imports Blender."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

_ROOM = Path(__file__).parents[3] / "blender_addon" / "model"
_NAME = "model_of_the_add_on"


def model_module(name):
    """A module of the model by its name there, such as ``landmark_files.fans``."""
    if _NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            _NAME, _ROOM / "__init__.py", submodule_search_locations=[str(_ROOM)]
        )
        sys.modules[_NAME] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[_NAME])
    return importlib.import_module(f"{_NAME}.{name}")


files = SimpleNamespace(
    **{
        **vars(model_module("landmark_files.format")),
        **vars(model_module("landmark_files.registry")),
    }
)
spreadsheet = model_module("record")
fans = model_module("landmark_files.wrap")
text = model_module("landmark_files.text")

Mark, MarkFile, Measurement = files.Mark, files.MarkFile, files.Measurement
MarkFileError = files.MarkFileError
HEAD = (
    Mark("nasion", (0.1, -1 / 3, 12.75), 7, 3, (0.25, 0.5, 0.25), (0.0, -1.0, 0.0), "bridge of it"),
    Mark("gnathion, left", (1e-9, 2e7, -3.0), 0, 0, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    Mark("Ångström ü", (5.0, 6.0, 7.0), 4294967295, 12, (0.0, -9.6e-14, 1.0), (0.6, 0.0, -0.8)),
)
"""Landmarks with all that a file may have."""


def written(format, marks, layout=None, columns=None, **of_set):
    """A file of one set."""
    return files.write(format, [MarkFile("head", tuple(marks), **of_set)], layout, columns)


def marks_of(data, format):
    """The landmarks of the only set in a file."""
    (only,) = files.read(data, format)
    return only.marks


def random_marks(rng, count, missing=0.0):
    """Landmarks on triangles, of any size, some of them missing."""
    points = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-12, 12, (count, 1))
    weights = rng.dirichlet((1, 1, 1), count)
    triangles = rng.integers(0, 1 << 32, count)
    absent = rng.random(count) < missing
    rows = zip(points.tolist(), triangles.tolist(), weights.tolist(), absent, strict=True)
    return [
        Mark(f"L.{n}", None if gone else tuple(point), triangle, None, tuple(weight))
        for n, (point, triangle, weight, gone) in enumerate(rows)
    ]
