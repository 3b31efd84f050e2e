# SPDX-License-Identifier: MIT
"""Arrays that programs written for Open3D can ask what they ask its tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


class Tensor(np.ndarray[Any, np.dtype[Any]]):
    """An array of NumPy, with what programs call on a tensor of Open3D and arrays lack.

    All else is an array's: operators, functions of NumPy, ``item``, ``reshape``, ``T`` without
    parentheses. One number out of a tensor is a tensor of shape (), as in Open3D, of which the same
    can be asked. It can be looked up in a set or dict as the number; ``item()`` is Python's.

    Parameters
    ----------
    values : array_like
        Those of an array are shared, but copied where they are read-only: a tensor can be changed.

    Examples
    --------
    >>> t_hit = Tensor([2.0, np.inf])
    >>> t_hit.isfinite().numpy()
    array([ True, False])
    >>> t_hit[0].cpu().item()
    2.0
    """

    def __new__(cls, values: npt.ArrayLike) -> Tensor:
        """Values of any shape as a tensor."""
        array = np.asarray(values)
        return (array if array.flags.writeable else array.copy()).view(cls)

    def numpy(self) -> npt.NDArray[Any]:
        """A plain array of the same numbers, in the same memory."""
        return self.view(np.ndarray)

    def cpu(self) -> Tensor:
        """The tensor itself, as it is in the processor's memory."""
        return self

    def isfinite(self) -> Tensor:
        """Whether each number is neither infinite nor NaN, of the same shape."""
        return Tensor(np.isfinite(self))

    def isinf(self) -> Tensor:
        """Whether each number is infinite, of the same shape."""
        return Tensor(np.isinf(self))

    def isnan(self) -> Tensor:
        """Whether each number is NaN, of the same shape."""
        return Tensor(np.isnan(self))

    def __getitem__(self, key: Any) -> Any:
        """A part, which shares the memory where an array's would; also if it is one number."""
        part = super().__getitem__(key)
        if isinstance(part, np.ndarray):
            return part
        return super().__getitem__((*key, ...) if isinstance(key, tuple) else (key, ...))

    def __hash__(self) -> int:  # type: ignore[override]
        """That of the one number which the tensor is."""
        if self.ndim:
            raise TypeError(f"a tensor of shape {self.shape} cannot be hashed, one number can")
        return hash(self.item())
