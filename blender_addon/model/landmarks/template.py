# SPDX-License-Identifier: GPL-3.0-or-later
"""Templates: the names of landmarks to be placed, in their order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from .landmark_set import LandmarkSet

MOST_BYTES = 1 << 20
MOST_NAMES = 10_000
MOST_LETTERS = 255

NO_TEMPLATE = "This is no template: a list of names is needed"
NOT_JSON = "This is no valid JSON, from line {} on"
NO_NAMES = "The template has no names"
TOO_LARGE = "The template is too large"
BAD_NAME = "The name {} of the template cannot be used"
TWICE = "The template has the name {} twice"

_SEPARATORS = re.compile(r"[\n\r\t,;]+")
_UNSEEN = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class TemplateError(ValueError):
    """A template cannot be used; `form` says why in English, with a placeholder for `name`."""

    def __init__(self, form: str, name: str = "") -> None:
        self.form, self.name = form, name.encode("utf-8", "backslashreplace").decode()
        super().__init__(form.format(self.name))


@dataclass(frozen=True, slots=True)
class Template:
    """The names of landmarks to be placed."""

    notes: dict[str, str]  # the meaning of each name, or an empty text
    name: str | None = None


def from_json(data: bytes) -> Template:
    """The template of a JSON file: a list, or an object with the list ``landmarks``.

    The list has names, or objects with ``name`` and perhaps ``description``.
    """
    if len(data) > MOST_BYTES:
        raise TemplateError(TOO_LARGE)
    try:
        values: Any = json.loads(data)
    except json.JSONDecodeError as error:
        raise TemplateError(NOT_JSON, str(error.lineno)) from None
    except (ValueError, RecursionError):  # bytes that are no UTF-8 are a ValueError too
        raise TemplateError(NO_TEMPLATE) from None
    name = None
    if isinstance(values, dict):
        name, values = values.get("name"), values.get("landmarks")
    if not isinstance(values, list) or not isinstance(name, str | None):
        raise TemplateError(NO_TEMPLATE)
    if name is not None and (len(name) > MOST_LETTERS or _UNSEEN.search(name)):
        raise TemplateError(BAD_NAME, name[:MOST_LETTERS])
    return _checked(map(_row, values), name)


def from_bytes(data: bytes) -> Template:
    """The template of a text file in UTF-8, with names as :func:`from_text` takes them."""
    try:
        return from_text(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise TemplateError(NO_TEMPLATE) from None


def from_text(text: str) -> Template:
    """The template of typed names, with commas, semicolons or lines between them."""
    if len(text) > MOST_BYTES:
        raise TemplateError(TOO_LARGE)
    names = (part.strip() for part in _SEPARATORS.split(text))
    return _checked((name, "") for name in names if name)


def stepped(group: LandmarkSet, step: int) -> LandmarkSet:
    """The set, asking for the next missing landmark or, if `step` is -1, the previous one."""
    number, count = group.next_number, len(group.landmarks)
    if number is None:
        return group
    others = ((number + step * away) % count for away in range(1, count + 1))
    return replace(group, asked=next(row for row in others if group.landmarks[row].anchor is None))


def with_mirrored(names: Iterable[str], flipped: Callable[[str], str]) -> tuple[str, ...]:
    """Names, each followed by its mirrored name unless that is among them."""
    taken = dict.fromkeys(names)
    found: dict[str, None] = {}
    for name in taken:
        other = flipped(name)
        found |= dict.fromkeys([name] if other in taken else [name, other])
    return tuple(found)


def _row(row: object) -> tuple[str, str]:
    if isinstance(row, str):
        return row, ""
    if isinstance(row, dict):
        name, description = row.get("name"), row.get("description", "")
        if isinstance(name, str) and isinstance(description, str):
            return name, description
    raise TemplateError(NO_TEMPLATE)


def _checked(rows: Iterable[tuple[str, str]], set_name: str | None = None) -> Template:
    """The template of names with their meanings; TemplateError where one cannot be used."""
    found: dict[str, str] = {}
    for name, description in rows:
        name = name.strip()
        if not name or len(name) > MOST_LETTERS or _UNSEEN.search(name):
            raise TemplateError(BAD_NAME, name[:MOST_LETTERS])
        if name in found:
            raise TemplateError(TWICE, name)
        if len(found) == MOST_NAMES:
            raise TemplateError(TOO_LARGE)
        found[name] = _UNSEEN.sub(" ", description)[: MOST_LETTERS * 4]
    if not found:
        raise TemplateError(NO_NAMES)
    return Template(found, set_name)
