# SPDX-License-Identifier: GPL-3.0-or-later
"""Run ``blender FILE.blend --command raypick ...`` and return its exit code."""

from __future__ import annotations

import argparse
import re
import sys
import traceback
from collections.abc import Sequence

import bpy

from ..standalone_core.extension import console
from . import cast, info, landmarks, survey
from .arguments import Parser, check_files
from .opened import version
from .talk import Talk, noticed

NAME = "raypick"

_DESCRIPTION = """\
Cast rays at what a Blender file shows, without a window. The file stands before --command, and all
that follows the name of the command belongs to Raypick."""

_EPILOG = """\
examples:
  blender scene.blend --command raypick info
  blender scene.blend --command raypick cast --rays rays.npz --out hits.npz
  blender scene.blend --command raypick survey --camera Camera --frames 1-240 --out shots/
  blender scene.blend --command raypick landmarks --export head.mrk.json
  blender --command raypick survey --help

exit codes: 0 all is done, 1 something failed, 2 wrong usage, 130 interrupted"""

_COMMAND = ("-c", "--command")
_ASKS_FOR_HELP = {"-h", "--help", "--version"}
_BLEND = re.compile(r"\.blend\d*$", re.IGNORECASE)


def main(argv: Sequence[str]) -> int:
    """Run a command on the open file; `argv` is what follows ``raypick``.

    Return 0 if all is done, 1 if something failed, 2 for wrong usage, 130 if it was interrupted.
    """
    try:
        options = _parser().parse_args([*argv])
        if "check" in options:
            options.check(options.parser, options)
        check_files(options.parser, options)
    except SystemExit as end:
        return int(end.code or 0)
    return console.run(lambda: _run(options), f"{NAME} {options.command}")


def from_blender(argv: list[str]) -> int:
    """Run the command that Blender was started with; refuse if no file is open.

    If Blender cannot open a file, it goes on with its default scene. Without a file, a script that
    ran before the command may have made the scene.
    """
    if not bpy.data.filepath and not _ASKS_FOR_HELP & {*argv}:
        before = sys.argv[: min(sys.argv.index(name) for name in _COMMAND if name in sys.argv)]
        files = [name for name in before if _BLEND.search(name)]
        if files:
            console.complain(NAME, f"Blender cannot open {files[-1]}")
            return console.FAILED
        if not any(name.startswith(("--python", "-P")) for name in before):
            console.complain(NAME, "no file is open: give one before --command")
            return console.USAGE
    return main(argv)


def _run(options: argparse.Namespace) -> int:
    talk = Talk(options.command, options.quiet)
    try:
        with noticed() as interruption:
            result = options.run(options, talk, interruption)
            talk.answer(options.json, result)
        if result.get("interrupted"):
            raise KeyboardInterrupt
    except Exception:
        if options.debug:
            traceback.print_exc()
        raise
    return console.FAILED if result["failed"] else console.DONE


def _parser() -> Parser:
    parser = Parser(
        prog=f"blender FILE.blend --command {NAME}", description=_DESCRIPTION, epilog=_EPILOG
    )
    parser.add_argument("--version", action="version", version=f"Raypick {version()}")
    parsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    for command in (cast, survey, landmarks, info):
        command.add(parsers)
    for each in parsers.choices.values():
        each.set_defaults(parser=each)
    return parser
