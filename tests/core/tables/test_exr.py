# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures in OpenEXR files, read back by the library of the format's makers."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.tables import read_exr, write_exr

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


def test_answers_are_written_as_they_are(tmp_path):
    mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    camera = sc.Camera.look_at((0.2, 0.2, 3), (0.2, 0.2, 0), 8, 6, 0.5, up=(0, 1, 0))
    hits = mesh.cast_rays(camera.rays())[::-1]
    assert 0 < hits.hit.sum() < hits.hit.size
    write_exr(tmp_path / "a.exr", hits)
    write_exr(tmp_path / "b.exr", hits.as_dict())
    assert (tmp_path / "a.exr").read_bytes() == (tmp_path / "b.exr").read_bytes()
    found = read_exr(tmp_path / "a.exr").channels
    assert found["front"].tolist() == hits.front.tolist()
    assert found["triangle"].tolist() == (hits.triangle % 2**32).tolist()
    for part, letter in enumerate("XYZ"):
        wanted = hits.point[..., part].astype(np.float32)
        np.testing.assert_array_equal(found[f"point.{letter}"], wanted)
    assert len(found) == 5 + 3 * 3


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ([[0.1, 1e300]], np.float32),
        ([[True, False]], np.uint32),
        ([[-1, 5, 2**24 + 1]], np.uint32),
        (np.array([[2**32 - 1]], np.uint64), np.uint32),
        (np.array([[7]], np.uint8), np.uint32),
    ],
)
def test_numbers_of_other_types_are_written_as_one_that_holds_them(tmp_path, given, kind):
    write_exr(tmp_path / "a.exr", {"Z": given})
    found = read_exr(tmp_path / "a.exr").channels["Z"]
    assert found.dtype == kind
    with np.errstate(over="ignore"):
        assert found.tolist() == np.array(given).astype(kind).tolist()


def test_four_parts_are_a_color(tmp_path):
    write_exr(tmp_path / "a.exr", {"color": np.arange(4.0).reshape(1, 1, 4)})
    found = read_exr(tmp_path / "a.exr").channels
    assert {name: each.item() for name, each in found.items()} == {
        "color.R": 0,
        "color.G": 1,
        "color.B": 2,
        "color.A": 3,
    }


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
        ({"Z": PLAIN.astype(complex)}, {}, "real numbers, not complex"),
        ({"Z": [["a"]]}, {}, "real numbers, not text"),
        ({"Z": [[1, 2], [3]]}, {}, "not a regular array"),
        ({"Z": np.zeros((2, 3, 5))}, {}, "2 to 4"),
        ({"Z": [[-2, 5]]}, {}, "integers from -2 to 5: .*, and -1"),
        ({"Z": [[2**32]]}, {}, "from 0 to 4294967295"),
        ({"n": np.zeros((2, 2, 3)), "n.X": np.ones((2, 2))}, {}, "the same name: 'n.X'"),
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
