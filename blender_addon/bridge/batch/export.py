# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene as one of the core alone, with nothing of Blender in it."""

from __future__ import annotations

import bpy
import numpy as np

from ...standalone_core import Mesh, Scene
from ..mesh.flat_mesh import are_flat
from ..mesh.scene_mesh import SceneMesh
from ..query import shown_in
from ..reading import asked_again_if_outdated, reading
from ..scene.visibility import Rule
from .tables import Tables, tables_of


@asked_again_if_outdated
def plain_scene(
    context: bpy.types.Context, space: bpy.types.SpaceView3D | None, rule: Rule
) -> Scene:
    """Copies of all meshes, each once, placed as they are shown, in the order of their table."""
    with reading():
        shown = shown_in(context, space, rule)
        tables = tables_of(shown)
        matrices = tables.instances.matrix_world.copy()
        flat = are_flat(matrices)
        plain: dict[SceneMesh, Mesh] = {}
        meshes = []
        for row, is_flat in zip(shown.listed.values(), flat.tolist(), strict=True):
            if is_flat:
                meshes.append(row.mesh.plain(row.matrix))
                continue
            if row.mesh not in plain:
                plain[row.mesh] = row.mesh.plain()
            meshes.append(plain[row.mesh])
        matrices[flat] = np.eye(4)
        scene = Scene()
        scene.add_many(meshes, matrices, _names(tables))
        return scene


def _names(tables: Tables) -> list[str]:
    """The object of each instance, with what makes it."""
    names = [tables.objects[number][0] for number in tables.instances.object.tolist()]
    makers = [tables.instances.text(row) for row in range(len(names))]
    return [
        f"{name} ({maker})" if maker else name for name, maker in zip(names, makers, strict=True)
    ]
