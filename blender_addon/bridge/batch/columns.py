# SPDX-License-Identifier: GPL-3.0-or-later
"""The columns of many hits.

Each column is declared once, in `_DECLARED`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, nan
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ...model.columns import Array
from ...model.hit import FIELDS
from ...model.survey_colors import Coloring, components, directions, gray, ids, sides
from ...standalone_core import RayHits, triangle
from ...standalone_core.extension import (
    ArgumentError,
    FloatArray,
    IndexArray,
    IntArray,
    described,
    is_one_of,
    iterable,
    normalized,
)
from ..hit_objects import name_of
from ..mesh import arrays
from ..mesh.evaluation import is_render
from ..original.trace import original_faces
from ..report import world_normals
from ..scene.snapshot import Listed, by_instance
from ..scene.tables import Tables
from ..validation import text
from .values import Opened, Places, Reader, ValuesAt, attribute_at

ATTRIBUTE = "attribute:"
"""The prefix of the names of attribute columns."""

Missing: TypeAlias = Literal["error", "nan"]
"""What becomes of an attribute that nothing has that can be hit."""

Depths: TypeAlias = Callable[[FloatArray], FloatArray]
"""Finds the depths (N,) of points (N, 3) along the viewing direction."""


def _no_depths(points: FloatArray) -> FloatArray:
    raise NotImplementedError  # these hits have no viewing direction


class Image(NamedTuple):
    """How Survey View offers an image of a column, and colors it; its texts are in English."""

    label: str
    tooltip: str
    colors: Coloring
    order: int  # in the menu
    kind: str = ""  # its identifier, if that is not the column's name


class Layer(NamedTuple):
    """A column's pass in renders and on the command line, and its layer in image files.

    Blender knows layers of three channels that are R, G, B or X, Y, Z; loading other letters makes
    it write outside its memory. A pass of a render starts with Ray where Blender has one of its
    own with that name.
    """

    order: int  # of the pass; equal ones are in the order of their declaration
    render: str  # the name of the pass in renders
    name: str = ""  # of the layer, if not the column's
    parts: str = ""  # a letter for each channel; by default X, XY or XYZ, by the column's width
    in_pass: str = ""  # the name of the pass, if not the layer's


class Cast(NamedTuple):
    """What columns are made from, besides hits."""

    shown: Listed
    tables: Tables
    depths: Depths = _no_depths


@dataclass(frozen=True, slots=True)
class Column:
    """The declaration of a column."""

    name: str
    dtype: type[np.generic]
    miss: float  # the value in rows without a hit
    layer: Layer
    width: int = 0  # numbers in a row of vectors; 0 for scalars
    # Read from Blender's meshes, or else from the core's hits: by default the hits' own `name`.
    of_mesh: Reader | None = None
    of_hits: Callable[[RayHits, Cast], Array] | None = None
    image: Image | None = None  # of Survey View, if it offers one
    pass_tooltip: str = ""  # if not that of the field of that name of a hit
    about: str = ""  # what it means for scripts, if not what the tooltip says

    def misses(self, rows: int) -> Array:
        """The column for `rows` misses."""
        shape = (rows, self.width) if self.width else (rows,)
        return np.full(shape, self.miss, dtype=self.dtype)

    def found(self, hits: RayHits, cast: Cast) -> Array:
        """The column for hits, if it needs no mesh of Blender."""
        if self.of_hits is not None:
            return self.of_hits(hits, cast)
        return np.asarray(getattr(hits, self.name), dtype=self.dtype)

    @property
    def documented(self) -> str:
        """Its name, what it means, its shape and type, and what it is where nothing is hit."""
        about = self.about or self.tooltip
        shape = f"(..., {self.width})" if self.width else "(...)"
        kind, miss = np.dtype(self.dtype).name, f"{self.miss:g}" if self.miss else "False"
        miss = {"inf": "inf", "nan": "NaN"}.get(miss, miss)
        return f"- `{self.name}`, {shape} {kind}: {about}. Misses have {miss}."

    @property
    def tooltip(self) -> str:
        """That of its pass, in English."""
        return self.pass_tooltip or FIELDS[self.name].tooltip

    @property
    def channels(self) -> tuple[str, ...]:
        """The names of its channels in an image file."""
        parts = self.layer.parts or "XYZ"[: max(self.width, 1)]
        return tuple(f"{self.layer.name or self.name}.{part}" for part in parts)


def _original_face(opened: Opened) -> ValuesAt:
    source = opened.row.mesh.source
    if not source.is_evaluated:
        return lambda places: places.hits.face
    if source.original is None:
        return lambda places: np.full(len(places.hits.face), -1)
    origins = original_faces(opened.evaluated, opened.mesh, source.depsgraph)
    return lambda places: origins[places.hits.face]


def _vertices(hits: RayHits, cast: Cast) -> Array:
    found = np.full((len(hits.triangle), 3), -1, np.int32)
    for row, own in by_instance(cast.shown, hits.instance):
        found[own] = row.mesh.polygons.triangle_vertices(hits.triangle[own])
    return found


def _smooth_normal(opened: Opened) -> ValuesAt:
    """Read Blender's corner normals in the same cases as for a single hit, in :mod:`.report`."""
    mesh, scene_mesh = opened.mesh, opened.row.mesh
    is_known = scene_mesh.knows_smooth_normals(mesh)
    corner_normals = np.empty((0 if is_known else len(mesh.loops), 3), dtype=np.float32)
    if not is_known:
        mesh.corner_normals.foreach_get("vector", corner_normals.ravel())
    flat = np.empty((len(mesh.polygons), 3), dtype=np.float32)
    mesh.polygons.foreach_get("normal", flat.ravel())

    def values(places: Places) -> Array:
        weights = places.hits.barycentric
        if is_known:
            local = scene_mesh.smooth_normals(places.vertices, weights)
        else:
            local = normalized(triangle.interpolate(corner_normals[places.corners], weights))
        lost = ~np.isfinite(local).all(axis=1)
        local[lost] = normalized(flat[places.hits.face[lost]].astype(np.float64))
        return world_normals(local, places.matrices)

    return values


def _uv(opened: Opened) -> ValuesAt:
    layers: Any = opened.mesh.uv_layers
    active = layers.active
    if is_render(opened.row.mesh.source.depsgraph):
        active = next((each for each in layers if each.active_render), None)
    if active is None:
        return lambda places: np.full((len(places.corners), 2), nan)
    uv = arrays.uv_map(active)
    return lambda places: triangle.interpolate(uv[places.corners], places.hits.barycentric)


def _material(opened: Opened) -> ValuesAt:
    """As for a single hit, faces whose material slot does not exist have the last slot."""
    slots: list[Any] = [slot.material for slot in opened.evaluated.material_slots]
    slots = slots or opened.mesh.materials[:]
    if not slots:
        return lambda places: np.full(len(places.corners), -1)
    numbers = opened.materials
    of_slot = np.array(
        [-1 if each is None else numbers.setdefault(name_of(each), len(numbers)) for each in slots]
    )
    of_face: IndexArray = np.empty(len(opened.mesh.polygons), dtype=np.int32)
    opened.mesh.polygons.foreach_get("material_index", of_face)
    of_face = of_face.clip(0, len(slots) - 1)
    return lambda places: of_slot[of_face[places.hits.face]]


_ID = np.int32, -1
_LENGTH = np.float64, inf
_VECTOR = np.float64, nan

_DECLARED = (
    Column(
        "instance",
        *_ID,
        Layer(2, "Instance", parts="XY", in_pass="id"),
        pass_tooltip="A number for each object and each of its instances",
        about="Row of ``hits.instances``, the table of all objects and instances",
        image=Image("Instance", "A color for each object and each instance", ids, order=2),
    ),
    Column(
        "object",
        *_ID,
        Layer(1, "Object", in_pass="id"),
        of_hits=lambda hits, cast: cast.tables.object_of[hits.instance],
        about="Index in ``hits.objects`` of the object whose mesh was hit",
        image=Image("Object", "A color for each object", ids, order=1),
    ),
    Column(
        "face",
        *_ID,
        Layer(3, "Face"),
        image=Image("Face", "A color for each face, by its index", ids, order=4),
    ),
    Column(
        "triangle",
        *_ID,
        Layer(3, "Triangle", in_pass="face"),
        image=Image("Triangle", "A color for each triangle, by its index", ids, order=5),
    ),
    Column(
        "barycentric",
        *_VECTOR,
        Layer(4, "Weights", "weights", parts="RGB"),
        width=3,
        image=Image(
            "Barycentric Weights",
            "The weights of the triangle's vertices as red, green and blue",
            components,
            order=11,
        ),
    ),
    Column("point", *_VECTOR, Layer(6, "Point"), width=3),
    Column(
        "normal",
        *_VECTOR,
        Layer(7, "RayNormal"),
        width=3,
        image=Image(
            "Normal",
            "The triangle's normal in world space: -1 to 1 as 0 to 1",
            directions,
            order=12,
        ),
    ),
    Column(
        "distance",
        *_LENGTH,
        Layer(11, "Distance", parts="Z"),
        image=Image(
            "Distance",
            "Distance along the ray, from black at the nearest to white at the farthest",
            gray,
            order=9,
        ),
    ),
    Column(
        "front",
        np.bool_,
        False,
        Layer(12, "Front"),
        image=Image(
            "Side Hit",
            "Blue where the front of a face is seen, red where its back is",
            sides,
            order=7,
            kind="SIDE",
        ),
    ),
    Column("vertices", *_ID, Layer(14, "Vertices"), width=3, of_hits=_vertices),
    Column(
        "original_face",
        *_ID,
        Layer(5, "OriginalFace", "original"),
        of_mesh=_original_face,
        pass_tooltip="Index of the face of the original mesh, without modifiers, that it comes "
        "from",
        about="The face of the original mesh, without modifiers, that it comes from; -1 too where "
        "that is unknown",
        image=Image(
            "Original Face",
            "A color for each face without modifiers, by its index; gray where it is not known",
            ids,
            order=6,
        ),
    ),
    Column(
        "smooth_normal",
        *_VECTOR,
        Layer(8, "SmoothNormal", "smooth"),
        width=3,
        of_mesh=_smooth_normal,
        image=Image(
            "Shading Normal",
            "The normal as shaded, in world space: -1 to 1 as 0 to 1",
            directions,
            order=13,
        ),
    ),
    Column(
        "uv",
        *_VECTOR,
        Layer(9, "RayUV", parts="UV"),
        width=2,
        of_mesh=_uv,
        about="The active UV map at the place hit, in renders the one that is active for renders; "
        "NaN too without one",
        image=Image(
            "UV",
            "The active UV map as red and green; gray where there is none",
            components,
            order=10,
        ),
    ),
    Column(
        "material",
        *_ID,
        Layer(13, "Material"),
        of_mesh=_material,
        about="Index in ``hits.materials`` of the material of the face; -1 too without one",
        image=Image(
            "Material", "A color for each material; gray where there is none", ids, order=3
        ),
    ),
    Column(
        "depth",
        *_LENGTH,
        Layer(10, "RayDepth", parts="Z"),
        of_hits=lambda hits, cast: np.where(hits.hit, cast.depths(hits.point), inf),
        pass_tooltip="How far away the point is along the viewing direction, from the camera's own "
        "place",
        image=Image(
            "Depth",
            "Depth along the view, from black at the nearest to white at the farthest",
            gray,
            order=8,
        ),
    ),
)

COLUMNS = {each.name: each for each in _DECLARED}
"""All columns by name, except attribute columns."""

CORE_COLUMNS = tuple(
    name for name, each in COLUMNS.items() if each.of_mesh is None and name != "depth"
)
"""The columns for which no mesh of Blender is read."""

DEFAULT_COLUMNS = tuple(name for name in CORE_COLUMNS if name != "vertices")
"""The columns returned by default."""

_IMAGES = [(each.image, each.name) for each in COLUMNS.values() if each.image is not None]

IMAGES = {
    image.kind or name.upper(): (name, image)
    for image, name in sorted(_IMAGES, key=lambda shown: shown[0].order)
}
"""The images that Survey View offers, by identifier, each with the column that it shows."""


_Function = TypeVar("_Function", bound=Callable[..., Any])


def with_columns(function: _Function) -> _Function:
    """The function, with what each column means in its docstring, in place of {columns}."""
    each = [column.documented for name, column in COLUMNS.items() if name != "depth"]
    lines = [textwrap.fill(text, 90, subsequent_indent="  ") for text in each]
    listed = textwrap.indent("\n".join(lines), " " * 8)
    if function.__doc__:  # Python leaves docstrings out where it is asked to
        function.__doc__ = function.__doc__.replace(" " * 8 + "{columns}", listed)
    return function


def passes() -> dict[str, tuple[str, ...]]:
    """The columns of each pass of the command line."""
    found: dict[str, tuple[str, ...]] = {}
    for each in sorted(COLUMNS.values(), key=lambda column: column.layer.order):
        name = each.layer.in_pass or each.layer.name or each.name
        found[name] = (*found.get(name, ()), each.name)
    return found


def reader_of(name: str) -> Reader | None:
    """The reader of a column from Blender's meshes; None if the core's hits have the column."""
    if name.startswith(ATTRIBUTE):
        return partial(attribute_at, name.removeprefix(ATTRIBUTE))
    return COLUMNS[name].of_mesh


def checked(columns: Iterable[str], attributes: Iterable[str], depth: bool) -> tuple[str, ...]:
    """Check the names of columns asked for; "depth" is allowed only if `depth` is true."""
    known = [name for name in COLUMNS if depth or name != "depth"]
    asked = _names(columns, "columns")
    for name in asked:
        if name not in known:
            raise ArgumentError(
                f"there is no column {described(name)}: there are {', '.join(known)}; "
                "other data of meshes are named in attributes"
            )
    named = [ATTRIBUTE + name for name in _names(attributes, "attributes")]
    return tuple(dict.fromkeys(["instance", *asked, *named]))


def attributes_in(columns: Iterable[str]) -> list[str]:
    """The names of the attributes among columns."""
    return [name.removeprefix(ATTRIBUTE) for name in columns if name.startswith(ATTRIBUTE)]


def may_lack(missing: Missing) -> bool:
    """Whether attributes that no mesh has are NaN, and not an error."""
    if not is_one_of(missing, "error", "nan"):
        raise ArgumentError(f'missing must be "error" or "nan", not {described(missing)}')
    return missing == "nan"


def _names(values: Iterable[str], argument: str) -> list[str]:
    if isinstance(values, str):
        raise ArgumentError(f"{argument} must be a list of names, not {described(values)}")
    return [text(value, f"each of {argument}") for value in iterable(values, argument)]


def in_rows(name: str, count: int, rows: IntArray, parts: Sequence[Array]) -> Array:
    """A column of `count` rows: the values of all parts at `rows` (N,) in order, else misses.

    Parts of an attribute (K, k) may have different widths.
    """
    if name in COLUMNS:
        column = COLUMNS[name].misses(count)
    else:
        column = np.full((count, max((1, *(part.shape[1] for part in parts)))), nan)
    start = 0
    for part in parts:
        stop = start + len(part)
        into = column if part.ndim == 1 else column[:, : part.shape[1]]
        into[rows[start:stop]] = part
        start = stop
    return column


class ColumnStore:
    """Columns that grow chunk by chunk, to a known number of rows or to any."""

    def __init__(self, names: Sequence[str], rows: int | None) -> None:
        self._names, self._rows = names, rows
        self._filled = 0
        # Memory for all rows at once, where their number and the column's width are known.
        self._whole = {
            name: COLUMNS[name].misses(rows)
            for name in names
            if rows is not None and name in COLUMNS
        }
        self._parts: dict[str, list[Array]] = {
            name: [] for name in names if name not in self._whole
        }

    def add(self, columns: Mapping[str, Array]) -> None:
        """Append rows to all columns."""
        count = len(columns["instance"])
        for name, whole in self._whole.items():
            whole[self._filled : self._filled + count] = columns[name]
        for name, parts in self._parts.items():
            parts.append(columns[name])
        self._filled += count

    def columns(self, shape: tuple[int, ...]) -> dict[str, Array]:
        """All rows, in a shape; rows not added yet are misses."""
        count = self._filled if self._rows is None else self._rows
        rows = np.arange(self._filled)
        found = dict(self._whole)
        for name, parts in self._parts.items():
            column = in_rows(name, count, rows, parts)
            is_single = name not in COLUMNS and column.shape[1] == 1
            found[name] = column[:, 0] if is_single else column
        return {name: found[name].reshape((*shape, *found[name].shape[1:])) for name in self._names}
