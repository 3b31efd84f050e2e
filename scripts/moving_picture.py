# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a moving picture of screenshots: each gets a mouse pointer and a caption below it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

CAPTION_HEIGHT = 36

_ARROW = ((0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12))
_SMOOTH = 4  # the pointer is drawn so many times as large, then made smaller
_RING = 13  # radius of the ring around a pressed button
_DARK, _LIGHT, _YELLOW = (24, 24, 24), (245, 245, 245), (255, 204, 0)
_QUALITY = 90


@dataclass(frozen=True)
class Frame:
    """A screenshot, what is added to it, and how long it is shown.

    Attributes
    ----------
    picture : Path
        An image file.
    pointer : (int, int)
        The pixel at which the mouse is, from the top left.
    pressed : bool
        Whether a button of the mouse is shown as pressed.
    caption : str
        The text below.
    milliseconds : int
        How long it is shown.
    """

    picture: Path
    pointer: tuple[int, int]
    pressed: bool
    caption: str
    milliseconds: int


def write(frames: Sequence[Frame], path: Path) -> Path:
    """Write frames as an animated WebP that plays again and again."""
    first, *others = map(draw, frames)
    path.parent.mkdir(parents=True, exist_ok=True)
    first.save(
        path,
        save_all=True,
        append_images=others,
        duration=[frame.milliseconds for frame in frames],
        loop=0,
        quality=_QUALITY,
        method=6,
        minimize_size=True,
    )
    return path


def draw(frame: Frame) -> Image.Image:
    """Return a frame as it is seen."""
    with Image.open(frame.picture) as shot:
        picture = shot.convert("RGB")
    width, height = picture.size
    seen = Image.new("RGB", (width, height + CAPTION_HEIGHT), _DARK)
    seen.paste(picture)
    pointer = _draw_pointer(frame.pressed)
    x, y = frame.pointer
    seen.paste(pointer, (x - pointer.width // 2, y - pointer.height // 2), pointer)
    middle = width // 2, height + CAPTION_HEIGHT // 2
    font = ImageFont.load_default(19)
    ImageDraw.Draw(seen).text(middle, frame.caption, _LIGHT, font, anchor="mm")
    return seen


def _draw_pointer(pressed: bool) -> Image.Image:
    """Draw the pointer with its tip in the middle of a transparent square."""
    side = 48
    large = Image.new("RGBA", (side * _SMOOTH, side * _SMOOTH))
    pen = ImageDraw.Draw(large)
    middle = side * _SMOOTH // 2
    if pressed:
        pen.circle((middle, middle), _RING * _SMOOTH, outline=_YELLOW, width=3 * _SMOOTH)
    arrow = [(middle + x * _SMOOTH, middle + y * _SMOOTH) for x, y in _ARROW]
    pen.polygon(arrow, fill="white")
    pen.line([*arrow, *arrow[:2]], fill="black", width=_SMOOTH * 3 // 2, joint="curve")
    return large.resize((side, side), Image.Resampling.BOX)
