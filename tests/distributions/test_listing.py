# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's page: its pictures have the sizes asked for, and its manifest the known tags."""

import re
import struct
import tomllib
import zlib

import pytest
from PIL import Image

import listing_icon
from build_extension import manifest
from checkout import ROOT
from environment import BPY_VERSIONS, REQUIREMENTS
from moving_picture import CAPTION_HEIGHT
from screenshots import FILM

LISTING = ROOT / "docs" / "images" / "listing"
TEXT = (ROOT / "docs" / "listing.md").read_text(encoding="utf-8")

# As Blender's manual lists them for add-ons.
TAGS = """
3D View, Add Curve, Add Mesh, Animation, Bake, Camera, Compositing, Development, Game Engine,
Geometry Nodes, Grease Pencil, Import-Export, Lighting, Material, Modeling, Mesh, Node, Object,
Paint, Pipeline, Physics, Render, Rigging, Scene, Sculpt, Sequencer, System, Text Editor, Tracking,
User Interface, UV
"""


def size_of(path):
    """Width and height of a PNG, as its header has them."""
    header = path.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", header[16:])


def rows_of(path):
    """The rows of a PNG that has a single part with pixels, whatever its compression."""
    data = path.read_bytes()
    assert (data[37:41], data[-8:-4]) == (b"IDAT", b"IEND")
    return zlib.decompress(data[41:-16])


@pytest.mark.parametrize("name", sorted({*re.findall(r"`(\w+\.png)`", TEXT)}))
def test_a_picture_that_the_page_names_has_the_size_asked_for(name):
    assert size_of(LISTING / name) == ((256, 256) if name == "icon.png" else (1920, 1080))


def test_each_picture_is_named():
    assert {path.name for path in LISTING.iterdir()} == {*re.findall(r"`(\w+\.png)`", TEXT)}


def test_page_and_readme_open_with_a_short_film_that_loads_at_once():
    head = TEXT.partition("\n---\n")[0]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "(images/film.webp)" in head
    assert re.search(r"\n## |!\[[^]]*\]\((.*)\)", readme)[1] == "docs/images/film.webp"
    assert FILM.stat().st_size < 2_000_000
    with Image.open(FILM) as film:
        assert film.size == (800, 500 + CAPTION_HEIGHT)
        assert film.info["loop"] == 0, "again and again"
        durations = []
        for number in range(film.n_frames):
            film.seek(number)
            film.load()
            durations.append(film.info["duration"])
    assert min(durations) < 100, "motions are smooth"
    assert 6_000 < sum(durations) < 10_000


def test_the_icon_is_the_one_that_is_drawn(tmp_path):
    drawn = listing_icon.write(tmp_path / "icon.png")
    assert rows_of(drawn) == rows_of(LISTING / "icon.png")


def test_the_manifest_has_tags_that_the_platform_knows_and_short_reasons():
    stated = tomllib.loads(manifest())
    known = {tag.strip() for tag in TAGS.split(",")}
    assert known >= set(stated["tags"])
    assert len(known) == 31
    for text in (stated["tagline"], *stated["permissions"].values()):
        assert len(text) <= 64
        assert text[-1].isalnum()
    assert set(stated["permissions"]) == {"clipboard", "files"}
    assert stated["website"].startswith("https://")


def test_the_oldest_blender_that_may_install_it_is_one_that_is_tested():
    oldest = tomllib.loads(manifest())["blender_version_min"]
    pinned = (REQUIREMENTS / f"bpy-{BPY_VERSIONS[0]}.in").read_text(encoding="utf-8")
    assert f"\nbpy=={oldest}\n" in pinned
