# SPDX-License-Identifier: MIT
"""Building of a tree: an order of the items, then boxes around runs of them."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, SingleArray
from .order import OrderItems, Report, order_items
from .refit import refit, unit_space
from .tree import Tree

# Share of a build's time that the order takes; the boxes take the rest.
_ORDER_SHARE = 0.8


def build(
    lower: SingleArray,
    upper: SingleArray,
    center: FloatArray,
    scale: float,
    report: Report,
    order_items: OrderItems = order_items,
) -> Tree:
    """A tree over boxes, as :func:`refit` takes them; those not finite are left out.

    What `report` raises ends the build.
    """
    report(0.0)
    with np.errstate(invalid="ignore"):
        middles = lower * np.float32(0.5) + upper * np.float32(0.5)
    usable = np.isfinite(middles).all(axis=0)
    if usable.all():
        order = order_items(middles, lambda done: report(done * _ORDER_SHARE))
    else:
        kept = np.flatnonzero(usable)
        places = order_items(middles[:, usable], lambda done: report(done * _ORDER_SHARE))
        order = kept[places].astype(places.dtype)
    tree = refit(order, lower, upper, center, scale)
    report(1.0)
    return tree


def over_boxes(lower: FloatArray, upper: FloatArray) -> Tree:
    """A tree over boxes with the corners `lower`, `upper` (N, 3); those not finite are left out."""
    finite = np.isfinite(lower).all(axis=1) & np.isfinite(upper).all(axis=1)
    center, scale = np.zeros(3), 1.0
    if finite.any():
        center, scale = unit_space(lower[finite].min(axis=0), upper[finite].max(axis=0))
    with np.errstate(over="ignore"):
        low, high = (((corner - center) / scale).astype(np.float32).T for corner in (lower, upper))
    return build(low, high, center, scale, lambda done: None)
