# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that nothing else has yet."""

from __future__ import annotations

from collections.abc import Collection


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name that is wanted, or, where it is taken, the next one with a number, as in Blender."""
    return wanted if wanted not in taken else numbered_name(wanted, taken)


def numbered_name(stem: str, taken: Collection[str]) -> str:
    """The first of stem.001, stem.002 ... that is not taken."""
    numbers = range(1, len(taken) + 2)
    return next(name for name in (f"{stem}.{n:03d}" for n in numbers) if name not in taken)
