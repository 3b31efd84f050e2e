# SPDX-License-Identifier: MIT
"""Building of a tree: an order of the items, then boxes around runs of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..concurrency.progress import Progress
from ..numerics.arrays import FloatArray, IndexArray, SingleArray
from .boxes import read_boxes
from .order import OrderItems, order_items
from .refit import refit_tree, unit_space
from .tree import Tree

ORDER_SHARE = 0.8
"""Share of a build's time that the order takes; the boxes take the rest."""


def build_tree(
    lower: SingleArray, upper: SingleArray, center: FloatArray, scale: float, progress: Progress
) -> Tree:
    """A tree over boxes, as :func:`.refit_tree` takes them; those not finite are left out.

    What `progress` raises ends the build.
    """
    progress(0.0)
    with np.errstate(invalid="ignore"):
        middles = lower * np.float32(0.5) + upper * np.float32(0.5)
    order = order_finite(middles, order_items, lambda done: progress(done * ORDER_SHARE))
    tree = refit_tree(order, lower, upper, center, scale)
    progress(1.0)
    return tree


def order_finite(middles: SingleArray, order_items: OrderItems, progress: Progress) -> IndexArray:
    """The order of those items whose middles (3, N) are finite."""
    usable = np.isfinite(middles).all(axis=0)
    if usable.all():
        return order_items(middles, progress)
    places = order_items(middles[:, usable], progress)
    return np.flatnonzero(usable)[places].astype(places.dtype)


def over_boxes(lower: ArrayLike, upper: ArrayLike) -> Tree:
    """A tree over boxes with the corners `lower`, `upper` (N, 3); those not finite are left out.

    Raises
    ------
    ShapeError, DtypeError
        If the corners are not of this form, or not as many of each.

    Examples
    --------
    >>> import numpy as np
    >>> lower = np.array([(0.0, 0, 0), (2, 0, 0), (4, 0, np.nan)])
    >>> over_boxes(lower, lower + 1).order.tolist()
    [0, 1]
    """
    boxes = read_boxes(lower, upper)
    finite = np.isfinite(boxes).all(axis=(0, 2))
    center, scale = np.zeros(3), 1.0
    if finite.any():
        center, scale = unit_space(boxes[0][finite].min(axis=0), boxes[1][finite].max(axis=0))
    with np.errstate(over="ignore"):
        low, high = (((corner - center) / scale).astype(np.float32).T for corner in boxes)
    return build_tree(low, high, center, scale, lambda done: None)
