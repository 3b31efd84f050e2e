# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in Blender, which may have any characters, as names of files and of layers."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

_UNSAFE = re.compile(r"[^\w.+-]")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_MOST = 160  # bytes of a name, which leaves room for the rest of a file's name


def safe_name(name: str, others: Iterable[str] = (), also: str = "", most: int = _MOST) -> str:
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
    most : int
        How many bytes of the name are kept before the digest.
    """
    safe = _UNSAFE.sub("_", unicodedata.normalize("NFC", name))
    safe = safe.translate(dict.fromkeys(map(ord, also), "_"))
    safe = safe.encode()[:most].decode(errors="ignore").strip(".") or "_"
    small = _folded(name)
    is_shared = any(other != name and _folded(other) == small for other in others)
    if _RESERVED.fullmatch(safe) or safe.startswith("-"):  # reserved by Windows, or like an option
        safe = f"_{safe}"
    if safe != name or is_shared:
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
        return f"{safe}-{digest[:8]}"
    return safe


def _folded(name: str) -> str:
    """A key that is equal for names that a file system may take for one."""
    return unicodedata.normalize("NFKC", name).casefold()
