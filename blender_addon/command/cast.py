# SPDX-License-Identifier: GPL-3.0-or-later
"""``raypick cast``: cast rays from a file at the scene, and write the hits to a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from .. import api
from ..model.scene_hits import SceneHits
from ..standalone_core import RaypickError
from ..standalone_core.extension import RayTable, read_rays, stamp_of, write_answer
from . import arguments, opened, results
from .results import remove_stale
from .talk import Interruption, Pace, Talk

_DESCRIPTION = """\
Cast rays at all that the file shows, in world space, and write what they hit.

Rays are read from .npz (arrays origins and directions, (..., 3)), .npy ((..., 6)), .csv or .parquet
(columns origin_x ... direction_z, or ox ... dz). Hits are written to .npz (arrays of the shape of
the rays), .csv or .parquet (a row for each ray); .parquet needs pyarrow in Blender's Python."""

_EPILOG = """\
hits:
  nearest   the first hit of each ray, or a miss: -1, NaN, an infinite distance
  any       hit: whether there is one; the fastest
  count     count: how many there are
  all       a row for each hit; 'ray' is the number of its ray, and those of ray i are the rows
            splits[i] to splits[i + 1]

examples:
  blender scene.blend --command raypick cast --rays rays.npz --out hits.npz
  blender scene.blend --command raypick cast --rays rays.csv --out hits.csv --hits all \\
      --passes id,face,weights,uv --frame 12 --exclude Floor"""


def add(parsers: argparse._SubParsersAction[arguments.Parser]) -> None:
    """Add the command."""
    parser = parsers.add_parser(
        "cast",
        help="what rays of a file hit",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        usage="%(prog)s --rays FILE --out FILE [options]",
    )
    add = parser.add_argument
    rays = arguments.path_ending_in(".npz", ".npy", ".csv", ".parquet")
    add("--rays", metavar="FILE", required=True, type=rays, help="the rays")
    out = arguments.output(".npz", ".csv", ".parquet")
    what = "the hits; an existing file is replaced at the end"
    add("--out", metavar="FILE", required=True, type=out, help=what)
    kinds = ("nearest", "any", "count", "all")
    add("--hits", choices=kinds, default="nearest", help="by default nearest")
    arguments.add_frame(parser)
    arguments.add_passes(parser, arguments.USUAL_CAST)
    arguments.add_what_is_hit(parser)
    arguments.add_scene(parser)
    arguments.add_running(parser, "do nothing if the file already has the results; not for .csv")
    parser.set_defaults(run=run, check=_check)


def _check(parser: arguments.Parser, options: argparse.Namespace) -> None:
    """End with a usage error where options do not go together."""
    if "depth" in options.passes:
        parser.error("rays of a file have no depth, which is along a camera's view; use distance")
    values = options.passes is not arguments.USUAL_CAST or options.attributes
    if options.hits in ("any", "count") and values:
        parser.error(
            f"--hits {options.hits} has no values of hits: leave out --passes and --attributes"
        )
    if options.resume and options.out.suffix.lower() == ".csv":
        parser.error("a .csv does not store its options: --resume needs .npz or .parquet")


def run(options: argparse.Namespace, talk: Talk, interruption: Interruption) -> dict[str, Any]:
    """Cast, and write the file; return what was done."""
    rays, digest = _rays(options.rays)
    files = opened.FilesRead(options.resume, talk.say, [digest])
    with opened.scene_asked_for(options) as context:
        opened.go_to(context.scene, options.frame)
        asks = _question(options, context, files.digests)
        if options.resume and opened.is_answered(options.out, asks):
            talk.say(f"{options.out} was there already")
            return {"out": str(options.out), "kept": True, "failed": []}
        pace = Pace()
        count = int(np.prod(rays.shape))

        def progress(done: int, every: int) -> bool:
            told = pace.told(done, done / max(every, 1))
            talk.progress(f"{done} of {every} rays, {told}")
            return not interruption.is_asked_for

        found = _cast(context, options, rays, progress)
        interruption.check()
    files.check()
    asks["files"] = files.digests
    meta = {"hits": options.hits}
    if isinstance(found, SceneHits):
        results.write_hits(options.out, asks, found, meta)
        talk.say_unknown(arguments.unknown_attributes(found))
        hits = int(np.count_nonzero(found.hit))
    else:
        name = "hit" if options.hits == "any" else "count"
        write_answer(options.out, asks, {name: found}, meta=meta)
        hits = int(found.sum())
    remove_stale(options.out)
    talk.say(f"{count} rays, {hits} hits, in {options.out}; {pace.told(count, 0.0)}")
    return {
        "out": str(options.out),
        "kept": False,
        "failed": [],
        "rays": count,
        "hits": hits,
        "seconds": round(pace.seconds, 3),
    }


def _cast(
    context: bpy.types.Context, options: argparse.Namespace, rays: RayTable, progress: Any
) -> Any:
    """The hits, or whether there are any, or how many."""
    how = {**arguments.what_is_hit(options), "progress": progress}
    if rays.max_distance is not None:
        how["max_distance"] = np.minimum(rays.max_distance, options.max_distance)
    if rays.min_distance is not None:
        how["min_distance"] = np.maximum(rays.min_distance, options.min_distance or 0.0)
    where = context, rays.origins, rays.directions
    if options.hits == "any":
        return api.any_hit(*where, **how)
    if options.hits == "count":
        return api.count_hits(*where, **how)
    cast = api.cast_rays_all if options.hits == "all" else api.cast_rays
    how |= arguments.values_of(options) | arguments.MISSING
    return cast(*where, **how)


def _rays(path: Path) -> tuple[RayTable, str]:
    """The rays of a file, and its digest; RaypickError where they cannot be cast."""
    before = stamp_of(path)
    try:
        rays, digest = read_rays(path), opened.digest(path)
    except OSError as error:
        raise RaypickError(f"{path} cannot be read: {error.strerror}") from None
    except RaypickError as error:
        raise RaypickError(f"{path}: {error}") from None
    if stamp_of(path) != before:
        raise RaypickError(f"{path} changes while it is read")
    if not rays.shape:  # a single ray becomes a table of one row
        rays = RayTable(rays.origins[None], rays.directions[None], *rays[2:])
    return rays, digest


def _question(
    options: argparse.Namespace, context: bpy.types.Context, files: Sequence[str]
) -> dict[str, Any]:
    return arguments.question(
        options,
        files,  # among them the digest of the rays
        {"rays", "passes"},
        scene=context.scene.name,
        view_layer=context.view_layer.name,
        frame=context.scene.frame_current,
        hits=options.hits,
        **arguments.values_of(options),
    )
