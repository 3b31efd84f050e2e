# SPDX-License-Identifier: MIT
"""An engine whose time is counted, until a better one pays (see :mod:`.policy`)."""

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

# Seconds: about what importing numba and loading the kernels takes. Compiling them takes more, but
# is done once for all processes, and no cast waits for it.
_PRICE = 1.0


class TimedEngine:
    """An engine that counts the seconds spent in it.

    `buy` is called after each piece of work, once a better engine would have paid.
    """

    def __init__(self, engine: ModuleType, buy: Callable[[], None]) -> None:
        self._engine = engine
        self._buy = buy
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        work = getattr(self._engine, name)

        def timed(*arguments: Any) -> Any:
            start = time.perf_counter()
            try:
                return work(*arguments)
            finally:
                self.seconds += time.perf_counter() - start
                if self.seconds >= _PRICE:
                    self._buy()

        return timed
