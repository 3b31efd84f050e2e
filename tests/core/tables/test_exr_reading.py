# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading of OpenEXR pictures, of all forms that are read, and of files that are wrong or lie."""

import struct
import tracemalloc
import zlib
from collections import Counter

import numpy as np
import pytest

from standalone_core import errors
from standalone_core.concurrency.threads import ThreadLimit
from standalone_core.tables import read_exr, write_exr
from standalone_core.tables import table as table_module

from ..peers import peer
from .exr_files import DEEP, MANY_PARTS, NONE, RLE, TILED, ZIP, ZIPS, Part, drawn, exr, table_of
from .test_hostile_tables import mutant

KINDS = (np.float16, np.float32, np.uint32)
NAMES = ("Z", "normal.X", "normal.Y", "id", "object.id", "a", "name " * 9, "é")
SHAPES = [(1, 1), (1, 9), (16, 3), (17, 5), (33, 40)]
COMPRESSIONS = {"none": NONE, "RLE": RLE, "ZIPS": ZIPS, "ZIP": ZIP}

PLAIN = np.arange(6, dtype=np.float32).reshape(2, 3)


def pictures(rng, shape, names=NAMES):
    return {name: drawn(rng, KINDS[i % 3], shape) for i, name in enumerate(names)}


def check(found, channels):
    assert set(found) == set(channels)
    for name, channel in channels.items():
        assert found[name].dtype == channel.dtype
        assert found[name].shape == channel.shape
        assert found[name].tobytes() == channel.tobytes(), name


@pytest.fixture
def read(tmp_path):
    """Read a file of these bytes."""

    def call(content):
        (tmp_path / "read.exr").write_bytes(content)
        return read_exr(tmp_path / "read.exr")

    return call


@pytest.mark.parametrize("shape", SHAPES)
def test_what_was_written_comes_back(tmp_path, rng, shape):
    channels = pictures(rng, shape)
    write_exr(tmp_path / "a.exr", channels, {"camera": "Caméra", "note": ""})
    picture = read_exr(tmp_path / "a.exr")
    check(picture.channels, channels)
    assert picture.texts["camera"] == "Caméra"
    assert picture.texts["note"] == ""
    assert picture.data_window == picture.display_window == (0, 0, shape[1] - 1, shape[0] - 1)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_openexr_writes_is_read(tmp_path, rng, shape, compression):
    library = peer("OpenEXR")
    name = "NO" if compression == "none" else compression
    header = {"compression": getattr(library, f"{name}_COMPRESSION"), "owner": "A"}
    channels = pictures(rng, shape)
    with library.File(header, {n: c.copy() for n, c in channels.items()}) as file:
        file.write(str(tmp_path / "a.exr"))
    picture = read_exr(tmp_path / "a.exr")
    check(picture.channels, channels)
    assert picture.texts["owner"] == "A"


def test_the_parts_that_openexr_writes_are_read(tmp_path, rng):
    library = peer("OpenEXR")
    parts, expected = [], {}
    for number, (compression, view) in enumerate((("ZIP", "left"), ("RLE", "right"), ("ZIPS", ""))):
        header = {"name": f"part {number}", "type": library.scanlineimage}
        header["compression"] = getattr(library, f"{compression}_COMPRESSION")
        if view:
            header["view"] = view
        channels = pictures(rng, (33, 7), ("Object.X", "Object.Y"))
        parts.append(library.Part(header, {n: c.copy() for n, c in channels.items()}))
        ending = f".{view}" if view else ""
        expected |= {n.replace(".", f"{ending}."): c for n, c in channels.items()}
    library.File(parts).write(str(tmp_path / "a.exr"))
    check(read_exr(tmp_path / "a.exr").channels, expected)


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_all_that_the_format_allows_is_read(read, rng, compression, backward):
    method = COMPRESSIONS[compression]
    one = Part(pictures(rng, (35, 6)), method, {"note": "x"})
    check(read(exr(one, backward=backward)).channels, one.channels)
    other = Part({"depth.Z": drawn(rng, np.float32, (35, 6))}, ZIP, {"more": "y"})
    for parts in ((one, other), (other, one)):
        picture = read(exr(*parts, backward=backward))
        check(picture.channels, {**one.channels, **other.channels})
        assert picture.texts == {"note": "x", "more": "y"}
    check(read(exr(one, flags=MANY_PARTS)).channels, one.channels)


@pytest.mark.parametrize("threads", [1, 3])
def test_large_pictures_are_the_same_from_any_number_of_threads(read, rng, threads):
    channels = pictures(rng, (200, 150), NAMES[:3])
    content = exr(Part(channels))
    with ThreadLimit(threads):
        check(read(content).channels, channels)


def test_a_view_is_in_the_name_of_its_channels(read):
    left = Part({"L.Z.V": PLAIN, "A": PLAIN}, texts={"view": "left", "name": "1"})
    right = Part({"L.Z.right.V": PLAIN, "right.A": PLAIN}, texts={"view": "right", "name": "2"})
    picture = read(exr(left, right))
    assert sorted(picture.channels) == ["L.Z.left.V", "L.Z.right.V", "left.A", "right.A"]
    assert picture.texts == {}


@pytest.mark.parametrize(
    ("views", "name"),
    [(["left"], "L.Z.left.V"), (["left", "right"], "L.Z.V"), ([], "L.Z.V"), (["é"], "L.Z.é.V")],
)
def test_a_file_of_one_view_has_it_in_its_names(read, views, name):
    """As Blender 4 writes a file for each view."""
    listed = b"".join(struct.pack("<i", len(each.encode())) + each.encode() for each in views)
    part = Part({"L.Z.V": PLAIN}, more={"multiView": ("stringvector", listed)})
    assert [*read(exr(part)).channels] == [name]


def test_channels_of_one_name_have_the_name_of_their_part(read):
    parts = [Part({"Z": PLAIN + i, f"own{i}": PLAIN}, texts={"name": f"p{i}"}) for i in range(2)]
    picture = read(exr(*parts))
    check(picture.channels, {"p0.Z": PLAIN, "p1.Z": PLAIN + 1, "own0": PLAIN, "own1": PLAIN})
    with pytest.raises(errors.TableFileError, match="two of its channels have the same name"):
        read(exr(parts[0], parts[0]))


def test_windows_of_any_place_are_read(read):
    part = Part({"Z": PLAIN}, corner=(-2, 5), display=(0, 0, 9, 9))
    picture = read(exr(part))
    check(picture.channels, part.channels)
    assert (picture.data_window, picture.display_window) == ((-2, 5, 0, 6), (0, 0, 9, 9))
    with pytest.raises(errors.TableFileError, match="different windows"):
        read(exr(part, Part({"A": PLAIN})))


def test_texts_in_another_encoding_are_read(read):
    part = Part({"Z": PLAIN}, more={"owner": ("string", b"Andr\xe9"), "n": ("int", bytes(4))})
    assert read(exr(part)).texts == {"owner": "Andr\\xe9"}


@pytest.mark.parametrize(
    ("number", "name"),
    [(4, "PIZ"), (5, "PXR24"), (6, "B44"), (8, "DWAA"), (10, "HTJ2K256"), (99, "method 99")],
)
def test_other_compressions_are_named(read, number, name):
    content = exr(Part({"Z": PLAIN})).replace(
        b"compression\0compression\0\1\0\0\0\3", b"compression\0compression\0\1\0\0\0%c" % number
    )
    with pytest.raises(errors.TableFileError, match=f"by {name}: choose ZIP, ZIPS, RLE or none"):
        read(content)


def changed(old, new):
    """A small file in which bytes are others."""
    content = exr(Part({"A": PLAIN, "Z": PLAIN}, NONE))
    assert content.count(old) == 1
    return content.replace(old, new)


CHANNEL = b"A\0\2\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0"
WINDOW = b"dataWindow\0box2i\0\x10\0\0\0" + struct.pack("<4i", 0, 0, 2, 1)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no OpenEXR picture"),
        (b"v/1", "no OpenEXR picture"),
        (b"v/1\1", "cut off"),
        (b"v/1\1\2\0\0\0", "cut off"),
        (b"v/1\1\3\0\0\0", "another version"),
        (b"v/1\1\2\0\1\0", "another version"),
        (exr(Part({"Z": PLAIN}), flags=TILED), "in tiles, or deep"),
        (exr(Part({"Z": PLAIN}), flags=DEEP), "in tiles, or deep"),
        (exr(Part({"Z": PLAIN}, texts={"type": "deepscanline"})), "in tiles, or deep"),
        (exr(flags=MANY_PARTS), "damaged"),
        (exr(Part({"Z": PLAIN}))[:-1], "cut off"),
        (exr(Part({"Z": PLAIN}), Part({"A": PLAIN}))[:-1], "cut off"),
        (changed(b"lineOrder\0l", b"channels\0l"), "an attribute twice"),
        (changed(CHANNEL, CHANNEL.replace(b"\2", b"\3")), "unknown type"),
        (changed(CHANNEL, CHANNEL[:-4] + b"\2\0\0\0"), "fewer pixels in some channels"),
        (changed(CHANNEL, b"z" + CHANNEL[1:]), "not in order"),
        (changed(CHANNEL, b"Z" + CHANNEL[1:]), "not in order"),
        (changed(b"channels\0chlist", b"channexs\0chlist"), "not in order"),
        (changed(WINDOW, WINDOW.replace(b"box2i", b"box2f")), "no dataWindow"),
        (changed(WINDOW, WINDOW[:-16] + struct.pack("<4i", 0, 0, -1, 1)), "is empty"),
        (changed(WINDOW, WINDOW[:-16] + struct.pack("<4i", 0, 1, 2, 0)), "is empty"),
        (changed(WINDOW, WINDOW[:-16] + struct.pack("<4i", 0, 1, 2, 2)), "not where it should be"),
        (changed(WINDOW, WINDOW[:-16] + struct.pack("<4i", 0, 0, 3, 1)), "not of the size"),
        (changed(WINDOW, WINDOW[:-16] + struct.pack("<4i", 0, 0, 1, 1)), "not of the size"),
    ],
)
def test_what_is_no_picture_of_scan_lines_is_told(read, content, said):
    with pytest.raises(errors.TableFileError, match=said):
        read(content)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_no_file_that_is_cut_off_is_taken_for_whole(read, rng, compression):
    method = COMPRESSIONS[compression]
    one, other = (Part(pictures(rng, (18, 3), names), method) for names in (NAMES[:2], NAMES[2:4]))
    for content in (exr(one), exr(one, other)):
        for size in {*range(0, len(content), 31), *range(len(content) - 9, len(content))}:
            with pytest.raises(errors.TableFileError):
                read(content[:size])


def test_a_file_whose_writer_was_stopped_is_incomplete(read, rng):
    """OpenEXR writes the table of the blocks when it is done; until then it is zero."""
    content = exr(Part(pictures(rng, (40, 3), NAMES[:2])))
    table = table_of(content, 3)
    for stop in (0, 8, 16):
        with pytest.raises(errors.TableFileError, match="incomplete"):
            read(content[: table + stop] + bytes(24 - stop) + content[table + 24 :])


def test_blocks_of_another_place_are_refused(read, rng):
    content = exr(Part(pictures(rng, (40, 3), NAMES[:2])))
    table = table_of(content, 3)
    first, second, third = struct.unpack_from("<3Q", content, table)
    for places in ((second, first, third), (first, first, third), (first, second, third + 1)):
        wrong = content[:table] + struct.pack("<3Q", *places) + content[table + 24 :]
        with pytest.raises(errors.TableFileError, match=r"damaged|cut off"):
            read(wrong)
    for beyond in (len(content) - 4, len(content), 1 << 63):
        wrong = content[:table] + struct.pack("<3Q", first, second, beyond) + content[table + 24 :]
        with pytest.raises(errors.TableFileError, match="cut off"):
            read(wrong)


@pytest.mark.parametrize("flipped", ["in any byte", "in the pixels"])
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_wrong_bytes_end_in_a_picture_or_a_named_error(tmp_path, rng, compression, flipped):
    """What zlib packed is checked by zlib; other pixels have nothing that tells what they were."""
    method, ends, path = COMPRESSIONS[compression], Counter(), tmp_path / "mutant.exr"
    smooth = np.add.outer(np.arange(18), np.arange(30)).astype(np.float32)
    part = Part({"Z": smooth, "A": smooth}, method)
    original = exr(part, Part({"B": smooth}, method))
    blocks = 2 * (2 if method == ZIP else 18)
    start = table_of(original, blocks) + 8 * blocks
    for _ in range(80):
        content = bytearray(original)
        if flipped == "in any byte":
            content = mutant(rng, original)
        else:
            content[rng.integers(start, len(content))] ^= 1 << rng.integers(8)
        path.write_bytes(content)
        tracemalloc.start()
        try:
            picture = read_exr(path)
        except errors.TableFileError:
            ends["refused"] += 1
        else:
            ends["read"] += 1
            if flipped == "in the pixels" and method in (ZIPS, ZIP):
                check(picture.channels, {**part.channels, "B": smooth})
        finally:
            assert tracemalloc.get_traced_memory()[1] < 4e6
            tracemalloc.stop()
    assert ends["refused"] > 0


def test_a_block_that_unpacks_to_more_is_refused_before_it_takes_memory(read):
    """A block may say to be small, and be ten megabytes."""
    content = exr(Part({"Z": np.zeros((1, 999), np.float32)}))
    block = zlib.compress(bytes(10_000_000), 9)
    short = zlib.compress(bytes([0] + [128] * 3995))
    assert content.endswith(short)
    for wrong in (block[:3000], zlib.compress(bytes(3995)), zlib.compress(bytes(3997)), short[:-1]):
        lying = content[: -len(short) - 4] + struct.pack("<i", len(wrong)) + wrong
        tracemalloc.start()
        with pytest.raises(errors.TableFileError, match="cannot be unpacked"):
            read(lying)
        assert tracemalloc.get_traced_memory()[1] < 1e6
        tracemalloc.stop()


@pytest.mark.parametrize(
    "runs", [b"\x7f\0" * 40, b"\x01", b"\x01\0\x81", b"\x80" * 9, b"\x02\0" * 8, b"\xf0" * 21]
)
def test_runs_that_are_not_a_block_are_refused(read, runs):
    content = exr(Part({"Z": np.zeros((1, 5), np.float32)}, RLE))
    right = b"\xff\0\x12\x80"  # a byte as it is, and 19 equal ones
    assert content.endswith(struct.pack("<i", len(right)) + right)
    lying = content[: -len(right) - 4] + struct.pack("<i", len(runs)) + runs
    with pytest.raises(errors.TableFileError, match="damaged"):
        read(lying)


def test_a_size_that_compression_cannot_reach_takes_no_memory(read):
    """The header says a thousand times the pixels that the bytes can be."""
    content = changed(WINDOW, WINDOW[:-16] + struct.pack("<4i", 0, 0, (1 << 31) - 1, 1))
    tracemalloc.start()
    with pytest.raises(errors.TableFileError, match="not of the size"):
        read(content)
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


def test_a_picture_that_would_take_much_memory_is_told(read, monkeypatch):
    content = exr(Part({"Z": np.zeros((16, 4000), np.float32)}))
    assert read(content).channels["Z"].shape == (16, 4000)
    monkeypatch.setattr(table_module, "LEAST", 1 << 12)
    monkeypatch.setattr(table_module, "MOST_GROWTH", 2)
    with pytest.raises(errors.TableFileError, match=r"the picture would take .* too much"):
        read(content)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_exr(tmp_path / "a.exr")
