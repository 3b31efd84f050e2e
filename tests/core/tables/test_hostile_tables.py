# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a file holds, reading it ends in a table or a TableFileError, in little memory."""

import io
import tracemalloc
import zipfile
from collections import Counter

import numpy as np
import pytest

from standalone_core import errors
from standalone_core.tables import read_meta, read_rays, read_table, write_table

from ..peers import peer
from .examples import NAMES, picture

BYTES = (0, 1, 34, 39, 40, 44, 45, 48, 57, 78, 80, 85, 127, 128, 255)


def mutant(rng, content):
    """Bytes with a few of them changed, left out, doubled, or cut off."""
    wrong = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        place = int(rng.integers(max(len(wrong), 1)))
        match rng.integers(5):
            case 0 if wrong:
                wrong[place] = BYTES[rng.integers(len(BYTES))]
            case 1:
                del wrong[place : place + int(rng.integers(1, 40))]
            case 2:
                wrong[place:place] = wrong[place : place + int(rng.integers(1, 40))]
            case 3:
                wrong[place:place] = bytes(rng.integers(0, 256, 3, dtype=np.uint8))
            case 4 if rng.random() < 0.2:
                del wrong[place:]
    return bytes(wrong)


def written(tmp_path, rng, ending):
    """The file of a table of rays, with names."""
    columns = picture(rng, (9,))
    columns |= {"origin": columns["point"], "direction": columns["point"]}
    if ending == ".npz":
        columns |= {"origins": columns["point"], "directions": columns["point"]}
    write_table(tmp_path / f"a{ending}", columns, names=NAMES, meta={"a": [1, {"b": "c"}]})
    return (tmp_path / f"a{ending}").read_bytes()


def end(call, path):
    try:
        call(path)
    except errors.TableFileError as error:
        return "refused" if 0 < len(str(error)) < 999 else "refused for no reason"
    return "read"


@pytest.mark.parametrize("ending", [".npz", ".csv", ".npy", ".parquet"])
def test_mutants_end_in_a_table_or_a_named_error(tmp_path, rng, ending):
    if ending == ".parquet":
        peer("pyarrow")
    if ending == ".npy":
        np.save(tmp_path / "a.npy", rng.random((9, 6)))
        original = (tmp_path / "a.npy").read_bytes()
    else:
        original = written(tmp_path, rng, ending)
    path, ends = tmp_path / f"mutant{ending}", Counter()
    for _ in range(60 if ending == ".parquet" else 250):
        path.write_bytes(mutant(rng, original))
        tracemalloc.start()
        for call in (read_rays,) if ending == ".npy" else (read_table, read_rays, read_meta):
            ends[end(call, path)] += 1
        assert tracemalloc.get_traced_memory()[1] < 8e6
        tracemalloc.stop()
    assert "refused for no reason" not in ends
    assert min(ends["refused"], ends["read"] if ending != ".parquet" else 1) > 0


def archive(member, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        made.writestr("origins.npy", member)
    return file.getvalue()


def npy(descr, shape, data=b"", fortran="False"):
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + data


@pytest.mark.parametrize(
    "member",
    [
        npy("'<f8'", "(1000000000000,)"),
        npy("'<f8'", "(0, 99999999999999)"),
        npy("'<U999999999'", "(1,)"),
        npy("'<U0'", "(999999,)"),
        npy("'|O'", "(1,)", b"cos\nsystem\n(S'true'\ntR."),
        npy("[('a', '<f8')]", "(1,)", bytes(8)),
        npy("'<f8'", "(" * 3000),
        npy("'|b1'", "(2,)", b"\0\2"),
        npy("'<U1'", "(1,)", b"\xff\xff\xff\xff"),
        npy("'<i8'", "(2,)", bytes(15)),
        npy("'<i8'", "(2,)", bytes(17)),
        b"\x93NUMPY\2\0\xff\xff\xff\xff",
        b"",
    ],
)
def test_a_member_that_is_no_array_is_refused(tmp_path, member):
    for name, content in (("a.npz", archive(member)), ("a.npy", member)):
        (tmp_path / name).write_bytes(content)
        tracemalloc.start()
        with pytest.raises(errors.TableFileError):
            read_rays(tmp_path / name)
        assert tracemalloc.get_traced_memory()[1] < 3e6
        tracemalloc.stop()


def test_a_size_that_compression_cannot_reach_is_refused(tmp_path):
    packed = bytearray(archive(npy("'<f8'", "(9,)", bytes(72)), zipfile.ZIP_DEFLATED))
    entry = packed.rindex(b"PK\1\2")
    packed[entry + 24 : entry + 28] = (1 << 31).to_bytes(4, "little")
    (tmp_path / "a.npz").write_bytes(packed)
    with pytest.raises(errors.TableFileError, match="smaller than it says"):
        read_table(tmp_path / "a.npz")


def test_a_newer_table_is_refused(tmp_path):
    meta = np.array('{"raypick_table": {"version": 2, "columns": [], "names": []}}')
    np.savez(tmp_path / "a.npz", meta=meta)
    for call in (read_table, read_meta):
        with pytest.raises(errors.TableFileError, match="version 2"):
            call(tmp_path / "a.npz")


@pytest.mark.parametrize(
    "said",
    [
        '{"columns": {"a": [1], "b": [1]}}',
        '{"columns": {"a": [1, 1e999]}}',
        '{"columns": {"a": []}}',
        '{"columns": {"a": [2]}}',
        '{"columns": {}}',
        '{"columns": [["a", 1]]}',
        '{"columns": {"a": [1]}, "meta": [3]}',
        '{"columns": {"a": [1]}, "names": ["a"]}',
        '{"columns": {"a": [1]}, "names": {"a": ["x"]}}',
        '{"columns": {"a": [1]}, "names": {"b": ["x"]}}',
        '{"columns": {"a": [1]}, "shape": 1}',
        "[1]",
        "xx",
    ],
)
def test_a_parquet_file_that_says_what_it_has_not_is_refused(tmp_path, said):
    arrow, parquet = peer("pyarrow"), peer("pyarrow.parquet")
    if said.startswith("{"):
        said = said.replace("{", '{"meta": {}, "shape": [1], "names": {}, ', 1)
    table = arrow.table({"a": [1.0]}).replace_schema_metadata({b"raypick": said})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(errors.TableFileError, match="damaged"):
        read_table(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"a,a\n1,2\n", b"a,b\n1\n", b'a\n"x', b"a\n\xff\n", b"a,\n1,2\n", b"\0\0\0"],
)
def test_a_text_that_is_no_table_is_refused(tmp_path, content):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(errors.TableFileError):
        read_table(tmp_path / "a.csv")
