# SPDX-License-Identifier: MIT
"""Writing of a mesh with its tree."""

import os
import time
from argparse import Namespace
from typing import Any

from ..console import Progress, UsageError, about
from ..files.whole_file import check_writable, ending_of
from ..mesh_reading import load_mesh
from .paths import check_read_and_kept


def convert(asked: Namespace) -> dict[str, Any]:
    """Do what the command "convert" asks for; return what is reported of it."""
    if ending_of(asked.output) != ".npz":
        raise UsageError(f"a mesh is written to an .npz file, not to {asked.output!r}")
    check_writable(asked.output)
    check_read_and_kept(asked.output, asked.mesh)
    start = time.monotonic()
    with about(asked.mesh):
        mesh = load_mesh(asked.mesh, threads=asked.threads)
    triangles = len(mesh.triangles)
    with Progress("triangles", shown=False if asked.quiet else None) as progress:
        mesh.build(lambda share: progress(int(share * triangles), triangles), asked.threads)
    mesh.save(asked.output)
    return {
        "output": asked.output,
        "triangles": triangles,
        "bytes": os.path.getsize(asked.output),
        "seconds": round(time.monotonic() - start, 3),
    }
