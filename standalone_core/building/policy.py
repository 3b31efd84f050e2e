# SPDX-License-Identifier: MIT
"""When a mesh stops scanning and builds a tree.

Rent until the rent paid equals the price: whatever comes, at most twice the best choice made with
hindsight is spent (the ski rental problem; Karlin et al., "Competitive snoopy caching", 1988).
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

# Seconds a triangle, on a slow machine of 2026. The scan's is a first guess, replaced by what is
# measured; a wrong price of the build only moves the day it is paid.
_SCAN_SECONDS = 1.5e-8
_BUILD_SECONDS = 4e-7


class RentOrBuy:
    """The account of one mesh: time spent on scans against the estimated time of a build."""

    __slots__ = ("_price", "_rent", "build_seconds", "scan_seconds", "scans")

    def __init__(self, triangle_count: int) -> None:
        self._rent = _SCAN_SECONDS * triangle_count
        self._price = _BUILD_SECONDS * triangle_count
        self.scans = 0
        self.scan_seconds = 0.0
        self.build_seconds = 0.0

    def should_build(self, rays: int) -> bool:
        """Whether `rays` more scans, with those already paid, would cost as much as a build."""
        rent = self.scan_seconds / self.scans if self.scans else self._rent
        return self.scan_seconds + (rays - 1) * rent >= self._price

    @contextmanager
    def scanning(self) -> Iterator[None]:
        """Time one scan."""
        start = time.perf_counter()
        yield
        self.scans += 1
        self.scan_seconds += time.perf_counter() - start

    @contextmanager
    def building(self) -> Iterator[None]:
        """Time a build."""
        start = time.perf_counter()
        yield
        self.build_seconds = time.perf_counter() - start
