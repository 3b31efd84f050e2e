# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a file holds, reading it ends in a table or a TableFileError, in little memory."""

import io
import struct
import tracemalloc
import zipfile
from collections import Counter

import numpy as np
import pytest

from standalone_core import errors
from standalone_core.tables import read_meta, read_rays, read_table, write_table
from standalone_core.tables import table as table_module

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


# What DEFLATE makes of a byte at most, by zlib's technical notes, and what is left beside that.
GROWTH, SPARE = 1032, 1 << 20


@pytest.mark.parametrize("beyond", [0, 1])
def test_a_size_is_refused_if_it_is_one_byte_more_than_compression_can_reach(tmp_path, beyond):
    packed = bytearray(archive(npy("'<f8'", "(9,)", bytes(72)), zipfile.ZIP_DEFLATED))
    entry = packed.rindex(b"PK\1\2")
    size = int.from_bytes(packed[entry + 20 : entry + 24], "little") * GROWTH + SPARE + beyond
    packed[entry + 24 : entry + 28] = size.to_bytes(4, "little")
    (tmp_path / "a.npz").write_bytes(packed)
    said = "smaller than it says" if beyond else "not of the size in its header"
    with pytest.raises(errors.TableFileError, match=said):
        read_table(tmp_path / "a.npz")


def test_zeros_that_are_compressed_as_far_as_can_be_are_read(tmp_path):
    zeros = np.zeros(1 << 26, np.uint8)
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        with made.open("a.npy", "w") as member:
            np.lib.format.write_array(member, zeros)
        packed = made.infolist()[0].compress_size
    assert zeros.nbytes > 1000 * packed + SPARE  # nearly as far as the notes say
    assert read_table(tmp_path / "a.npz").columns["a"].nbytes == zeros.nbytes


@pytest.mark.parametrize(
    ("descr", "values", "said"),
    [
        ("'|b1'", b"\0\2", "a bool is neither true nor false"),
        ("'|b1'", b"\xff\1", "a bool is neither true nor false"),
        ("'<U1'", b"A\0\0\0\0\0\x11\0", "it holds what is no character"),
        ("'>U1'", b"\0\0\0A\0\x11\0\0", "it holds what is no character"),
        ("'|b1'", b"\0\1", None),
        ("'<U1'", b"A\0\0\0\xff\xff\x10\0", None),
    ],
)
def test_what_is_no_bool_and_no_character_is_refused(tmp_path, descr, values, said):
    (tmp_path / "a.npz").write_bytes(archive(npy(descr, "(2,)", values)))
    if said is None:
        assert read_table(tmp_path / "a.npz").columns["origins"].shape == (2,)
        return
    with pytest.raises(errors.TableFileError, match=said):
        read_table(tmp_path / "a.npz")


def test_members_that_lie_over_each_other_are_refused(tmp_path):
    """One lies in the other, which many could."""
    inner = archive(npy("'<f8'", "(9,)", bytes(72)))
    start = inner.rindex(b"PK\1\2")
    entry, local = inner[start : inner.rindex(b"PK\5\6")], inner[:start]
    outer = archive(npy("'|u1'", f"({start},)", local)).replace(b"origins", b"another", 1)
    end, directory = outer.rindex(b"PK\5\6"), outer.rindex(b"PK\1\2")
    own = outer[directory:end].replace(b"origins", b"another")
    place = struct.pack("<L", outer.index(local))
    entries = own + entry[:42] + place + entry[46:]
    counts = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, len(entries), directory, 0)
    (tmp_path / "a.npz").write_bytes(outer[:directory] + entries + counts)
    with zipfile.ZipFile(tmp_path / "a.npz") as made:
        assert made.namelist() == ["another.npy", "origins.npy"]
    with pytest.raises(errors.TableFileError, match=r"another.npy is damaged: it lies over"):
        read_table(tmp_path / "a.npz")


@pytest.fixture
def small_growth(monkeypatch):
    """Let a table be larger than its file by little."""
    monkeypatch.setattr(table_module, "LEAST", 1 << 16)
    monkeypatch.setattr(table_module, "MOST_GROWTH", 2)


@pytest.mark.parametrize(
    ("origins", "directions", "most"),
    [
        (np.zeros((20_000, 3)), np.zeros((20_000, 3)), 1 << 16),
        (np.zeros((7_000, 3), np.uint8), np.zeros((7_000, 3), np.uint8), 1 << 18),
        (np.zeros((150, 1, 3)), np.zeros((1, 150, 3)), 1 << 18),
    ],
)
@pytest.mark.usefixtures("small_growth")
def test_memory_that_an_archive_would_take_is_told_before(tmp_path, origins, directions, most):
    np.savez_compressed(tmp_path / "a.npz", origins=origins, directions=directions)

    def refuse():
        with pytest.raises(errors.TableFileError, match="GB of memory, too much for a file of"):
            read_rays(tmp_path / "a.npz")

    refuse()  # what the first reading imports takes memory too
    tracemalloc.start()
    refuse()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < most


@pytest.mark.usefixtures("small_growth")
def test_a_table_as_large_as_its_file_is_never_too_large(tmp_path, rng):
    origins = rng.random((20_000, 3))
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", origins=origins, directions=[0, 0, 1.0])
        assert read_rays(tmp_path / "a.npz").shape == (20_000,)


@pytest.mark.usefixtures("small_growth")
@pytest.mark.parametrize("value", [0.0, None])
def test_memory_that_equal_values_of_a_parquet_file_would_take_is_told_before(tmp_path, value):
    arrow, parquet = peer("pyarrow"), peer("pyarrow.parquet")
    names = [f"{kind}{axis}" for kind in "od" for axis in "xyz"]
    for rows, is_read in ((1_000, True), (100_000, False)):
        column = arrow.array([value] * rows, arrow.float64())
        made = arrow.table(dict.fromkeys(names, column))
        parquet.write_table(made, tmp_path / "a.parquet", row_group_size=rows)
        assert (tmp_path / "a.parquet").stat().st_size < 8_000
        for call in (read_rays, read_table):
            assert end(call, tmp_path / "a.parquet") == ("read" if is_read else "refused")


@pytest.mark.usefixtures("small_growth")
def test_a_long_text_of_many_rows_is_held_once(tmp_path):
    arrow, parquet = peer("pyarrow"), peer("pyarrow.parquet")
    ids, texts = arrow.array(np.zeros(10_000, np.int32)), arrow.array(["x" * 50_000])
    column = arrow.DictionaryArray.from_arrays(ids, texts)
    parquet.write_table(arrow.table({"a": column}), tmp_path / "a.parquet", store_schema=False)
    before = arrow.default_memory_pool().max_memory()
    assert read_table(tmp_path / "a.parquet").names == {"a": ("x" * 50_000,)}
    assert arrow.default_memory_pool().max_memory() < before + 10_000 * 50_000 / 10


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
    [b"", b"\n", b"a,a\n1,2\n", b"a,b\n1\n", b'a\n"x', b"a\n\xff\n", b",\n1,2\n", b"\0\0\0"],
)
def test_a_text_that_is_no_table_is_refused(tmp_path, content):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(errors.TableFileError):
        read_table(tmp_path / "a.csv")
