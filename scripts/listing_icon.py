# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the icon of the extension's page, 256 x 256 pixels: the tool's icon on a dark tile.

python scripts/listing_icon.py
"""

import struct
import zlib
from pathlib import Path

import tool_icon
from checkout import ROOT, run_script
from environment import run_inside

ICON = ROOT / "docs" / "images" / "listing" / "icon.png"

_SIDE, _SAMPLES = 256, 8
_TILE, _MARGIN, _ROUND = (38, 42, 52, 255), 8, 44
_SHARE = 0.8  # the size of the tool's icon, relative to the picture


def write(path: Path = ICON) -> Path:
    import numpy as np

    pixels = np.round(_draw()).astype(np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_png(pixels.shape[1], pixels.shape[0], [row.tobytes() for row in pixels]))
    return path


def _draw():
    """Return the pixels, (256, 256, 4), each the mean of many samples of premultiplied color."""
    import numpy as np

    steps = (np.arange(_SIDE * _SAMPLES) + 0.5) / _SAMPLES
    at = steps[None, :] + 1j * (_SIDE - steps[:, None])
    color = np.zeros((*at.shape, 4), np.float32)
    center, half = (1 + 1j) * _SIDE / 2, _SIDE / 2 - _MARGIN - _ROUND
    beyond = np.hypot(
        *(np.maximum(abs(p) - half, 0) for p in ((at - center).real, (at - center).imag))
    )
    color[beyond <= _ROUND] = _TILE
    for triangle, paint in tool_icon.draw():
        a, b, c = (_SHARE * (corner - 127.5 * (1 + 1j)) + center for corner in triangle)
        box = _rows_and_columns([a, b, c])
        sides = [((q - p).conjugate() * (at[box] - p)).imag for p, q in ((a, b), (b, c), (c, a))]
        color[box][(np.min(sides, axis=0) >= 0) | (np.max(sides, axis=0) <= 0)] = paint
    color[..., :3] *= color[..., 3:] / 255
    mean = color.reshape(_SIDE, _SAMPLES, _SIDE, _SAMPLES, 4).mean((1, 3))
    mean[..., :3] *= 255 / np.maximum(mean[..., 3:], 1)
    return mean


def _rows_and_columns(corners):
    """Return slices of the rows and columns of samples around points, with a small margin."""
    x, y = [p.real for p in corners], [_SIDE - p.imag for p in corners]
    return tuple(
        slice(max(int(min(part) * _SAMPLES) - 2, 0), max(int(max(part) * _SAMPLES) + 3, 0))
        for part in (y, x)
    )


def _png(width: int, height: int, rows: list[bytes]) -> bytes:
    """Encode rows of RGBA pixels, the top one first, as a PNG file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks)


if __name__ == "__main__":
    run_script(lambda: run_inside("core", __file__, lambda: print(write())))
