# SPDX-License-Identifier: MIT
"""How long work reports its progress."""

from collections.abc import Callable

Progress = Callable[[float], None]
"""Called with the share of the work that is done, from 0 to 1; may raise to stop the work."""
