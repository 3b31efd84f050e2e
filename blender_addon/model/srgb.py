# SPDX-License-Identifier: GPL-3.0-or-later
"""Between linear color and color as screens show it: sRGB's curve, of IEC 61966-2-1."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def shown(linear: npt.ArrayLike) -> FloatArray:
    """How linear values are shown, from 0 to 1; what is too bright to be shown is at 1."""
    known = np.clip(np.asarray(linear, dtype=np.float64), 0.0, 1.0)
    return np.where(known <= 0.0031308, 12.92 * known, 1.055 * known ** (1.0 / 2.4) - 0.055)


def linear(shown: npt.ArrayLike) -> FloatArray:
    """The linear values that are shown as these."""
    known = np.asarray(shown, dtype=np.float64)
    curve = ((np.maximum(known, 0.0) + 0.055) / 1.055) ** 2.4
    return np.where(known <= 0.04045, known / 12.92, curve)
