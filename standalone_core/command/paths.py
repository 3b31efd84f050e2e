# SPDX-License-Identifier: MIT
"""What is wrong with the paths of a command, before any work is done."""

from ..console import UsageError
from ..errors import ArgumentError
from ..files.whole_file import check_readable, check_replaces_none


def check_read_and_kept(out: str, *read: str) -> None:
    """UsageError if the output would replace a file that is read; OSError if one cannot be read."""
    try:
        others = {f"{path!r}, which is read": path for path in read if path}
        check_replaces_none("the output", out, others)
    except ArgumentError as error:
        raise UsageError(str(error)) from None
    for path in read:
        check_readable(path)
