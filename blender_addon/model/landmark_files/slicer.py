# SPDX-License-Identifier: GPL-3.0-or-later
"""Markups of 3D Slicer, ``.mrk.json``: schema 1.0.3, and what older versions wrote.

The schema is Modules/Loadable/Markups/Resources/Schema in the sources of Slicer. It allows
additional keys: a control point has its place on the surface under ``raypick``, which Slicer
ignores, and drops when it saves the file again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from . import text
from .format import Format, Kind, Mark, MarkFile, MarkFileError, Measurement, Triple

SCHEMA = (
    "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/Markups/"
    "Resources/Schema/markups-schema-v1.0.3.json#"
)
_TYPES: dict[Kind, str] = {
    "points": "Fiducial",
    "line": "Line",
    "angle": "Angle",
    "curve": "Curve",
    "closed curve": "ClosedCurve",
}
_KINDS = {name: kind for kind, name in _TYPES.items()}
_MOST_POINTS = {"line": 2, "angle": 3}
_UCUM = {
    "mm": ("mm", "millimeter"),
    "µm": ("um", "micrometer"),
    "m": ("m", "meter"),
    "cm": ("cm", "centimeter"),
    "in": ("[in_i]", "inch"),
    "ft": ("[ft_i]", "foot"),
}
_UNITS = {code: unit for unit, (code, _) in _UCUM.items()} | {"μm": "µm", "µm": "µm"}
_PLAIN_UNITS = ("mm", "µm")  # the schema takes these two codes as plain text
_NO_POSITION = frozenset({"undefined", "missing", "preview"})

_Value = TypeVar("_Value")


def is_like(data: bytes) -> bool:
    """Whether a file is JSON with markups."""
    return not any(isinstance(item, int) for item in _read_markups(data))


def read(data: bytes, name: str) -> list[MarkFile]:
    """The sets of a file. Planes and boxes have no landmarks and are left out."""
    sets, others = [], []
    for number, markup in enumerate(_read_markups(data), 1):
        where = f"markup {number}"
        kind = _checked(dict, markup, where).get("type")
        if isinstance(kind, str) and kind in _KINDS:
            sets.append(_read_set(markup, where, _KINDS[kind], name))
        else:
            others.append(f"{where} is a {text.readable(kind) or 'thing without a type'}")
    if not sets:
        raise MarkFileError("; ".join(["it has no landmarks", *others[:5]]))
    if sum(len(each.marks) for each in sets) > text.MOST_MARKS:
        raise text.too_many()
    return [replace(sets[0], left_out=(*sets[0].left_out, *others)), *sets[1:]]


def _read_markups(data: bytes) -> list[Any]:
    value = text.json_value(data)
    markups = value.get("markups") if isinstance(value, dict) else None
    if not isinstance(markups, list):
        raise MarkFileError('it has no list "markups"')
    return markups


def _read_set(markup: Mapping[str, Any], where: str, kind: Kind, name: str) -> MarkFile:
    axes = markup.get("coordinateSystem", "LPS")
    if axes not in ("LPS", "RAS"):
        raise MarkFileError(f"{where}: its coordinate system is neither LPS nor RAS")
    unit = _UNITS.get(_code(markup.get("coordinateUnits", "mm")))
    points = _checked(list, markup.get("controlPoints", []), where)
    display = _checked(dict, markup.get("display", {}), where)
    measurements = _checked(list, markup.get("measurements", []), where)
    own = _checked(dict, markup.get("raypick", {}), where)
    numbered = enumerate(points, 1)
    return MarkFile(
        name=text.readable(markup.get("name")) or name,
        marks=tuple(_read_mark(each, f"{where}, point {number}") for number, each in numbered),
        axes=axes,
        unit=unit,
        kind=kind,
        object=text.readable(own.get("object")),
        topology=text.readable(own.get("topology")),
        color=_color(display.get("selectedColor", display.get("color"))),
        locked=markup.get("locked") is True,
        hidden=display.get("visibility") is False,
        measurements=tuple(_read_measurements(measurements, where)),
        left_out=() if unit else (f"{where}: its unit is not known",),
    )


def _read_mark(point: Any, where: str) -> Mark:
    point = _checked(dict, point, where)
    position, status = point.get("position"), point.get("positionStatus", "defined")
    is_there = status not in _NO_POSITION and position not in (None, "", [])
    orientation, place = point.get("orientation"), _checked(dict, point.get("raypick", {}), where)
    return Mark(
        name=text.name_of(point.get("label")),
        point=text.triple(position, where) if is_there else None,
        triangle=_optional(text.index, place.get("triangle"), where),
        face=_optional(text.index, place.get("face"), where),
        corners=_optional(_corners, place.get("corners"), where),
        barycentric=_optional(text.weights, place.get("barycentric"), where),
        normal=_optional(_normal, orientation, where),
        description=text.readable(point.get("description")),
        locked=point.get("locked") is True,
        hidden=point.get("visibility") is False,
        selected=point["selected"] if isinstance(point.get("selected"), bool) else None,
    )


def _optional(read: Callable[[Any, str], _Value], value: Any, where: str) -> _Value | None:
    return None if value is None else read(value, where)


def _corners(value: Any, where: str) -> tuple[int, int, int]:
    a, b, c = (text.index(item, where) for item in text.triple(value, where))
    return a, b, c


def _read_measurements(measurements: list[Any], where: str) -> list[Measurement]:
    """The measurements with a value; Slicer also lists those that it does not compute."""
    found = []
    for each in measurements:
        item = _checked(dict, each, where)
        if item.get("value") is not None and item.get("enabled") is not False:
            value = text.finite(item["value"], f"{where}, measurement")
            texts = text.readable(_code(item.get("units"))), text.readable(item.get("description"))
            found.append(Measurement(text.readable(item.get("name")), value, *texts))
    return found


def _code(unit: Any) -> str:
    """The code of a unit, which may be the first item of a list; empty for anything else."""
    code = unit[0] if isinstance(unit, list) and unit else unit
    return code if isinstance(code, str) else ""


def _color(value: Any) -> Triple | None:
    """Three numbers in 0 ... 1; None for anything else, which is no reason to refuse a file."""
    try:
        color = text.triple(value, "color")
    except MarkFileError:
        return None
    return color if min(color) >= 0 and max(color) <= 1 else None


def _normal(orientation: Any, where: str) -> Triple | None:
    """The z axis of an orientation, its third column; None for Slicer's default ones."""
    if not isinstance(orientation, list) or len(orientation) != 9:
        raise MarkFileError(f"{where}: an orientation has nine numbers")
    matrix = [text.finite(item, where) for item in orientation]
    if matrix in ([1, 0, 0, 0, 1, 0, 0, 0, 1], [-1, 0, 0, 0, -1, 0, 0, 0, 1]):
        return None
    vector = matrix[2], matrix[5], matrix[8]
    largest = max(map(abs, vector))
    if largest == 0:
        return None
    x, y, z = (item / largest for item in vector)
    length = (x * x + y * y + z * z) ** 0.5
    if abs(length * largest - 1) < 1e-15:
        return vector
    return x / length, y / length, z / length


def _checked(kind: type[_Value], value: Any, where: str) -> _Value:
    if not isinstance(value, kind):
        wanted = "a list" if kind is list else "a JSON object"
        raise MarkFileError(f"{where}: {type(value).__name__} where {wanted} belongs")
    return value


def write(*sets: MarkFile) -> bytes:
    """A file that Slicer 5 opens. Without axes it is in LPS, without a unit in mm."""
    file = {"@schema": SCHEMA, "markups": [_markup(each) for each in sets]}
    return json.dumps(file, indent=4, allow_nan=False).encode("ascii")


def _markup(each: MarkFile) -> dict[str, Any]:
    axes, unit = each.axes or "LPS", each.unit or "mm"
    if axes not in ("LPS", "RAS"):
        raise MarkFileError(f"Slicer knows the axes LPS and RAS, not {axes}")
    if len(each.marks) > _MOST_POINTS.get(each.kind, len(each.marks)):
        raise MarkFileError(f"a {each.kind} has {_MOST_POINTS[each.kind]} points at most")
    code, meaning = _UCUM[unit]
    color = None if each.color is None else list(each.color)
    return {
        "type": _TYPES[each.kind],
        "name": each.name,
        "coordinateSystem": axes,
        "coordinateUnits": code if unit in _PLAIN_UNITS else [code, "UCUM", meaning],
        "locked": each.locked,
        "fixedNumberOfControlPoints": False,
        "labelFormat": "%N-%d",
        "lastUsedControlPointNumber": len(each.marks),
        "controlPoints": [_control_point(mark, n) for n, mark in enumerate(each.marks, 1)],
        "measurements": [
            _known(
                name=item.name,
                enabled=True,
                value=item.value,
                units=item.unit,
                description=item.description,
                printFormat="%-#4.4g %s",
            )
            for item in each.measurements
        ],
        # Slicer draws selected points, by default all, in another color.
        "display": {
            "visibility": not each.hidden,
            "opacity": 1.0,
            "pointLabelsVisibility": True,
            **_known(color=color, selectedColor=color),
        },
        **_own(object=each.object, topology=each.topology),
    }


def _control_point(mark: Mark, number: int) -> dict[str, Any]:
    place = "face", "corners", "triangle", "barycentric"
    return {
        "id": str(number),
        "label": mark.name,
        "description": mark.description,
        "associatedNodeID": "",
        **_known(position=mark.point, orientation=mark.normal and _orientation(mark.normal)),
        "selected": mark.selected is not False,
        "locked": mark.locked,
        "visibility": not mark.hidden,
        # Always: without it, some versions of Slicer show no point.
        "positionStatus": "undefined" if mark.point is None else "defined",
        **_own(**{name: getattr(mark, name) for name in place}),
    }


def _own(**values: Any) -> dict[str, Any]:
    """The known values, under a key that only Raypick reads."""
    known = _known(**values)
    return {"raypick": known} if known else {}


def _known(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, "")}


def _orientation(normal: Triple) -> list[float]:
    """A rotation with the normal as its z axis, row by row; never a default one of Slicer's."""
    x, y, z = normal
    across = min(range(3), key=lambda axis: abs(normal[axis]))
    u = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))[across]
    length = (u[0] ** 2 + u[1] ** 2 + u[2] ** 2) ** 0.5
    if length == 0:
        raise MarkFileError("a normal has no length")
    a, b, c = (item / length for item in u)
    v = (y * c - z * b, z * a - x * c, x * b - y * a)
    return [a, v[0], x, b, v[1], y, c, v[2], z]


FORMAT = Format(
    "slicer",
    "Slicer Markups",
    "Positions for 3D Slicer, with the places on the mesh (.mrk.json)",
    (".mrk.json", ".json"),
    frozenset(
        {"positions", "triangles", "faces", "names", "lines", "normals", "missing"}
        | {"axes", "units", "sets", "measurements"}
    ),
    read,
    write,
    is_like,
    unit="mm",
    axes="LPS",
)
