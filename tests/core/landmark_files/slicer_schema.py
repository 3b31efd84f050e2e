# SPDX-License-Identifier: GPL-3.0-or-later
"""The facts of Slicer's schema for markups, version 1.0.3, that concern landmarks.

They are written down from markups-schema-v1.0.3.json in Modules/Loadable/Markups/Resources/Schema
of Slicer's sources. Every object may have more keys.
"""

NUMBER, TEXT, FLAG, WHOLE = (int, float), str, bool, int
_COLOR = ("numbers", 3, 0.0, 1.0)
_CODE = ("texts", 3)
_POINT = {
    "id": TEXT,
    "label": TEXT,
    "description": TEXT,
    "associatedNodeID": TEXT,
    "position": ("numbers", 3),
    "orientation": ("numbers", 9),
    "selected": FLAG,
    "locked": FLAG,
    "visibility": FLAG,
    "positionStatus": {"undefined", "preview", "defined"},
}
_MEASUREMENT = {
    "name": TEXT,
    "enabled": FLAG,
    "value": NUMBER,
    "units": [TEXT, _CODE],
    "description": TEXT,
    "printFormat": TEXT,
}
_DISPLAY = {
    "visibility": FLAG,
    "opacity": NUMBER,
    "color": _COLOR,
    "selectedColor": _COLOR,
    "pointLabelsVisibility": FLAG,
}
_MARKUP = {
    "type": {"Fiducial", "Line", "Angle", "Curve", "ClosedCurve", "Plane", "ROI"},
    "name": TEXT,
    "coordinateSystem": {"LPS", "RAS"},
    "coordinateUnits": [{"mm", "um"}, _CODE],
    "locked": FLAG,
    "fixedNumberOfControlPoints": FLAG,
    "labelFormat": TEXT,
    "lastUsedControlPointNumber": WHOLE,
    "controlPoints": ("each", _POINT),
    "display": _DISPLAY,
    "measurements": ("each", _MEASUREMENT),
}
_FILE = {"@schema": TEXT, "markups": ("each", _MARKUP)}


def faults(file):
    """Where a file does not satisfy the schema."""
    missing = [key for key in _FILE if key not in file]
    missing += [f"type of {n}" for n, each in enumerate(file["markups"]) if "type" not in each]
    return missing + list(_faults(file, _FILE, "file"))


def _faults(value, kind, where):
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            yield f"{where} is no object"
            return
        for key in value.keys() & kind.keys():
            yield from _faults(value[key], kind[key], f"{where}.{key}")
    elif isinstance(kind, list):
        found = [list(_faults(value, each, where)) for each in kind]
        if all(found):
            yield from found[0]
    elif isinstance(kind, set):
        if not isinstance(value, str) or value not in kind:
            yield f"{where} is {value!r}"
    elif isinstance(kind, tuple) and isinstance(kind[0], str):
        yield from _faults_of_list(value, kind, where)
    elif not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        yield f"{where} is {value!r}"


def _faults_of_list(value, kind, where):
    what, *bounds = kind
    if not isinstance(value, list):
        yield f"{where} is no list"
    elif what == "each":
        for number, item in enumerate(value):
            yield from _faults(item, bounds[0], f"{where}[{number}]")
    else:
        length, *limits = bounds
        if len(value) != length:
            yield f"{where} has {len(value)} items"
        for item in value:
            yield from _faults(item, NUMBER if what == "numbers" else TEXT, where)
            if limits and not limits[0] <= item <= limits[1]:
                yield f"{where} has {item}"
