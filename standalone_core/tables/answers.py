# SPDX-License-Identifier: MIT
"""Tables and pictures that say which question they answer, so that it is not computed again."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, TableFileError
from ..files.whole_file import ending_of, path_of
from . import exr, npz
from .formats import File, format_of, read_meta, read_table, write_table
from .table import Table, checked

_QUESTION, _CHECKSUM = "question", "checksum"


def write_answer(
    path: File,
    question: Any,
    columns: Mapping[str, npt.ArrayLike],
    *,
    names: Mapping[str, Sequence[str]] | None = None,
    extra: Mapping[str, npt.ArrayLike] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> None:
    """Write a table like :func:`.write_table`, with a question (of JSON types) and a checksum."""
    kept = (extra or {}) if format_of(path) is npz else {}
    table = checked(columns, names or {}, kept, {})
    told = {**(meta or {}), _QUESTION: question, _CHECKSUM: _checksum(table)}
    write_table(path, table.columns, names=table.names, extra=table.extra, meta=told)


def write_picture_answer(
    path: File, question: Any, channels: Mapping[str, npt.ArrayLike], meta: Mapping[str, Any]
) -> None:
    """Write a picture with a question and its meta as JSON in the header."""
    text = json.dumps({**meta, _QUESTION: question}, ensure_ascii=False, allow_nan=False)
    exr.write_exr(path, channels, {exr.META: text})


def is_answer(path: File, question: Any) -> bool:
    """Whether a file exists that answers exactly this question; all of it is read and checked."""
    try:
        if ending_of(path_of(path)) == ".exr":
            return _has_question(json.loads(exr.read_texts(path)[exr.META]), question)
        if not _has_question(read_meta(path), question):
            return False
        table = read_table(path)
        asks_it = _has_question(table.meta, question)
        return asks_it and table.meta.get(_CHECKSUM) == _checksum(table)
    except (OSError, ArgumentError, TableFileError, KeyError, ValueError, RecursionError):
        return False  # another program may have written the file


def _has_question(meta: Any, question: Any) -> bool:
    # JSON turns tuples into lists.
    return isinstance(meta, dict) and meta.get(_QUESTION) == json.loads(json.dumps(question))


def _checksum(table: Table) -> str:
    """A digest of all numbers and names of a table, their types and shapes."""
    digest = hashlib.blake2b(digest_size=16)
    for arrays in (table.columns, table.extra):
        listed = [(name, array.dtype.str, array.shape) for name, array in sorted(arrays.items())]
        digest.update(json.dumps(listed).encode())
        for _, array in sorted(arrays.items()):
            digest.update(np.ascontiguousarray(array).reshape(-1).data)
    digest.update(json.dumps(table.names, sort_keys=True).encode())
    return digest.hexdigest()
