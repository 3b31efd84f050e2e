# SPDX-License-Identifier: GPL-3.0-or-later
"""Decode and check the text of untrusted files: its encoding, lines, numbers and names."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from .format import MarkFileError, Triple

MOST_MARKS = 200_000  # landmarks, or lines, that a file may have

_MOST_IN_JSON = 8 * MOST_MARKS  # lists and objects; Slicer's have five for each landmark

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?")
_COMMA_NUMBER = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]{1,5})?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_MISSING = frozenset({"", "na", "nan", "null", "none", "n/a"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_MOST_NAMES = 8  # in a message
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]+")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def decoded(data: bytes) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    if data.startswith(_UTF_16) or b"\0" in data[:4]:
        raise MarkFileError("the text is in UTF-16 or UTF-32; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MarkFileError(
            f"the text is not in UTF-8 from byte {error.start} on; save it as UTF-8"
        ) from None
    if "\0" in text:
        raise MarkFileError("there are zero bytes in it: this is no text")
    return text


def lines(data: bytes) -> list[tuple[int, str]]:
    """The lines that are not empty, without spaces around them, with their numbers from 1."""
    text = decoded(data).replace("\r\n", "\n").replace("\r", "\n")
    if text.count("\n") > MOST_MARKS:
        raise too_many()
    numbered = enumerate(map(str.strip, text.split("\n")), 1)
    return [(number, line) for number, line in numbered if line]


def too_many() -> MarkFileError:
    """The error for a file that would fill the memory."""
    return MarkFileError(f"there are more than {MOST_MARKS} landmarks in it")


def json_value(data: bytes) -> Any:
    """The value of a JSON file; NaN and infinity are refused."""
    text = decoded(data)
    if text.count("[") + text.count("{") > _MOST_IN_JSON:
        raise too_many()
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise MarkFileError("its JSON is nested too deeply") from None
    except ValueError as error:
        if isinstance(error, MarkFileError):
            raise
        raise MarkFileError(f"this is no JSON: {error}") from None


def _no_constant(name: str) -> float:
    raise MarkFileError(f"there is {name} in it, which JSON does not know")


def number(text: str, where: str, *, decimal_comma: bool = False) -> float:
    """A finite number; MarkFileError, which says where it is in the file, for anything else."""
    text = text.strip()
    if _COMMA_NUMBER.fullmatch(text):
        if not decimal_comma:
            sure = "has a decimal comma" if has_decimal_comma(text) else "may have a decimal comma"
            raise MarkFileError(f"{where}: {text} {sure}; write a point")
        text = text.replace(",", ".")
    if not _NUMBER.fullmatch(text):
        raise MarkFileError(f"{where}: {_quoted(text)} is no number")
    return finite(float(text), where)


def has_decimal_comma(text: str) -> bool:
    """Whether a number has a comma that cannot separate thousands."""
    return bool(_COMMA_NUMBER.fullmatch(text.strip()) and not _THOUSANDS.fullmatch(text.strip()))


def whole(text: str, where: str) -> int:
    """A whole number from 0 on; zeros after a point are allowed, as spreadsheets write them."""
    found = re.fullmatch(r"([0-9]{1,15})(?:\.0*)?", text.strip())
    if not found:
        raise MarkFileError(f"{where}: {_quoted(text)} is no whole number from 0 on")
    return int(found[1])


def place(cells: Sequence[str], where: str, *, decimal_comma: bool = False) -> Triple | None:
    """Three coordinates; None where all three are missing."""
    if len(cells) != 3:
        raise MarkFileError(f"{where}: three coordinates belong here")
    missing = [cell.strip().casefold() in _MISSING for cell in cells]
    if all(missing):
        return None
    if any(missing):
        raise MarkFileError(f"{where}: only some of the three coordinates are there")
    x, y, z = (number(cell, where, decimal_comma=decimal_comma) for cell in cells)
    return x, y, z


def finite(value: object, where: str) -> float:
    """A value of a file as a finite float; MarkFileError for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            result = float(value)
        except OverflowError:
            result = math.inf
        if math.isfinite(result):
            return result
        raise MarkFileError(f"{where}: a number is not finite")
    raise MarkFileError(f"{where}: {_quoted(value)} is no number")


def triple(value: object, where: str) -> Triple:
    """Three finite numbers of a file, from a list or the like."""
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise MarkFileError(f"{where}: {_quoted(value)} are not three numbers")
    x, y, z = (finite(item, where) for item in value)
    return x, y, z


def weights(value: object, where: str) -> Triple:
    """Three barycentric weights that add up to 1, none of them negative, both within 0.001.

    Files round, and the weights of the published FLAME landmarks go down to -9.6e-14.
    """
    found = triple(value, where)
    if min(found) < -1e-3 or abs(math.fsum(found) - 1) > 1e-3:
        raise MarkFileError(f"{where}: {found} are not three weights that add up to 1")
    return found


def index(value: object, where: str) -> int:
    """An index of a file, from 0 on."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 53:
        raise MarkFileError(f"{where}: {_quoted(value)} is no index")
    return value


def readable(value: object) -> str:
    """A name or description in one line of valid characters."""
    return _CONTROL.sub(" ", _valid(value)).strip()


def name_of(value: object) -> str:
    """A name of valid characters, without spaces around it; line breaks stay."""
    return _UNSEEN.sub(" ", _valid(value).replace("\r\n", "\n")).strip(" ")


def _valid(value: object) -> str:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def first_of(names: Sequence[str]) -> str:
    """Names for a message, only the first of many."""
    return ", ".join(map(repr, names[:_MOST_NAMES])) + (" ..." if names[_MOST_NAMES:] else "")


def encoded(parts: Iterable[str]) -> bytes:
    r"""Text as UTF-8; invalid characters are written as in JSON, like ``\udce9``."""
    return "".join(parts).encode("utf-8", "backslashreplace")


def named(names: Iterable[str], template: str, start: int = 1) -> list[str]:
    """Names, the empty ones replaced by a template with their number."""
    return [name or template.format(number) for number, name in enumerate(names, start)]


def digits(values: Iterable[float]) -> list[str]:
    """Numbers with all their digits, for a file."""
    return [repr(float(value)) for value in values]


def _quoted(value: object) -> str:
    text = repr(value) if not isinstance(value, list | dict) else type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."
