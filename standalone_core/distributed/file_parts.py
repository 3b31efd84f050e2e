# SPDX-License-Identifier: MIT
"""Mesh files that have parts in other files, of which a digest of the one file tells nothing."""

from __future__ import annotations

import json
import re

from ..files.whole_file import ending_of

# The keyword of Abaqus, as meshio reads it.
_INCLUDE = re.compile(rb"^[\s*]*include\b", re.IGNORECASE | re.MULTILINE)


def may_have_parts(path: str) -> bool:
    """Whether other files may be read for this one; OSError if it is not there."""
    ending = ending_of(path)
    if ending in (".gltf", ".glb"):
        return _has_buffers_outside(path)
    if ending == ".inp":
        with open(path, "rb") as file:
            return _INCLUDE.search(file.read()) is not None
    return ending in (".xdmf", ".xmf")


def _has_buffers_outside(path: str) -> bool:
    """Whether a glTF, as text or in bytes, has other buffers than those within."""
    with open(path, "rb") as file:
        head = file.read(20)
        is_binary = head.startswith(b"glTF")
        text = file.read(int.from_bytes(head[12:16], "little")) if is_binary else head + file.read()
    try:
        uris = [buffer.get("uri", "") for buffer in json.loads(text).get("buffers", [])]
        return any(uri and uri[:5].lower() != "data:" for uri in uris)
    except (ValueError, AttributeError, TypeError):
        return False  # it is damaged, as its reader will say
