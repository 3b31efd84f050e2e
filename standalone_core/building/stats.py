# SPDX-License-Identifier: MIT
"""Statistics of a mesh."""

from dataclasses import dataclass

from ..numerics.value import immutable


@immutable
@dataclass(frozen=True, slots=True)
class MeshStats:
    """What a mesh has done so far.

    Attributes
    ----------
    triangles, vertices : int
    scans : int
        Rays that were answered without a tree.
    scan_seconds, build_seconds : float
    nodes, depth : int
        Nodes and levels of the tree; 0 before it is built.
    sah_cost : float
        What a random ray is expected to cost in the tree, in box tests, see :func:`.bvh.sah_cost`.
    nbytes : int
        Memory of the tree, and of what engines keep beside it.

    Examples
    --------
    >>> from standalone_core import Mesh
    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> _ = mesh.ray_cast((0.25, 0.25, 1), (0, 0, -1))
    >>> mesh.stats.triangles, mesh.stats.scans, mesh.stats.nodes
    (1, 1, 0)
    >>> mesh.build()
    >>> mesh.stats.nodes, mesh.stats.depth
    (1, 1)
    """

    triangles: int
    vertices: int
    scans: int
    scan_seconds: float
    build_seconds: float
    nodes: int
    depth: int
    sah_cost: float
    nbytes: int
