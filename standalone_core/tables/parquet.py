# SPDX-License-Identifier: MIT
"""Tables as Parquet files, by pyarrow: a column for each part of a vector, texts as categories."""

import importlib
import json
from collections.abc import Collection
from typing import IO, Any

import numpy as np

from ..errors import ArgumentError, MissingPackageError, TableFileError
from .table import Array, Table, checked, flat_with_names, gathered, leading_shape

_KEY = b"raypick"


def _pyarrow(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingPackageError(
            "a .parquet file needs pyarrow, which is not installed: pip install pyarrow"
        ) from None


HAS_META = True
"""Whether files of this format keep what else is said of a table."""


def check_installed() -> None:
    """MissingPackageError without pyarrow."""
    for name in ("pyarrow", "pyarrow.parquet"):
        _pyarrow(name)


def write(file: IO[bytes], table: Table) -> None:
    """Write the columns and the meta of a table; MissingPackageError without pyarrow."""
    arrow, parquet = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
    arrays = {}
    for name, (array, names) in flat_with_names(table).items():
        if names is None:
            arrays[name] = arrow.array(np.ascontiguousarray(array))
        else:
            ids = arrow.array(array.astype(np.int32), mask=array < 0)
            arrays[name] = arrow.DictionaryArray.from_arrays(
                ids, arrow.array(names, arrow.string())
            )
    said = {
        "meta": table.meta,
        "shape": leading_shape(table.columns),
        "columns": {name: array.shape for name, array in table.columns.items()},
        "names": table.names,  # with those that no row has
    }
    try:
        text = json.dumps(said, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"the meta of a table must be what JSON has: {error}") from None
    made = arrow.table(arrays).replace_schema_metadata({_KEY: text})
    parquet.write_table(made, file, write_page_checksum=True)


def read(file: IO[bytes]) -> Table:
    """Read any table of numbers and texts; of one that :func:`write` made, its columns and meta."""
    columns, names, said = _read(file)
    if not said:
        return Table(gathered(columns, names.keys()), names, {}, {})
    numbers = {name: array for name, array in columns.items() if name not in names}
    try:
        return checked(_shaped(numbers, said), said["names"], {}, said["meta"])
    except TableFileError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise TableFileError(f"the table is damaged: {error}") from None


def read_meta(file: IO[bytes]) -> dict[str, Any]:
    """Read the meta of a table alone; of another's it is empty."""
    said = _read(file, ())[2]
    meta = said.get("meta", {}) if isinstance(said, dict) else {}
    return meta if isinstance(meta, dict) else {}


def read_some(file: IO[bytes], wanted: Collection[str]) -> dict[str, Array]:
    """Read the flat columns of any table that have these names."""
    columns, names, _ = _read(file, wanted)
    if names:
        raise TableFileError(f"column {next(iter(names))!r} holds texts, not numbers")
    return columns


def _read(
    file: IO[bytes], wanted: Collection[str] | None = None
) -> tuple[dict[str, Array], dict[str, tuple[str, ...]], Any]:
    """The flat columns of a file, their names, and what :func:`write` said of them."""
    arrow, parquet = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
    names: dict[str, tuple[str, ...]] = {}
    try:
        opened = parquet.ParquetFile(file, page_checksum_verification=True)
        there = opened.schema_arrow
        listed = [each for each in there.names if wanted is None or each in wanted]
        table = opened.read(listed)
        columns = {name: _array(arrow, name, table.column(name), names) for name in listed}
        return columns, names, json.loads((there.metadata or {}).get(_KEY, b"{}"))
    except (TableFileError, MemoryError):
        raise
    except Exception as error:  # pyarrow's errors have no common base
        raise TableFileError(f"the file is damaged, or no Parquet file: {error}") from None


def _array(arrow: Any, name: str, column: Any, names: dict[str, tuple[str, ...]]) -> Array:
    """A column of numbers as it is, one of texts as ids."""
    kind = column.type
    if arrow.types.is_string(kind) or arrow.types.is_large_string(kind):
        column, kind = column.dictionary_encode(), arrow.dictionary(arrow.int32(), kind)
    if arrow.types.is_dictionary(kind):
        whole = column.combine_chunks()
        if isinstance(whole, arrow.ChunkedArray):
            whole = whole.unify_dictionaries().chunk(0) if whole.num_chunks else None
        texts = [] if whole is None else whole.dictionary.to_pylist()
        names[name] = tuple(map(str, texts))
        ids = [] if whole is None else whole.indices.fill_null(-1)
        return np.asarray(ids, dtype=np.int32)
    array: Array = column.to_numpy()
    if array.dtype.kind not in "biuf":
        raise TableFileError(f"column {name!r} holds neither numbers nor texts, but {kind}")
    return array


def _shaped(flat_columns: dict[str, Array], said: Any) -> dict[str, Array]:
    """The columns of the shapes that they were written with."""
    stored, found, place = list(flat_columns.values()), {}, 0
    lead = tuple(said["shape"])
    for name, shape in said["columns"].items():
        count = int(np.prod(shape[len(lead) :]))
        parts = stored[place : place + count]
        place += count
        found[name] = (parts[0] if count == 1 else np.stack(parts, axis=-1)).reshape(shape)
    if place != len(stored):
        raise TableFileError("the table is damaged: it has other columns than it lists")
    return found
