# SPDX-License-Identifier: MIT
"""A fingerprint of which vertices the faces of a mesh connect."""

from __future__ import annotations

import hashlib

import numpy as np

from ..numerics.arrays import IndexArray

_BYTES = 16


def fingerprint(vertex_count: int, corners: IndexArray, sizes: int | IndexArray) -> str:
    """Hexadecimal digits that two meshes share if their faces have the same vertices in order.

    `corners` (L,) are the vertices of the faces, face after face, and `sizes` (F,) their numbers of
    corners. The digits are the same on every machine: files may keep them.
    """
    every = np.full(len(corners) // sizes, sizes) if isinstance(sizes, int) else sizes
    digest = hashlib.blake2b(digest_size=_BYTES)
    digest.update(np.array([vertex_count, len(every)], "<i8").data)
    digest.update(np.ascontiguousarray(every, "<i4").data)
    digest.update(np.ascontiguousarray(corners, "<i4").data)
    return digest.hexdigest()
