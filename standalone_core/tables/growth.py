# SPDX-License-Identifier: MIT
"""How much larger than its file a table may be, which a few bytes could otherwise make endless."""

from ..errors import TableFileError

LEAST = 1 << 29
"""Bytes of a table that any file may have."""

MOST_GROWTH = 256
"""So many bytes of a table may come of each byte of its file, beside those."""


def check_growth(size: int, of_file: int) -> None:
    """TableFileError if a table of so many bytes is too large for a file of so many."""
    if size > LEAST + MOST_GROWTH * of_file:
        raise TableFileError(
            f"the table would take {size / 1e9:,.1f} GB of memory, too much for a file of "
            f"{of_file:,} bytes: write it without compression if that is meant"
        )
