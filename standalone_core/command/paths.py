# SPDX-License-Identifier: MIT
"""What is wrong with the paths of a command, before any work is done."""

from ..console import UsageError
from ..errors import ArgumentError
from ..files.whole_file import TakenFiles, check_readable


def check_read_and_kept(out: str, *read: str) -> None:
    """UsageError if the output would replace a file that is read; OSError if one cannot be read."""
    taken = TakenFiles()
    for path in filter(None, read):
        taken.add(f"{path!r}, which is read", path)
    try:
        taken.check("the output", out)
    except ArgumentError as error:
        raise UsageError(str(error)) from None
    for path in read:
        check_readable(path)
