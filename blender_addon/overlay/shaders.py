# SPDX-License-Identifier: GPL-3.0-or-later
"""Shaders of our own, from the files next to this one, and the values that their vertices have."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

import gpu
import numpy as np

from ..standalone_core.extension import FloatArray

_Typed = tuple[tuple[str, str], ...]
"""Types as Blender has them, and names."""


@cache
def compiled(
    name: str, vertex: _Typed, passed: _Typed, constants: _Typed, images: tuple[str, ...] = ()
) -> gpu.types.GPUShader | None:
    """A shader, compiled once; None where that fails, which Blender then has printed.

    Parameters
    ----------
    name : str
        Of its two files.
    vertex : tuple
        What each vertex has.
    passed : tuple
        What goes from vertices to pixels: between them it is mixed, if its name is ``"at"``.
    constants : tuple
        What is set for each drawing.
    images : tuple of str
        The names of textures.
    """
    made, passing = gpu.types.GPUShaderCreateInfo(), gpu.types.GPUStageInterfaceInfo(name)
    for kind, each in passed:
        (passing.smooth if each == "at" else passing.flat)(cast(Any, kind), each)
    for slot, (kind, each) in enumerate(vertex):
        made.vertex_in(slot, cast(Any, kind), each)
    for kind, each in constants:
        made.push_constant(cast(Any, kind), each)
    for slot, each in enumerate(images):
        made.sampler(slot, "FLOAT_2D", each)
    made.vertex_out(passing)
    made.fragment_out(0, "VEC4", "frag")
    made.vertex_source(_source(f"{name}.vert.glsl"))
    made.fragment_source(_source(f"{name}.frag.glsl"))
    try:
        return gpu.shader.create_from_info(made)
    except Exception:  # all that Blender tells of its kind
        return None


def buffer(**columns: FloatArray) -> gpu.types.GPUVertBuf:
    """The values (V, n) that vertices have, by name."""
    form = gpu.types.GPUVertFormat()
    for name, values in columns.items():
        form.attr_add(id=name, comp_type="F32", len=values.shape[1], fetch_mode="FLOAT")
    made = gpu.types.GPUVertBuf(form, len(next(iter(columns.values()))))
    for name, values in columns.items():
        made.attr_fill(name, cast(Any, np.ascontiguousarray(values, dtype=np.float32)))
    return made


def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
