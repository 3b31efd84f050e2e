# SPDX-License-Identifier: GPL-3.0-or-later
"""Screenshots become a moving picture with a mouse pointer and captions."""

import numpy as np
import pytest
from PIL import Image

import screenshots
from checkout import SetupError
from moving_picture import CAPTION_HEIGHT, Frame, draw, write

SIZE = (160, 100)
BLUE = (0, 80, 160)


@pytest.fixture
def shot(tmp_path):
    """A screenshot of a single color."""
    path = tmp_path / "shot.png"
    Image.new("RGB", SIZE, BLUE).save(path)
    return path


def changed(before, after):
    """Where two frames differ: rows and columns."""
    return np.argwhere((np.array(before) != np.array(after)).any(axis=2))


def test_the_tip_of_the_pointer_is_where_the_mouse_is(shot):
    seen = draw(Frame(shot, (60, 30), False, "", 80))
    pixels = changed(Image.new("RGB", SIZE, BLUE), seen.crop((0, 0, *SIZE)))
    assert np.abs(pixels.min(axis=0) - (30, 60)).max() <= 2
    assert seen.getpixel((63, 39)) == (255, 255, 255)
    assert seen.getpixel((20, 20)) == BLUE


def test_a_ring_shows_that_a_button_is_pressed(shot):
    free, pressed = (draw(Frame(shot, (60, 50), down, "", 80)) for down in (False, True))
    pixels = changed(free, pressed)
    assert (np.linalg.norm(pixels - (50, 60), axis=1) < 15).all()
    assert len(pixels) > 50


def test_a_caption_is_below_the_screenshot_and_covers_none_of_it(shot):
    bare, said = (draw(Frame(shot, (60, 30), False, text, 80)) for text in ("", "Point"))
    assert said.size == (SIZE[0], SIZE[1] + CAPTION_HEIGHT)
    rows, columns = changed(bare, said).T
    assert rows.min() > SIZE[1]
    assert columns.min() + columns.max() == pytest.approx(SIZE[0], abs=4), "in the middle"


def test_frames_are_shown_again_and_again_each_for_its_time(shot, tmp_path):
    frames = [Frame(shot, (x, 30), False, "Point", ms) for x, ms in ((20, 80), (60, 900), (90, 80))]
    path = write(frames, tmp_path / "new" / "film.webp")
    with Image.open(path) as film:
        assert film.info["loop"] == 0
        shown = []
        for number in range(film.n_frames):
            film.seek(number)
            film.load()
            shown.append(film.info["duration"])
    assert shown == [80, 900, 80]
    assert path.read_bytes() == write(frames, tmp_path / "again.webp").read_bytes()


def test_a_part_that_fails_does_not_keep_others_from_being_taken(monkeypatch, capsys):
    def fail(_newest, _package):
        yield "first.png"
        raise RuntimeError("Blender has ended")

    parts = {"manual": fail, "film": lambda _newest, _package: iter(["film.webp"])}
    for name, value in {"PARTS": parts, "newest_build": object, "build": object}.items():
        monkeypatch.setattr(screenshots, name, value)
    monkeypatch.setattr("sys.argv", ["screenshots.py"])
    with pytest.raises(SetupError, match=r"manual$"):
        screenshots.take_pictures()
    said = capsys.readouterr().out
    for text in ("wrote first.png", "manual: Blender has ended", "wrote film.webp"):
        assert text in said

    monkeypatch.setattr("sys.argv", ["screenshots.py", "--only", "film"])
    screenshots.take_pictures()
    assert capsys.readouterr().out == "raypick: wrote film.webp\n"
