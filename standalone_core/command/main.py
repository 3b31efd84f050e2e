# SPDX-License-Identifier: MIT
"""From the arguments of a shell to an exit code."""

from collections.abc import Sequence

from .. import console
from .parser import PROGRAM, make_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments of a shell ask for, by default this process's; return the exit code."""

    def do() -> None:
        asked = make_parser().parse_args(arguments)
        facts = asked.do(asked)
        if asked.json or not asked.quiet:
            console.report(facts, asked.json)

    try:
        return console.run(do, PROGRAM)
    except SystemExit as end:  # after --help and --version, and where the system ends it
        return int(end.code or 0)
