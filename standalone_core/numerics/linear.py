# SPDX-License-Identifier: MIT
"""Products of matrices and linear algebra, which a fork waits for.

NumPy leaves them to BLAS and LAPACK. OpenBLAS, for one, has locks and threads of its own: a child
that is forked while another thread is in there may wait for ever at its next product. So the core
has no ``@`` but here.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..concurrency.forks import calculating


def _held_up(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def alone(*arguments: Any, **options: Any) -> Any:
        with calculating.here:
            return function(*arguments, **options)

    return alone


matmul = _held_up(np.matmul)
det = _held_up(np.linalg.det)
inv = _held_up(np.linalg.inv)
lstsq = _held_up(np.linalg.lstsq)
matrix_rank = _held_up(np.linalg.matrix_rank)
solve = _held_up(np.linalg.solve)
svd = _held_up(np.linalg.svd)
