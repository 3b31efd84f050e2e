# SPDX-License-Identifier: GPL-3.0-or-later
"""Original faces through chains of modifiers at random, on meshes at random, are right or unknown.

``RAYPICK_CHAINS`` sets the number of chains.
"""

import importlib
import os

import bpy
import numpy as np
import pytest

from .chains import UNKNOWN, random_chain, random_mesh, right_faces

CHAINS = int(os.environ.get("RAYPICK_CHAINS", "80"))


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
def test_no_chain_leads_to_a_wrong_face(raypick, rng, mode):
    trace = importlib.import_module(f"{raypick.__name__}.bridge.original.trace")
    known, unknown = 0, []
    for number in range(CHAINS):
        obj = random_mesh(rng)
        random_chain(rng, obj)
        bpy.context.view_layer.objects.active = obj
        bpy.ops.object.mode_set(mode=mode)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        found = obj.evaluated_get(depsgraph)
        mesh, chain = found.to_mesh(), [each.type for each in obj.modifiers]
        right = right_faces(mesh)
        told = trace.original_faces(found, mesh, depsgraph)
        assert ((told == right) | (told == UNKNOWN)).all(), f"chain {number}: {chain}"
        for face in rng.integers(len(right), size=8).tolist():
            one, reason = trace.original_face(found, mesh, face, depsgraph, {})
            assert (UNKNOWN if one is None else one) == told[face], f"chain {number}: {chain}"
            assert (one is None) == isinstance(reason, str)
        known += bool(np.any(told != UNKNOWN))
        if not np.any(told != UNKNOWN):
            unknown.append((reason, *chain))
        found.to_mesh_clear()
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.data.objects.remove(obj)
    print(f"{known} of {CHAINS} chains are traced; not these:", *unknown, sep="\n")
    assert known > CHAINS // 3
