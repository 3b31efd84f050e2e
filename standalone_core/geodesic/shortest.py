# SPDX-License-Identifier: MIT
"""The shortest path, from a bound along edges over one near it to one that nothing is shorter than."""

from __future__ import annotations

import numpy as np

from .along_edges import shortest_along_edges
from .half_edges import HalfEdges
from .places import Place
from .trace import Row, places_of
from .windows import Search

