# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that several commands share: how they are read, and which ones affect the results.

Passes are the command line's names for columns of the API.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import bpy
import numpy as np

from ..bridge.batch.columns import ATTRIBUTE, passes
from ..bridge.query_options import OPTIONS, Option
from ..bridge.validation import addresses
from ..model.scene_hits import SceneHits
from ..standalone_core import RaypickError
from ..standalone_core.extension import TakenFiles, check_can_write, check_writable, console
from ..standalone_core.extension import frames_of as read_frames
from . import opened

_STDOUT = Path("-")
_OUTPUTS = "out", "track", "project", "json"

# Options of a query; those with a value stand before switches.
_OF_QUERIES = sorted((each for each in OPTIONS if each.help), key=lambda each: each.is_switch)

NOT_ASKED = frozenset(
    {
        *("out", "step", "threads", "resume", "json", "quiet", "debug"),
        *("command", "parser", "run", "check", "taken"),  # set by the program
    }
)
"""Options that do not change what a file of results holds."""


class Parser(argparse.ArgumentParser):
    """A parser that keeps the line breaks of its texts, and adds hints to errors."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_layout, **options)

    def error(self, message: str) -> NoReturn:
        if ".blend" in message and "unrecognized" in message:
            message += "; the .blend file stands before --command"
        self.exit(2, f"{self.prog}: error: {message}; see --help\n")


def _layout(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=100)


class Several(argparse.Action):
    """An option that may be repeated, and take names separated by commas.

    A backslash before a comma makes it a part of a name.
    """

    def __call__(
        self, _parser: object, namespace: argparse.Namespace, values: Any, _option: object = None
    ) -> None:
        held = getattr(namespace, self.dest) or []
        names = [name.strip().replace(r"\,", ",") for name in re.split(r"(?<!\\),", values)]
        if not all(names):
            raise argparse.ArgumentError(self, f"a name is missing in {values!r}")
        setattr(namespace, self.dest, [*held, *names])


def add_several(group: argparse._ActionsContainer, name: str, help: str) -> None:
    """Add an option that takes :class:`Several` names, by default none."""
    group.add_argument(name, metavar="A,B", action=Several, default=[], help=help)


def path_ending_in(*endings: str) -> Callable[[str], Path]:
    """A reader of paths that end in one of these."""

    def reader(text: str) -> Path:
        path = Path(text)
        if path.suffix.lower() not in endings:
            raise ValueError(f"{text} must end in {' or '.join(endings)}")
        return path

    return console.read_by(reader)


def output(*endings: str) -> Callable[[str], Path]:
    """A reader of paths to write to; with endings, of tables or JSON that end in one of these."""

    def reader(text: str) -> Path:
        path = path_ending_in(*endings)(text) if endings else Path(text)
        if not path.parent.is_dir():
            raise ValueError(f"there is no folder {path.parent}")
        is_table = bool(endings) and path.suffix.lower() != ".json"
        try:
            (check_can_write if is_table else check_writable)(path)
        except (RaypickError, OSError) as error:
            raise ValueError(console.line_of(error)) from None
        return path

    return console.read_by(reader)


def json_output(text: str) -> Path:
    """Read the path of a JSON file to write; ``-`` is the standard output."""
    return _STDOUT if text == "-" else output()(text)


def check_files(parser: Parser, options: argparse.Namespace) -> None:
    """End with a usage error where an output would replace what is read, or another output.

    `options.taken` then has all of these paths, so that a command can check the files it makes.
    """
    outputs = {f"--{name}": getattr(options, name, None) for name in _OUTPUTS}
    outputs = {name: path for name, path in outputs.items() if path not in (None, _STDOUT)}
    options.taken = TakenFiles()
    if outputs or getattr(options, "export", None) is not None:
        if "rays" in options:
            options.taken.add("the rays", options.rays)
        if getattr(options, "read", None) is not None:
            options.taken.add("the landmarks", options.read)
        for file in opened.paths_of_the_file():
            options.taken.add(f"{file.name}, which is read", file)
    for name, path in outputs.items():
        try:
            options.taken.check(name, path)
        except RaypickError as error:
            parser.error(str(error))
        options.taken.add(name, path)


def folder(text: str) -> Path:
    """Read the path of a folder."""
    if not text:
        raise argparse.ArgumentTypeError("a folder has a name; '.' is the one you are in")
    return Path(text)


def one_frame(text: str) -> int:
    """Read the number of one frame."""
    frames = read_frames(text)
    if len(frames) != 1:
        raise argparse.ArgumentTypeError(f"one frame is wanted, not {text!r}")
    return frames[0]


def add_frame(parser: Parser) -> None:
    """Add the option of a frame."""
    what = "by default the one saved as current"
    parser.add_argument("--frame", metavar="N", type=console.read_by(one_frame), help=what)


def add_scene(parser: Parser) -> None:
    """Add the options of the scene and the view layer."""
    group = parser.add_argument_group("scene")
    group.add_argument("--scene", metavar="NAME", help="by default the one that was saved as open")
    group.add_argument("--view-layer", metavar="NAME", help="by default the one saved as open")


def add_what_is_hit(parser: Parser) -> None:
    """Add the options that select which objects and faces rays hit."""
    group = parser.add_argument_group("what is hit")
    for option in _OF_QUERIES:
        name = f"--{option.typed.replace('_', '-')}"
        group.add_argument(name, help=option.help, **_how(option))


def _how(option: Option) -> dict[str, Any]:
    if option.is_switch:
        return {"action": "store_true"}
    if option.choices:
        choices = [value for value, *_ in option.choices.values() if value is not None]
        return {"choices": choices, "default": option.default}
    if option.kind == "length":
        read = console.length("length from 0 on")
        return {"metavar": "D", "type": read, "default": option.default}
    return {"metavar": "NAME", "nargs": "+", "action": "extend"}


def what_is_hit(options: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_what_is_hit`, and the number of threads, as arguments of the API."""
    typed = [(each, getattr(options, each.typed)) for each in _OF_QUERIES]
    given = {each.name: not value if each.switch else value for each, value in typed}
    return {**given, "threads": options.threads}


def check_names(options: argparse.Namespace) -> None:
    """ArgumentError where an option names what is not in the file."""
    for each in _OF_QUERIES:
        if each.kind == "names":
            addresses(getattr(options, each.typed), each.name)


def question(
    options: argparse.Namespace, files: Sequence[str], replaced: Collection[str], **asked: Any
) -> dict[str, Any]:
    """All that affects the content of a file of results, as JSON: every option but `NOT_ASKED`.

    `files` are the digests and names of the files that the command reads. `asked` stands in for
    the options named in `replaced`, and for options of its own names.
    """
    hit = console.plain(what_is_hit(options))
    hit = {each.name: hit[each.name] for each in _OF_QUERIES}
    named = [each.name for each in _OF_QUERIES if each.kind == "names"]
    hit |= {name: None if hit[name] is None else sorted({*hit[name]}) for name in named}
    known = {*replaced, *asked, *NOT_ASKED, *(each.typed for each in _OF_QUERIES)}
    rest = {name: value for name, value in vars(options).items() if name not in known}
    return {
        "command": options.command,
        "raypick": opened.version(),
        "blender": bpy.app.version_string,
        "files": [*files],
        **asked,
        **hit,
        **console.plain(rest),
    }


def add_passes(parser: Parser, usual: Sequence[str]) -> None:
    """Add the options of the values to write for each hit."""
    group = parser.add_argument_group("values")
    group.add_argument(
        *("--passes", "--columns"),
        metavar="A,B",
        type=console.read_by(read_passes),
        default=tuple(usual),
        help="values to write for each hit; by default " + ",".join(usual),
    )
    add_several(group, "--attributes", "attributes of meshes at each hit, by their names")


def add_visibility(parser: argparse._ActionsContainer) -> None:
    """Add the option of what can be hit."""
    what = "what can be hit: what viewports show, which is the default, or what renders show"
    parser.add_argument(
        "--visibility", choices=("viewport", "render"), default="viewport", help=what
    )


def add_frames(parser: Parser, default: str) -> None:
    """Add the options of the frames."""
    what = f"such as 1-240, 1,5,10-20 or 1-240x5; 'scene' for the scene's range; {default}"
    parser.add_argument("--frames", metavar="RANGES", help=what)
    parser.add_argument(
        "--step",
        metavar="N",
        type=console.whole(1, 1_000_000),
        default=1,
        help="only every N-th frame of each range",
    )


def add_running(parser: Parser, can_resume: str = "") -> None:
    """Add the options of how to run, and what to print."""
    add = parser.add_argument_group("running").add_argument
    if can_resume:
        threads = console.whole(1, 1024)
        add("--threads", metavar="N", type=threads, help="by default all cores")
        add("--resume", action="store_true", help=can_resume)
    add(
        "--json",
        metavar="FILE",
        nargs="?",
        const="-",
        type=json_output,
        help="a report as JSON: in one line of the output that begins with '{', or in a file",
    )
    add("--quiet", action="store_true", help="no progress; errors are still shown")
    add("--debug", action="store_true", help="print the traceback of an error")


def frames_of(options: argparse.Namespace, scene: Any) -> tuple[int, ...] | None:
    """The frames to go through; None if no option names any."""
    if options.frames is None:
        return None
    if options.frames == "scene":
        return tuple(range(scene.frame_start, scene.frame_end + 1, scene.frame_step * options.step))
    return tuple(read_frames(options.frames, options.step))


def check_frames(parser: Parser, options: argparse.Namespace) -> None:
    """End with a usage error where the frames cannot be read."""
    try:
        if options.frames not in (None, "scene"):
            read_frames(options.frames, options.step)
    except ValueError as error:
        parser.error(f"argument --frames: {error}")


PASSES: Mapping[str, tuple[str, ...]] = MappingProxyType(passes())
"""The columns of each pass; ``attribute:Name`` is a pass too."""

USUAL_CAST = ("id", "face", "weights", "point", "normal", "distance", "front")
USUAL_SURVEY = ("id", "face", "weights", "depth")


def read_passes(text: str) -> tuple[str, ...]:
    """Read names of passes, separated by commas; ValueError if one is unknown."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in PASSES and not (name.startswith(ATTRIBUTE) and name != ATTRIBUTE):
            known = ", ".join(PASSES)
            raise ValueError(f"passes are {known} and {ATTRIBUTE}NAME, not {name!r}")
    return names


def values_of(options: argparse.Namespace) -> dict[str, Any]:
    """The columns of the passes, in order, and the attributes, each once, as API arguments."""
    named = [name.removeprefix(ATTRIBUTE) for name in options.passes if name.startswith(ATTRIBUTE)]
    return {
        "columns": tuple(column for name in options.passes for column in PASSES.get(name, ())),
        "attributes": tuple(dict.fromkeys([*named, *options.attributes])),
    }


MISSING = {"missing": "nan"}
"""For the API: objects of other frames may have the attributes. Those without values are told."""


def unknown_attributes(hits: SceneHits) -> set[str]:
    """The attribute columns without a value at any hit; none if nothing was hit."""
    if not hits.hit.any():
        return set()
    named = {name.removeprefix(ATTRIBUTE): name for name in hits if name.startswith(ATTRIBUTE)}
    return {name for name, column in named.items() if np.isnan(hits[column]).all()}
