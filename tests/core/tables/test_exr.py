# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures in OpenEXR files, read back by the library of the format's makers."""

import numpy as np
import pytest

from standalone_core import errors
from standalone_core.tables import write_exr

from ..peers import peer
from .exr_files import drawn

LONG = "a name that is longer than 31 characters"
KINDS = (np.float16, np.float32, np.uint32)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (16, 3), (17, 5), (40, 1), (131, 97)])
def test_openexr_reads_every_bit(tmp_path, rng, shape):
    library = peer("OpenEXR")
    names = ("Z", "normal.X", "normal.Y", "id", "object.id", "a", LONG)
    channels = {name: drawn(rng, KINDS[i % 3], shape) for i, name in enumerate(names)}
    write_exr(tmp_path / "a.exr", channels, {"camera": "Caméra", LONG: ""})
    picture = library.File(str(tmp_path / "a.exr"), separate_channels=True)
    found = picture.channels()
    assert set(found) == set(channels)
    for name, channel in channels.items():
        assert found[name].pixels.dtype == channel.dtype
        assert found[name].pixels.tobytes() == channel.tobytes(), name
    assert picture.header()["camera"] == "Caméra"
    assert picture.header()["compression"] == library.ZIP_COMPRESSION


@pytest.mark.parametrize(("length", "flags"), [(1, 0), (31, 0), (32, 0x400), (255, 0x400)])
@pytest.mark.parametrize("of", ["a channel", "an attribute"])
def test_a_picture_is_marked_if_a_name_has_more_than_31_bytes(tmp_path, length, flags, of):
    """As the format has it: readers of the first version take no others."""
    long, short = "n" * length, "Z"
    channel, attribute = (long, short) if of == "a channel" else (short, long)
    write_exr(tmp_path / "a.exr", {channel: np.ones((2, 3), np.float32)}, {attribute: "text"})
    assert (tmp_path / "a.exr").read_bytes()[4:8] == (2 | flags).to_bytes(4, "little")


def test_row_0_is_the_top_of_the_picture(tmp_path):
    library = peer("OpenEXR")
    write_exr(tmp_path / "a.exr", {"Z": np.arange(6, dtype=np.float32).reshape(3, 2)})
    header = library.File(str(tmp_path / "a.exr")).header()
    assert header["lineOrder"] == library.INCREASING_Y
    assert [each.tolist() for each in header["dataWindow"]] == [[0, 0], [1, 2]]


def test_channels_stand_in_the_order_of_their_names(tmp_path):
    """As the format wants it; the bytes do not depend on the order in which they are given."""
    one = np.ones((2, 3), np.float32)
    given = {"b.Z": one, "a": 2 * one, "b.X": 3 * one, "B": 4 * one}
    write_exr(tmp_path / "a.exr", given)
    write_exr(tmp_path / "b.exr", dict(sorted(given.items())))
    content = (tmp_path / "a.exr").read_bytes()
    places = [content.index(name + b"\0\2\0\0\0") for name in (b"B", b"a", b"b.X", b"b.Z")]
    assert places == sorted(places)
    assert content == (tmp_path / "b.exr").read_bytes()


def test_strides_and_byte_orders_make_no_difference(tmp_path, rng):
    plain = rng.random((20, 30)).astype(np.float32)
    for each in (plain, plain.astype(">f4"), np.asfortranarray(plain), plain[::-1][::-1]):
        write_exr(tmp_path / "b.exr", {"Z": each})
        write_exr(tmp_path / "a.exr", {"Z": plain})
        assert (tmp_path / "a.exr").read_bytes() == (tmp_path / "b.exr").read_bytes()


def test_pictures_with_much_of_the_same_are_small(tmp_path):
    write_exr(tmp_path / "a.exr", {"Z": np.full((1080, 1920), np.inf, np.float32)})
    assert (tmp_path / "a.exr").stat().st_size < 1080 * 1920 * 4 / 100


PLAIN = np.zeros((2, 3), np.float32)


@pytest.mark.parametrize(
    ("channels", "meta", "text"),
    [
        ({}, {}, "not none"),
        ({"Z": PLAIN[:0]}, {}, "not be empty"),
        ({"Z": PLAIN, "A": PLAIN[:1]}, {}, "of one shape"),
        ({"Z": PLAIN[0]}, {}, r"\(H, W\)"),
        ({"Z": PLAIN.astype(float)}, {}, "float16, float32 or uint32"),
        ({"Z": PLAIN.astype(int)}, {}, "float16, float32 or uint32"),
        ({"": PLAIN}, {}, "cannot be the name"),
        ({"a\0b": PLAIN}, {}, "cannot be the name"),
        ({"a" * 256: PLAIN}, {}, "cannot be the name"),
        ({3: PLAIN}, {}, "must be text"),
        ({"Z": PLAIN}, {"channels": "x"}, "name it otherwise"),
        ({"Z": PLAIN}, {"x": 3}, "must be text"),
    ],
)
def test_what_is_no_picture_is_told_and_nothing_is_written(tmp_path, channels, meta, text):
    with pytest.raises(errors.ArgumentError, match=text):
        write_exr(tmp_path / "a.exr", channels, meta)
    assert list(tmp_path.iterdir()) == []
