# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh that is measured, and by whom."""

from dataclasses import dataclass

import numpy as np

from .contestant import Contestant
from .ours import Raypick
from .results import Result, Results
from .shape import Shape
from .timing import Samples


@dataclass
class Bench:
    """A mesh, those who are measured with it, and where the figures go."""

    shape: Shape
    contestants: list[Contestant]
    results: Results
    rounds: int
    seed: int

    def __post_init__(self) -> None:
        self.corners = self.shape.corners

    @property
    def random(self) -> np.random.Generator:
        """A generator that begins anew at each use."""
        return np.random.default_rng(self.seed)

    @property
    def ours(self) -> list[Raypick]:
        """Raypick with each of its engines that take part."""
        return [each for each in self.contestants if isinstance(each, Raypick)]

    def add(
        self, measure: str, name: str, value: float, unit: str, rounds: int, note: str = ""
    ) -> None:
        """Record a figure."""
        shape = self.shape
        result = Result(measure, shape.name, len(shape), name, value, unit, rounds, note)
        self.results.items.append(result)

    def add_seconds(self, measure: str, samples: dict[str, Samples]) -> None:
        """Record the median of each contestant's times, and how many cores it kept busy."""
        for name, measured in samples.items():
            self.add(measure, name, measured.median, "s", len(measured.seconds))
            self.results.note_cores(name, measure, measured.cores)
