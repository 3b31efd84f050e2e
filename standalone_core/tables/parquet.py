# SPDX-License-Identifier: MIT
"""Tables as Parquet files, by pyarrow: a column for each part of a vector, texts as categories."""

import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from ..concurrency.forks import imported
from ..errors import ArgumentError, MissingPackageError, TableFileError
from ..numerics.arrays import FloatArray
from ..numerics.reading import AnyArray
from .table import Chosen, Table, check_growth, checked, flat_with_names, gathered, leading_shape

_KEY = b"raypick"
_FLOAT = np.dtype(np.float64).itemsize
_ROWS = 1 << 16  # that are read at a time


def packages() -> tuple[Any, Any]:
    """pyarrow and its part for such files; MissingPackageError without it."""
    try:
        return imported("pyarrow"), imported("pyarrow.parquet")
    except ImportError:
        raise MissingPackageError(
            "a .parquet file needs pyarrow, which is not installed: pip install pyarrow"
        ) from None


def write(file: IO[bytes], table: Table) -> None:
    """Write the columns and the meta of a table; MissingPackageError without pyarrow."""
    arrow, parquet = packages()
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
    """Read any table of numbers and texts; one by :func:`write` keeps its shapes and meta."""
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
    """Read only the meta of a table; it is empty unless :func:`write` made the table."""
    said = _read(file, ())[2]
    meta = said.get("meta", {}) if isinstance(said, dict) else {}
    return meta if isinstance(meta, dict) else {}


def read_numbers(file: IO[bytes], chosen: Chosen) -> dict[str, FloatArray]:
    """Read columns of numbers (N,) of any table, a part at a time; null is NaN."""
    with _opened(file) as (arrow, opened, size):
        there = opened.schema_arrow
        listed = chosen(there.names)
        for name in listed.values():
            kind = there.field(name).type
            if not (arrow.types.is_integer(kind) or arrow.types.is_floating(kind)):
                what = "texts" if _is_text(arrow, kind) else kind
                raise TableFileError(f"column {name!r} holds {what}, not numbers")
        rows = _checked_rows(opened, size, dict.fromkeys(listed.values(), _FLOAT))
        columns = {column: np.empty(rows) for column in listed}
        place = 0
        for part in opened.iter_batches(_ROWS, columns=[*listed.values()]):
            for column, name in listed.items():
                numbers = part.column(name).to_numpy(zero_copy_only=False)
                columns[column][place : place + len(numbers)] = numbers
            place += len(part)
        if place != rows:
            raise TableFileError("the table is damaged: it has fewer rows than it says")
        return columns


def _read(
    file: IO[bytes], wanted: Collection[str] | None = None
) -> tuple[dict[str, AnyArray], dict[str, tuple[str, ...]], Any]:
    """The flat columns of a file, their names, and the metadata that :func:`write` stored."""
    names: dict[str, tuple[str, ...]] = {}
    with _opened(file) as (arrow, opened, size):
        there = opened.schema_arrow
        listed = [each for each in there.names if wanted is None or each in wanted]
        widths = {name: _width(arrow, name, there.field(name).type) for name in listed}
        _checked_rows(opened, size, widths)
        table = opened.read(listed)
        columns = {name: _array(arrow, table.column(name), name, names) for name in listed}
        return columns, names, json.loads((there.metadata or {}).get(_KEY, b"{}"))


@contextmanager
def _opened(file: IO[bytes]) -> Iterator[tuple[Any, Any, int]]:
    """pyarrow, the opened file and its size; errors of pyarrow become a TableFileError."""
    arrow, parquet = packages()
    try:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        # A text that many rows share is then not written out for each of them.
        texts = [each.name for each in parquet.read_schema(file) if _is_text(arrow, each.type)]
        file.seek(0)
        yield (
            arrow,
            parquet.ParquetFile(file, page_checksum_verification=True, read_dictionary=texts),
            size,
        )
    except (TableFileError, MemoryError):
        raise
    except Exception as error:  # pyarrow's errors have no common base
        raise TableFileError(
            f"the file is damaged, or is no Parquet file that can be read: {error}"
        ) from None


def _is_text(arrow: Any, kind: Any) -> bool:
    kinds = arrow.types
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_dictionary(kind))


def _width(arrow: Any, name: str, kind: Any) -> int:
    """The bytes of a number, or of a text's id; TableFileError if a column has neither."""
    if _is_text(arrow, kind):
        return np.dtype(np.int32).itemsize
    if arrow.types.is_boolean(kind):
        return 1
    if arrow.types.is_integer(kind) or arrow.types.is_floating(kind):
        return int(kind.bit_width) // 8
    raise TableFileError(f"column {name!r} holds neither numbers nor texts, but {kind}")


def _checked_rows(opened: Any, of_file: int, widths: Mapping[str, int]) -> int:
    """How many rows there are, before any is read; TableFileError if they would be too large.

    A few bytes may stand for any number of equal values.
    """
    said = opened.metadata
    groups = [said.row_group(each) for each in range(said.num_row_groups)]
    chunks = [group.column(each) for group in groups for each in range(said.num_columns)]
    listed = [each for each in chunks if each.path_in_schema in widths]
    rows = int(said.num_rows)
    counted = sum(each.num_values for each in listed)
    if not rows == sum(group.num_rows for group in groups) or counted != rows * len(widths):
        raise TableFileError("the table is damaged: its columns differ in length")
    if sum(each.total_compressed_size for each in listed) > of_file:
        raise TableFileError("the table is damaged: it is larger than its file")
    check_growth(rows * sum(widths.values()), of_file)
    check_growth(sum(each.total_uncompressed_size for each in listed), of_file)
    return rows


def _array(arrow: Any, column: Any, name: str, names: dict[str, tuple[str, ...]]) -> AnyArray:
    """A column of numbers as it is, one of texts as ids."""
    kind = column.type
    if not arrow.types.is_dictionary(kind):
        array: AnyArray = column.to_numpy()
        if array.dtype.kind not in "biuf":
            raise TableFileError(f"column {name!r} holds neither numbers nor texts, but {kind}")
        return array
    whole = column.combine_chunks()
    if isinstance(whole, arrow.ChunkedArray):
        whole = whole.unify_dictionaries().chunk(0) if whole.num_chunks else None
    texts = [] if whole is None else whole.dictionary.to_pylist()
    names[name] = tuple(map(str, texts))
    ids = [] if whole is None else whole.indices.fill_null(-1)
    return np.asarray(ids, dtype=np.int32)


def _shaped(flat_columns: dict[str, AnyArray], said: Any) -> dict[str, AnyArray]:
    """The columns in the shapes that they were written with."""
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
