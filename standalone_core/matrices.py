# SPDX-License-Identifier: MIT
"""Reading and inverting matrices of either convention."""

from typing import Any, Literal, NoReturn

import numpy as np

from .arguments import finite, finite_floats, one_of
from .errors import ArgumentError, SingularMatrixError
from .numerics.arrays import EPS, BoolArray, FloatArray
from .numerics.vectors import inv, matmul, svd

Convention = Literal["opengl", "direct3d"]
"""Whether matrices multiply column vectors, p' = M p, or row vectors, p' = p M."""


def check_convention(value: Convention) -> Convention:
    """Return `value`, or ArgumentError if it is neither convention."""
    return one_of(value, "convention", "opengl", "direct3d")


def matrix4(
    value: Any, name: str, convention: Convention = "opengl", *, takes_convention: bool = True
) -> FloatArray:
    """Read `value` as a finite 4 x 4 matrix, and return it for column vectors.

    ArgumentError if it evidently is an affine matrix of the other convention: an affine one has
    (0, 0, 0, 1) for its last row, transposed for its last column. If the public call
    `takes_convention`, the error advises to pass the other one.
    """
    check_convention(convention)
    matrix = finite_floats(value, name, (4, 4))
    matrix = matrix if convention == "opengl" else matrix.T
    if _is_affine(matrix.T) and not _is_affine(matrix):
        refuse_transposed(name, "an affine matrix", convention, takes_convention=takes_convention)
    return matrix


def refuse_transposed(
    name: str, kind: str, convention: Convention, *, takes_convention: bool = True
) -> NoReturn:
    """Raise the ArgumentError for a matrix of the other convention."""
    columns, other = ("column", "direct3d") if convention == "opengl" else ("row", "opengl")
    advice = f', or pass convention="{other}"' if takes_convention else ""
    raise ArgumentError(
        f"{name} is the transpose of {kind} for {columns} vectors: transpose it{advice}"
    )


def inverse(matrix: FloatArray, name: str, convention: Convention = "opengl") -> FloatArray:
    """The inverse of a square matrix for column vectors, or SingularMatrixError."""
    equal, size, is_sound = _equalized(matrix)
    line = "column" if convention == "opengl" else "row"
    if not (size > 0).all():
        raise SingularMatrixError(f"{name} has a {line} of zeros: it cannot be inverted")
    if not is_sound:
        raise SingularMatrixError(f"{name} cannot be inverted: its {line}s are dependent")
    return _inverted(equal, size)


def affine_inverse(matrix: FloatArray, name: str, convention: Convention = "opengl") -> FloatArray:
    """The inverse of an affine 4 x 4 matrix (last row 0 0 0 1), or an error.

    The matrix is for column vectors; errors speak of the one that the caller passed.
    """
    if not _is_affine(matrix):
        if _is_affine(matrix.T):
            refuse_transposed(name, "an affine matrix", convention)
        line = "row" if convention == "opengl" else "column"
        raise ArgumentError(
            f"{name} must be affine, with (0, 0, 0, 1) for its last {line}, "
            f"not {matrix[3].tolist()}"
        )
    result = np.eye(4)
    linear = finite(inverse(matrix[:3, :3], name, convention), f"the inverse of {name}")
    result[:3, :3] = linear
    with np.errstate(over="ignore", invalid="ignore"):
        result[:3, 3] = -matmul(linear, matrix[:3, 3])
    return result


def affine_inverses(matrices: FloatArray, name: str, convention: Convention) -> FloatArray:
    """The inverses (N, 3, 3) of the linear parts of affine matrices (N, 4, 4), or an error."""
    equal, size, is_sound = _equalized(matrices[:, :3, :3])
    good = is_sound & _is_affine(matrices)
    if not good.all():
        bad = int(np.flatnonzero(~good)[0])
        affine_inverse(matrices[bad], f"{name} {bad}", convention)
    return finite(_inverted(equal, size), f"the inverse of {name}")


def _is_affine(matrix: FloatArray) -> BoolArray:
    return np.asarray((matrix[..., 3, :] == (0.0, 0.0, 0.0, 1.0)).all(axis=-1))


def _equalized(matrix: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Matrices (..., n, n) divided by the sizes of their columns, these sizes, and which are sound.

    So a matrix is refused only for dependent columns, not for a tiny or very uneven scale.
    """
    size = np.abs(matrix).max(axis=-2)
    equal = matrix / np.where(size > 0, size, 1.0)[..., None, :]
    spread = svd(equal, compute_uv=False)
    is_sound = (size > 0).all(axis=-1) & (spread[..., -1] > 4 * EPS * spread[..., 0])
    return equal, size, np.asarray(is_sound)


def _inverted(equal: FloatArray, size: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.asarray(inv(equal) / size[..., None])
