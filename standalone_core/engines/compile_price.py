# SPDX-License-Identifier: MIT
"""What compiled code costs, and how long NumPy worked for want of it, in all processes so far.

As for trees (:mod:`.policy`), rent is paid until it reaches the price. There are two: that of
loading what is compiled, paid by each process; and that of compiling, paid once for all of them,
which is why the rent of all counts. Measured prices take the place of guesses. They are kept beside
the folders of compiled code, for the next version of the sources too.
"""

import contextlib
import json
import math
from pathlib import Path
from typing import NamedTuple

from . import cache_folder

_NAME = "seconds.json"

_LARGEST = 1e6


class Prices(NamedTuple):
    """All in seconds; what is not measured yet is a guess."""

    load: float = 1.0
    """Importing numba and loading what is compiled."""
    compile: float = 30.0
    """Compiling everything."""
    rent: float = 0.0
    """NumPy's work in all processes, since something was compiled last."""


def read(folder: Path | None) -> Prices:
    """The prices beside a folder of compiled code; what cannot be read there is guessed."""
    if folder is None:
        return Prices()
    try:
        known = json.loads((folder.parent / _NAME).read_bytes())
        kept = {name: float(known[name]) for name in Prices._fields if name in known}
    except (OSError, ValueError, TypeError, RecursionError):
        return Prices()
    good = {name: value for name, value in kept.items() if 0.0 <= value <= _LARGEST}
    return Prices(**good)


def write(folder: Path | None, prices: Prices) -> None:
    """Keep the prices beside a folder of compiled code, if that is possible."""
    if folder is None or not all(map(math.isfinite, prices)):
        return
    with contextlib.suppress(OSError):
        cache_folder.write(folder.parent / _NAME, json.dumps(prices._asdict()).encode("ascii"))


def is_due(prices: Prices, seconds: float, kept: bool) -> bool:
    """Whether compiled code pays after so many seconds of NumPy's work in this process.

    `kept` is whether all of it is compiled already.
    """
    return seconds >= prices.load if kept else prices.rent >= prices.compile


def next_look(prices: Prices, seconds: float, kept: bool) -> float:
    """After how many seconds in this process to ask again.

    At the latest when they have doubled: other processes work and compile meanwhile.
    """
    missing = prices.load - seconds if kept else prices.compile - prices.rent
    return seconds + min(max(missing, 0.0), seconds)
