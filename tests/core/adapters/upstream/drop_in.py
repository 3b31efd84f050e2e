# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin of pytest: trimesh's own tests, answered by the drop-in.

It takes the place of both of trimesh's intersectors before a test asks for one.
"""

import trimesh.proximity
import trimesh.ray

from standalone_core.adapters.trimesh import RayMeshIntersector

trimesh.ray.ray_triangle.RayMeshIntersector = RayMeshIntersector
trimesh.ray.ray_pyembree.RayMeshIntersector = RayMeshIntersector
