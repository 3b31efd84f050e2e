# SPDX-License-Identifier: MIT
"""What the engine Raypick says of its passes in the header of a picture, held to the picture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import ArgumentError, TableFileError
from ..files.whole_file import path_of
from .exr_reading import ExrFile
from .formats import File
from .table import Array

_PREFIX, _VERSION = "raypick/", 1
_KINDS = ("id", "long", "flag", "number")
_LETTERS = ("XYZW", "Z")  # of channels, in the order of a row's numbers
_BLENDERS = ("Combined",)  # the passes of a layer that has none of ours
IDS = ("object", "instance", "material")
"""The columns whose numbers have names."""

Key = tuple[str, str | None]
"""A view layer, and a view of it if the picture has views."""


class Header(NamedTuple):
    """What a file says of a layer or a view of it, and the channels of each pass."""

    meta: dict[str, Any]
    channels: dict[str, list[str]]


def damaged(what: str) -> TableFileError:
    """The error of a header that the engine did not write so."""
    return TableFileError(f"the header of Raypick is damaged: {what}")


def headers_in(file: ExrFile, path: File) -> dict[Key, Header]:
    """All headers of the engine in a file whose passes it has; TableFileError if there is none."""
    layers: dict[str, list[str]] = {}
    for name in file.kinds:
        layers.setdefault(name.rpartition(".")[0], []).append(name)
    headers = {name: text for part in file.texts for name, text in part.items()}
    headers = {name: text for name, text in headers.items() if name.startswith(_PREFIX)}
    if not headers:
        raise TableFileError(
            "the picture has no header of Raypick: render with the engine Raypick, "
            "to OpenEXR MultiLayer"
        )
    found, untold = {}, []
    for name, text in headers.items():
        if any(part.get(name, text) != text for part in file.texts):
            raise TableFileError("the parts of the file are of different renders")
        meta = _meta(text)
        for key, ends in _readings(name.removeprefix(_PREFIX)):
            layers_of = {title: f"{key[0]}.{title}{ends}" for title in meta["passes"] or _BLENDERS}
            if layers.keys() >= {*layers_of.values()}:
                channels = {
                    title: _in_order(layers[layers_of[title]], width)
                    for title, (_, _, width) in meta["passes"].items()
                }
                found[key] = Header(meta, channels)
                if key[1] is not None and not ends:
                    untold.append(key)
                break
    if not found:
        raise TableFileError("the header of Raypick names passes that the picture does not have")
    return _of_its_name(found, untold, Path(path_of(path)).stem)


def _of_its_name(found: dict[Key, Header], untold: list[Key], stem: str) -> dict[Key, Header]:
    """The headers, without those of other views where the file's name alone tells its view."""
    suffixes = {key: found[key].meta.get("file_suffix") or "" for key in untold}
    fitting = [key for key in untold if suffixes[key] and stem.endswith(suffixes[key])]
    others = {*untold} - {*fitting} if fitting else set()
    return {key: header for key, header in found.items() if key not in others}


def _readings(name: str) -> Iterator[tuple[Key, str]]:
    """What the name of a header may mean, and how its passes' layers then end.

    Names may have slashes themselves. A file of one view may have it in the header alone.
    """
    yield (name, None), ""
    for place in (place for place, letter in enumerate(name) if letter == "/"):
        layer, view = name[:place], name[place + 1 :]
        yield (layer, view), f".{view}"
        yield (layer, view), ""


def _in_order(channels: list[str], width: int) -> list[str]:
    """The channels of a pass that hold its column, as a row has them."""
    named = {name.rpartition(".")[2]: name for name in channels}
    for letters in _LETTERS:
        if named.keys() >= {*letters[:width]} and width <= len(letters):
            return [named[letter] for letter in letters[:width]]
    raise TableFileError(f"the picture has not all channels of a pass, only {', '.join(channels)}")


def chosen_header(found: dict[Key, Header], layer: Any, view: Any) -> tuple[Key, Header]:
    """The header that is asked for; ArgumentError if there is none or several."""
    fitting = [key for key in found if layer in (None, key[0]) and view in (None, key[1])]
    if len(fitting) == 1:
        return fitting[0], found[fitting[0]]
    listed = ", ".join(repr(key[0]) + (f" view {key[1]!r}" if key[1] else "") for key in found)
    if fitting:
        raise ArgumentError(f"the picture has several view layers or views, name one: {listed}")
    asked = " ".join(
        f"{what} {name!r}"
        for what, name in (("view layer", layer), ("view", view))
        if name is not None
    )
    raise ArgumentError(f"the picture has no {asked}, but the view layers {listed}")


def _meta(text: str) -> Any:
    """A header of JSON, whose version, passes and landmarks are checked."""
    try:
        meta = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged("it is no JSON") from None
    version = meta.get("version") if isinstance(meta, dict) else None
    if type(version) is not int:
        raise damaged("it has no version")
    if version > _VERSION:
        raise TableFileError(
            f"the picture is of format version {version}, "
            f"but this Raypick reads none after {_VERSION}"
        )
    passes = meta.get("passes")
    if not isinstance(passes, dict) or not all(map(_is_pass, passes.values())):
        raise damaged("it does not say what the passes are")
    if len({column for column, *_ in passes.values()}) < len(passes):
        raise damaged("two passes are the same column")
    if not _is_table(meta.get("landmarks") or {}):
        raise damaged("its landmarks are no table")
    return meta


def _is_pass(said: Any) -> bool:
    if not isinstance(said, list) or [*map(type, said)] != [str, str, int] or said[2] < 1:
        return False
    column, kind, _ = said
    return kind in _KINDS and (column not in IDS or kind in ("id", "long"))


def _is_table(said: Any) -> bool:
    is_dict = isinstance(said, dict) and all(isinstance(each, list) for each in said.values())
    return is_dict and len({len(each) for each in said.values()}) <= 1


def outside(file: ExrFile, meta: Mapping[str, Any]) -> Array:
    """Which pixels (H, W) were not rendered; TableFileError if the picture is not of that size."""
    width, height = _wholes(meta, "resolution", 2)
    is_cropped, has_border = (meta.get(each) not in (None, False) for each in ("cropped", "border"))
    whole = (0, 0, width, height)
    left, bottom, right, top = _wholes(meta, "border", 4) if has_border else whole
    if not (0 <= left < right <= width and 0 <= bottom < top <= height):
        raise damaged("its border lies outside of the picture")
    shape = (top - bottom, right - left) if is_cropped else (height, width)
    if file.shape != shape or file.data_window != file.display_window:
        told, is_now = (f"{each[1]} x {each[0]}" for each in (shape, file.shape))
        raise TableFileError(f"the picture was changed: it had {told} pixels, and has {is_now}")
    found = np.full(shape, not is_cropped)
    if not is_cropped:
        found[bottom:top, left:right] = False
    return found


def _wholes(meta: Mapping[str, Any], name: str, count: int) -> tuple[int, ...]:
    found = items(meta, name, int)
    if len(found) != count:
        raise damaged(f"{name} must be {count} numbers")
    return tuple(found)


def items(meta: Mapping[str, Any], name: str, kind: type) -> list[Any]:
    """A list of the header; TableFileError if it is not there, or not all of that kind."""
    found = meta.get(name)
    if not isinstance(found, list) or any(type(each) is not kind for each in found):
        raise damaged(f"it has no {name}")
    return found
