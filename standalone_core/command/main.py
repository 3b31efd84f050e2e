# SPDX-License-Identifier: MIT
"""The program's command line and exit codes, and its commands "info" and "convert"."""

import argparse
import os
import time
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from .. import __version__, console
from ..arguments import CULL_SIGNS
from ..console import Progress, UsageError, about
from ..errors import ArgumentError
from ..files.mesh_file import is_mesh
from ..files.whole_file import check_writable, ending_of
from ..mesh import Mesh
from ..scene import Scene
from ..scene_file import is_scene, load_mesh, load_scene
from ..tables import Table, read_rays, read_table
from ..tables.table import leading_shape
from . import cast
from .cast import meshes_of, triangles_not_finite


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of this process; return the exit code."""

    def do() -> None:
        asked = make_parser().parse_args(arguments)
        facts = asked.do(asked)
        if asked.json or not asked.quiet:
            console.report(facts, asked.json)

    try:
        return console.run(do, PROGRAM)
    except SystemExit as end:  # after --help and --version, or by a signal
        return int(end.code or 0)


PROGRAM = "raypick-core"

_ALL = (*cast.COLUMNS, cast.INVALID)

_COUNT = console.whole(1, 1 << 16, "number of threads")

_CODES = """exit codes:
  0  done
  1  something failed, which the last line on the standard error says
  2  the call was wrong
  130  interrupted (Ctrl-C)"""

_EXAMPLES = f"""examples:
  {PROGRAM} cast mesh.ply rays.npz -o hits.npz
  {PROGRAM} cast mesh.obj rays.csv -o hits.csv --columns face,distance
  {PROGRAM} cast mesh.npz rays.npy -o hits.parquet --hits all --resume
  {PROGRAM} info hits.npz --json
  {PROGRAM} convert mesh.glb mesh.npz

{_CODES}"""

_CAST = """Cast rays at a mesh and write the hits.

MESH is .npz (of "convert"), .obj, .ply, .stl, .off, .gltf or .glb; any other file is read by meshio
or trimesh, where one is installed. RAYS is .npz with arrays origins and directions (..., 3), .npy
with an array (..., 6), or .csv or .parquet with columns origin_x ... direction_z or ox ... dz. In
.npz, .csv and .parquet, min_distance and max_distance may say where each ray begins and ends. A
.csv may be as pandas, NumPy, R or Excel write it; a ray with a missing number is invalid. Space and
units of the rays are those of the mesh.

The output, .npz, .csv or .parquet (with pyarrow), has a row for each ray; with "--hits all" for
each hit, with its ray. It is written under another name and moved when it is complete."""

_CAST_EXAMPLES = f"""examples:
  {PROGRAM} cast mesh.ply rays.npz -o hits.npz
  {PROGRAM} cast mesh.ply rays.npz -o seen.csv --hits any --max-distance 10
  {PROGRAM} cast mesh.ply rays.npz -o depth.npz --columns distance,face --cull back --json

{_CODES}"""

_INFO = "Tell what is in a mesh file, or in a table of rays or hits."

_CONVERT = """Read a mesh, build its tree, and write both to an .npz file, which is read
many times faster than other formats and gives the same answers to the last bit."""


class _Parser(argparse.ArgumentParser):
    """A parser that reports its errors in the form of all others."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} ({self.prog} --help says more)")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the command line, which raises UsageError for wrong arguments."""
    how = argparse.RawDescriptionHelpFormatter
    about_all = "Exact ray casting at meshes, in a shell."
    parser = _Parser(PROGRAM, description=about_all, epilog=_EXAMPLES, formatter_class=how)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add = partial(commands.add_parser, epilog=_CODES, formatter_class=how)
    _add_cast(add("cast", help="cast rays at a mesh", description=_CAST, epilog=_CAST_EXAMPLES))
    made = add("info", help="tell what is in a mesh file or a table", description=_INFO)
    made.add_argument("file", metavar="MESH|TABLE")
    _add_report(made, info)
    made = add("convert", help="write a mesh with its tree, to be read fast", description=_CONVERT)
    made.add_argument("mesh", metavar="MESH")
    made.add_argument("output", metavar="OUT.npz")
    made.add_argument("--threads", type=_COUNT, metavar="N", help="how many threads build")
    _add_report(made, convert)
    return parser


def _add_cast(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("mesh", metavar="MESH")
    add("rays", metavar="RAYS")
    add("-o", "--out", required=True, metavar="OUT", help=".npz, .csv or .parquet")
    add("--hits", choices=cast.ANSWERS, default="nearest", help="which hits (default: nearest)")
    length = console.length("length: 0 or more is needed")
    add("--max-distance", type=length, metavar="D", help="hits beyond do not count")
    add("--cull", choices=tuple(CULL_SIGNS), help="which side of triangles is not hit")
    border = "whether a ray exactly through the border of an open surface, such as the outer nodes"
    border += " of a terrain, always hits (default: as a scene's file says, else open)"
    add("--border", choices=("open", "closed"), help=border)
    columns = f"which columns of hits are written (default: all of {', '.join(_ALL)})"
    add("--columns", type=_columns, metavar="A,B", help=columns)
    add("--threads", type=_COUNT, metavar="N", help="how many threads cast (default: all cores)")
    engine = "what casts, with the same answers (default: auto, compiled code where possible)"
    add("--engine", choices=("auto", "numpy", "numba"), default="auto", help=engine)
    add("--resume", action="store_true", help="keep an output that already has this answer")
    _add_report(parser, cast.cast)


def _add_report(parser: argparse.ArgumentParser, do: Any) -> None:
    parser.add_argument("--json", action="store_true", help="report as JSON on standard output")
    parser.add_argument("--quiet", action="store_true", help="no progress, no report but --json")
    parser.set_defaults(do=do)


def _columns(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in _ALL]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"there is no column {unknown[0] if unknown else text!r}, but {', '.join(_ALL)}"
        )
    return names


def info(asked: Namespace) -> dict[str, Any]:
    """Run the command "info"; return its report."""
    with about(asked.file):
        facts = _of(asked.file)
    return {"file": asked.file, "bytes": os.path.getsize(asked.file), **facts}


def _of(path: str) -> dict[str, Any]:
    ending = ending_of(path)
    if is_scene(path):
        return _of_scene(load_scene(path))
    if ending in (".csv", ".parquet") or (ending == ".npz" and not is_mesh(path)):
        return _of_table(read_table(path))
    if ending == ".npy":
        rays = read_rays(path)
        columns = {"origins": rays.origins, "directions": rays.directions}
        return _of_table(Table(columns, {}, {}, {}))
    return _of_mesh(load_mesh(path))


def _of_mesh(mesh: Mesh) -> dict[str, Any]:
    lower, upper = mesh.bounds
    return {
        "kind": "mesh",
        "vertices": len(mesh.vertices),
        "triangles": len(mesh.triangles),
        "faces": int(mesh.faces.max(initial=-1)) + 1,
        "lower": lower,
        "upper": upper,
        "triangles_not_finite": triangles_not_finite(mesh),
        "closed": mesh.is_closed,
        "tree": mesh.tree is not None,
    }


def _of_scene(scene: Scene) -> dict[str, Any]:
    lower, upper = scene.bounds
    return {
        "kind": "scene",
        "instances": len(scene),
        "meshes": len(meshes_of(scene)),
        "triangles_not_finite": triangles_not_finite(scene),
        "lower": lower,
        "upper": upper,
    }


def _of_table(table: Table) -> dict[str, Any]:
    columns = {
        name: f"{array.dtype} {list(array.shape)}".replace("[]", "")
        for name, array in {**table.columns, **table.extra}.items()
    }
    try:
        shape = leading_shape(table.columns)
    except ArgumentError:  # the arrays of an archive have no shape in common
        shape = None
    return {
        "kind": "table",
        "shape": shape,
        "columns": columns,
        "names": {name: len(texts) for name, texts in table.names.items()},
        "meta": table.meta,
    }


def convert(asked: Namespace) -> dict[str, Any]:
    """Run the command "convert"; return its report."""
    if ending_of(asked.output) != ".npz":
        raise UsageError(f"a mesh is written to an .npz file, not to {asked.output!r}")
    check_writable(asked.output)
    cast.check_files(asked.output, asked.mesh)
    start = time.monotonic()
    with about(asked.mesh):
        mesh = load_mesh(asked.mesh, threads=asked.threads)
    triangles = len(mesh.triangles)
    with Progress("triangles", shown=False if asked.quiet else None) as progress:
        mesh.build(lambda share: progress(int(share * triangles), triangles), asked.threads)
    mesh.save(asked.output)
    return {
        "output": asked.output,
        "triangles": triangles,
        "bytes": os.path.getsize(asked.output),
        "seconds": round(time.monotonic() - start, 3),
    }
