# SPDX-License-Identifier: MIT
"""Where the compiled engine stands."""

from dataclasses import dataclass
from typing import Literal

from ..numerics.values import immutable

Status = Literal["missing", "idle", "importing", "compiling", "ready", "failed"]


@immutable
@dataclass(frozen=True, slots=True)
class State:
    """Where the compiled engine stands, see :func:`standalone_core.compiled.state`.

    Attributes
    ----------
    status : {"missing", "idle", "importing", "compiling", "ready", "failed"}
        ``"missing"``: numba is not installed. ``"idle"``: NumPy answers, as compiled code would not
        pay yet. ``"importing"``: numba is imported, and what is compiled is loaded.
        ``"compiling"``: another process compiles. ``"ready"``: compiled code answers where "auto"
        or "numba" is asked for. ``"failed"``: it cannot be used in this process.
    reason : str or None
        Why it is missing, or has failed.
    kernels, kernel_count : int
        How many kernels are compiled or loaded so far, of how many; 0 while it is idle or missing.
    seconds : float
        How long it has been under way, or took to be ready; 0 while it is idle or missing.

    Examples
    --------
    >>> State("compiling", kernels=3, kernel_count=12).kernels
    3
    """

    status: Status
    reason: str | None = None
    kernels: int = 0
    kernel_count: int = 0
    seconds: float = 0.0
