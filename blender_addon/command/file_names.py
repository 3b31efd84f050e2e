# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of files and of layers from names of things in Blender, which may have any characters."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

_UNSAFE = re.compile(r"[^\w.+-]")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_MOST = 160  # bytes of a name, which leaves room for the rest of a file's name


def safe_name(name: str, others: Iterable[str] = (), also: str = "") -> str:
    """A name that every file system takes, and that no other name gets.

    Letters, digits and ``_ . + -`` stay, all else becomes ``_``. A name that this changes, or that
    differs from one of the others in capitals alone, ends in a digest of itself. So the same name
    has the same file in every run of the same Blender file.

    Parameters
    ----------
    name : str
    others : iterable of str
        All names of its kind; the name itself may be among them.
    also : str
        More characters that become ``_``.
    """
    safe = _UNSAFE.sub("_", unicodedata.normalize("NFC", name))
    safe = safe.translate(dict.fromkeys(map(ord, also), "_"))
    safe = safe.encode()[:_MOST].decode(errors="ignore").strip(".") or "_"
    small = _folded(name)
    is_shared = any(other != name and _folded(other) == small for other in others)
    if _RESERVED.fullmatch(safe) or safe.startswith("-"):  # of Windows, and of options
        safe = f"_{safe}"
    if safe != name or is_shared:
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
        return f"{safe}-{digest[:8]}"
    return safe


def shot_name(camera: str, frame: int, ending: str) -> str:
    """What the file of a camera and a frame is called; the camera's name is a safe one."""
    return f"{camera}_{frame:04d}{ending}"


def _folded(name: str) -> str:
    """What names have in common that a file system may take for one."""
    return unicodedata.normalize("NFKC", name).casefold()
