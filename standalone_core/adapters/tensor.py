# SPDX-License-Identifier: MIT
"""Tensors for programs written for Open3D: arrays with its methods, or Open3D's own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from ..numerics.reading import described
from ..numerics.vectors import matmul
from ..types import Reals
from .reading import array_of, dtype_of, is_of_open3d

_NAMES = {"sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative"} | {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_SAME_NAMES = (
    *("abs", "add", "allclose", "ceil", "cos", "cross", "exp", "floor", "isclose", "isfinite"),
    *("isinf", "isnan", "logical_and", "logical_not", "logical_or", "logical_xor", "sin", "sqrt"),
    "trunc",
)
_FUNCTIONS = {name: getattr(np, _NAMES.get(name, name)) for name in (*_NAMES, *_SAME_NAMES)}
_FUNCTIONS["matmul"] = matmul
"""Methods of Open3D's tensors that NumPy has as functions; with a final "_" they work in place."""


def answer_of(values: npt.NDArray[Any]) -> Tensor:
    """Values as a tensor of Open3D if the program has imported it, else as a :class:`Tensor`."""
    tensor: Tensor = tensor_of(values, hasattr(sys.modules.get("open3d"), "core"))
    return tensor


def tensor_of(values: Reals, is_for_open3d: bool) -> Any:
    """Values as a tensor of Open3D or as a :class:`Tensor`, sharing memory if it is writeable."""
    if not is_for_open3d:
        return Tensor(values)
    array = np.require(values, requirements=("C", "W"))  # Open3D would write to read-only memory
    return sys.modules["open3d"].core.Tensor.from_numpy(array)


def _reduction(name: str) -> Any:
    """Make a reduction of arrays take Open3D's ``dim`` and ``keepdim`` too."""
    of_array = getattr(np.ndarray, name)

    def reduce(self: Tensor, *given: object, **named: object) -> Tensor:
        if len(given) > 1 and isinstance(given[-1], bool):
            given, named["keepdims"] = given[:1], given[-1]
        names = {"dim": "axis", "keepdim": "keepdims"}
        named = {names.get(each, each): _axes(value) for each, value in named.items()}
        found = of_array(self, *map(_axes, given), **named)
        return found if isinstance(found, Tensor) else Tensor(found)

    reduce.__name__, reduce.__qualname__ = name, f"Tensor.{name}"
    reduce.__doc__ = f"The `{name}` of an array, which takes ``dim`` and ``keepdim`` as in Open3D."
    return reduce


def _axes(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class _Operator(Protocol):
    def __call__(self, other: Any, /) -> Tensor: ...


class _Method(Protocol):
    def __call__(self, *given: Any, **named: Any) -> Tensor: ...


class _TypedAsTensors:
    """The types of what NumPy's types call plain arrays."""

    if TYPE_CHECKING:

        def __abs__(self) -> Tensor: ...

        def __eq__(self, other: object, /) -> Tensor: ...  # type: ignore[override]

        def __ne__(self, other: object, /) -> Tensor: ...  # type: ignore[override]

        __add__: _Operator
        __radd__: _Operator
        __iadd__: _Operator
        __sub__: _Operator
        __rsub__: _Operator
        __isub__: _Operator
        __mul__: _Operator
        __rmul__: _Operator
        __imul__: _Operator
        __truediv__: _Operator
        __rtruediv__: _Operator
        __itruediv__: _Operator
        __floordiv__: _Operator
        __rfloordiv__: _Operator
        __ifloordiv__: _Operator
        __mod__: _Operator
        __rmod__: _Operator
        __imod__: _Operator
        __pow__: _Operator
        __rpow__: _Operator
        __ipow__: _Operator
        __matmul__: _Operator
        __rmatmul__: _Operator
        __imatmul__: _Operator
        __and__: _Operator
        __rand__: _Operator
        __iand__: _Operator
        __or__: _Operator
        __ror__: _Operator
        __ior__: _Operator
        __xor__: _Operator
        __rxor__: _Operator
        __ixor__: _Operator
        __lt__: _Operator
        __le__: _Operator
        __gt__: _Operator
        __ge__: _Operator
        astype: _Method
        clip: _Method
        copy: _Method
        cumsum: _Method
        flatten: _Method
        ravel: _Method
        repeat: _Method
        reshape: _Method
        round: _Method
        squeeze: _Method
        swapaxes: _Method
        take: _Method
        transpose: _Method


class Tensor(_TypedAsTensors, np.ndarray[Any, np.dtype[Any]]):  # type: ignore[misc]
    """A NumPy array with the methods of an Open3D tensor that arrays lack.

    They are those below; ``max``, ``min``, ``sum``, ``mean``, ``prod``, ``argmax``, ``argmin``,
    ``any`` and ``all`` with ``dim=`` and ``keepdim=``; and functions as methods: ``abs``, ``add``,
    ``allclose``, ``ceil``, ``cos``, ``cross``, ``div``, ``eq``, ``exp``, ``floor``, ``ge``, ``gt``,
    ``isclose``, ``isfinite``, ``isinf``, ``isnan``, ``le``, ``logical_and``, ``logical_not``,
    ``logical_or``, ``logical_xor``, ``lt``, ``matmul``, ``mul``, ``ne``, ``neg``, ``sin``,
    ``sqrt``, ``sub``, ``trunc``. With a final underscore, such as ``add_``, they change the tensor.

    All else works as on an array: operators, NumPy's functions, ``item``, ``reshape``. Together
    with tensors of Open3D, operators and ufuncs give tensors of Open3D, which an index may be too.
    An element of a tensor is a tensor of shape (), as in Open3D. It hashes like its number, so a
    set or dict finds it; ``item()`` returns the Python number.

    Parameters
    ----------
    values : array_like
        An array's memory is shared, unless it is read-only: then it is copied, as tensors can be
        changed.
    dtype : dtype, optional
        Of NumPy or Open3D; another one than that of `values` makes a copy.
    device : object, optional
        The CPU, as of Open3D.

    Examples
    --------
    >>> t_hit = Tensor([2.0, np.inf])
    >>> t_hit.isfinite().numpy()
    array([ True, False])
    >>> t_hit[0].cpu().item(), t_hit.min(dim=0).to(np.float32).dtype == np.float32
    (2.0, True)
    """

    @np.errstate(over="ignore", invalid="ignore")
    def __new__(cls, values: Reals, dtype: object = None, device: object = None) -> Tensor:
        """Values of any shape as a tensor."""
        _check_device(device)
        array = np.asarray(array_of(values, "values"), None if dtype is None else dtype_of(dtype))
        return (array if array.flags.writeable else array.copy()).view(cls)

    @classmethod
    def from_numpy(cls, array: npt.NDArray[Any]) -> Tensor:
        """The array as a tensor; it shares its memory, unless it is read-only."""
        return cls(array)

    @classmethod
    def from_dlpack(cls, value: object) -> Tensor:
        """A tensor from another library, or its DLPack capsule; the memory is shared."""
        return cls(np.from_dlpack(value if hasattr(value, "__dlpack__") else _Capsule(value)))

    def to_dlpack(self) -> Any:
        """The DLPack capsule of the tensor; the memory is shared."""
        return self.__dlpack__()

    def numpy(self) -> npt.NDArray[Any]:
        """The tensor as a plain array that shares its memory."""
        return self.view(np.ndarray)

    def cpu(self) -> Tensor:
        """The tensor itself, which is in the CPU's memory already."""
        return self

    def cuda(self, device_id: int = 0) -> NoReturn:
        """Raise ArgumentError: only tensors of Open3D can be on a GPU."""
        raise ArgumentError(f"a Tensor cannot be on CUDA:{device_id}: its device is the CPU")

    @np.errstate(over="ignore", invalid="ignore")
    def to(
        self, *target: object, dtype: object = None, device: object = None, copy: bool = False
    ) -> Tensor:
        """The tensor as another type; itself if it has the type, and no copy is wanted.

        Parameters
        ----------
        *target
            The same by position: a type, a device, or both, and then whether to copy.
        dtype : dtype, optional
            Of NumPy or Open3D.
        device : object, optional
            The CPU.
        copy : bool

        Raises
        ------
        DtypeError, ArgumentError
            If the type is none, or the device is not the CPU.
        """
        for each in target:
            if isinstance(each, bool):
                copy = each
            elif _is_device(each):
                device = each
            else:
                dtype = each
        _check_device(device)
        wanted = self.dtype if dtype is None else dtype_of(dtype)
        return self if wanted == self.dtype and not copy else Tensor(self.astype(wanted))

    def clone(self) -> Tensor:
        """A copy of the tensor."""
        return self.copy().view(Tensor)

    def contiguous(self) -> Tensor:
        """The tensor with its numbers one after the other in memory: itself or a copy."""
        return self if self.is_contiguous() else self.clone()

    def is_contiguous(self) -> bool:
        """Whether the numbers lie one after the other in memory."""
        return self.flags.c_contiguous

    def num_elements(self) -> int:
        """How many numbers there are."""
        return self.size

    def nonzero(self, as_tuple: bool = False) -> Any:
        """The indices of what is not 0, (N,) of each axis; as one tensor (axes, N) if `as_tuple`.

        The name of the option is Open3D's.
        """
        places = tuple(map(Tensor, np.nonzero(self.numpy())))
        return Tensor(np.stack(places)) if as_tuple else places

    @property
    def device(self) -> str:  # type: ignore[override]
        """The CPU, in Open3D's spelling; equal to Open3D's device."""
        return "CPU:0"

    @property
    def is_cpu(self) -> bool:
        """True: the tensor is in the CPU's memory."""
        return True

    @property
    def is_cuda(self) -> bool:
        """False: the tensor is in the CPU's memory."""
        return False

    @property
    def T(self) -> _Transposed:  # noqa: N802 (the name that both libraries use)
        """The transposed tensor, which shares the memory: ``x.T`` as in NumPy, ``x.T()`` too."""
        return self.transpose().view(_Transposed)

    max: Any = _reduction("max")
    min: Any = _reduction("min")
    sum: Any = _reduction("sum")
    mean: Any = _reduction("mean")
    prod: Any = _reduction("prod")
    argmax: Any = _reduction("argmax")
    argmin: Any = _reduction("argmin")
    any: Any = _reduction("any")
    all: Any = _reduction("all")

    def __getattr__(self, name: str) -> Any:
        """A function of the table as a method."""
        function = _FUNCTIONS.get(name.removesuffix("_"))
        if function is None:
            raise AttributeError(f"a tensor has no {name!r}")

        def method(*others: Any, **options: Any) -> Any:
            if name.endswith("_"):
                options["out"] = self
            if not isinstance(function, np.ufunc):  # which converts them itself
                others = tuple(map(_plain, others))
            found = function(self, *others, **options)
            is_array = isinstance(found, np.ndarray) and not isinstance(found, Tensor)
            return Tensor(found) if is_array else found

        return method

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_FUNCTIONS]

    def __getitem__(self, key: Any) -> Any:
        """A part or an element, as a tensor; shares memory where a part of an array would."""
        key = _plain_key(key)
        part = super().__getitem__(key)
        if isinstance(part, np.ndarray):
            return part
        return super().__getitem__((*key, ...) if isinstance(key, tuple) else (key, ...))

    def __setitem__(self, key: Any, values: Any) -> None:
        """Set a part; key and values may be Open3D's."""
        super().__setitem__(_plain_key(key), array_of(values, "values"))

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **options: Any) -> Any:
        """Compute with arrays, and return a tensor, Open3D's if one of the inputs is."""
        out = options.get("out")
        if out is not None:
            options["out"] = tuple(map(_plain, out))
        if "where" in options:
            options["where"] = _plain(options["where"])
        found = super().__array_ufunc__(ufunc, method, *map(_plain, inputs), **options)
        if found is NotImplemented or found is None:
            return found
        if out is not None:
            return out[0] if len(out) == 1 else out
        is_for_open3d = any(map(is_of_open3d, inputs))
        if isinstance(found, tuple):
            return tuple(tensor_of(each, is_for_open3d) for each in found)
        return tensor_of(found, is_for_open3d)

    def __dlpack__(self, **options: Any) -> Any:
        """The DLPack capsule, of a copy if the memory is read-only."""
        array = self.numpy()
        return (array if array.flags.writeable else array.copy()).__dlpack__(**options)

    def __hash__(self) -> int:  # type: ignore[override]
        """The hash of the number in a tensor of shape ()."""
        if self.ndim:
            raise TypeError(f"a tensor of shape {self.shape} cannot be hashed, one number can")
        return hash(self.item())


class _Transposed(Tensor):
    """A transposed tensor; a call returns it, as ``T`` is a method in Open3D."""

    def __call__(self) -> Tensor:
        return self.view(Tensor)

    def __repr__(self) -> str:
        return repr(self())


class _Capsule:
    """A DLPack capsule as an object that NumPy takes."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **ignored: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # the CPU


def _plain(value: Any) -> Any:
    """A tensor as a plain array; anything else as it is."""
    return array_of(value, "tensor") if isinstance(value, Tensor) or is_of_open3d(value) else value


def _plain_key(key: Any) -> Any:
    return tuple(map(_plain, key)) if isinstance(key, tuple) else _plain(key)


def _is_device(value: Any) -> bool:
    return str(value).upper().partition(":")[0] in ("CPU", "CUDA", "SYCL")


def _check_device(value: Any) -> None:
    """Raise ArgumentError for any device but the CPU; None is the CPU."""
    if value is not None and not str(value).upper().startswith("CPU"):
        raise ArgumentError(f"the device must be the CPU, not {described(value)}")
