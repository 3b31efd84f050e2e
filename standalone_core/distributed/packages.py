# SPDX-License-Identifier: MIT
"""Dask and what comes with it, imported when a plan is made: an error says what to install."""

from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from ..concurrency.forks import imported
from ..errors import MissingPackageError

DaskArray: TypeAlias = Any
"""An array of Dask, which is not imported to be named."""

Option: TypeAlias = Any
"""What a function of Dask takes by name."""

RayNumbers: TypeAlias = DaskArray | ArrayLike
"""Numbers of rays, of Dask or in memory."""

INSTALL = 'pip install "raypick-core[dask]"'


def dask_array() -> Any:
    """The module of Dask's arrays."""
    try:
        return imported("dask.array")
    except ImportError as error:
        raise _missing("Dask's arrays", error) from error


def dask_frame() -> tuple[Any, Any]:
    """The module of Dask's data frames, and pandas."""
    try:
        return imported("dask.dataframe"), imported("pandas")
    except ImportError as error:
        raise _missing("Dask's data frames", error) from error


def dask_delayed() -> Any:
    """The function that makes delayed values."""
    try:
        return imported("dask.delayed").delayed
    except ImportError as error:
        raise _missing("Dask", error) from error


def _missing(name: str, error: ImportError) -> MissingPackageError:
    return MissingPackageError(f"standalone_core.distributed needs {name} ({INSTALL}): {error}")
