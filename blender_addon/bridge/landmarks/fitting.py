# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether positions of a file fit an object, and in which unit, axes or offset they would.

Positions do not fit if one would move by more than a tenth of the object's size or more than their
own spread, or if several would coincide. All of that happens to millimeters read as meters, and to
positions with a global shift.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import bpy
import numpy as np

from ...model.landmark_files.format import AXES, SCENE
from ...standalone_core import RaypickError
from ...standalone_core.extension import FloatArray, IntArray, moved
from ..query import asked_again_if_outdated, reading
from ..scene.instances import ListedMesh
from .anchoring import NO_SURFACE, nearest_places
from .file_frame import NO_OFFSET, FileFrame
from .locating import visible_row

Arguments: TypeAlias = dict[str, Any]
"""Those of "unit", "axes" and "offset" that differ from the usual ones."""

_Frames: TypeAlias = tuple[FileFrame, ...]  # one for each set

TOO_FAR = "A position is too far away"

_UNITS = (SCENE, "m", "cm", "mm")
_AXES = ("LPS", "Z_UP", "RAS", "Y_UP")

# A score is the farthest that any position moves, as a share of the farthest allowed.
_SHARE = 0.1  # the farthest allowed, in object sizes: landmarks of this object are nearer
_GOOD = 0.2  # the worst score of a frame suggested: landmarks of another surface score worse
_BEST = 0.01  # at lower scores, rounding and the scan decide which frame fits better
_AS_GOOD = 2.0  # frames with up to this many times the best score fit as well, and are reported
_BETTER = 10.0  # a frame with a score this many times lower is surely meant

# Numbers of positions.
_FEW = 3  # fewer cannot show that a frame other than the fitting one is meant
_MANY = 6  # fewer can be shifted onto almost any surface
_FIRST = 16  # so many are tried first, and rule out most frames
_SAMPLE = 64  # so many are used to approach an offset, in at most _STEPS
_STEPS = 50
_MOST_OFFERS = 3  # frames that a message names

# Lengths, as shares of the object's size unless another is named.
_SPOT = 0.01  # positions within it lie in one spot, where almost any frame fits
_ONE_PLACE = 1e-6  # places within it are one
_APART = 1e-3  # of the size or the spread: positions farther apart are different ones
_ONE_POSITION = 1e-9  # of the greatest coordinate: positions within it are one, but for rounding
_FAR = 1e150  # in units of the scene: squares of shorter lengths do not overflow


class Positions(NamedTuple):
    """Positions (N, 3) of a set, as the file has them, and the usual frame for them."""

    points: FloatArray
    frame: FileFrame


class UnfitError(RaypickError):
    """Positions do not fit an object, or not well; `fits` are arguments with which they do."""

    def __init__(
        self, name: str, length: float, frame: FileFrame, away: float, fits: Iterable[Arguments]
    ) -> None:
        self.name, self.length, self.frame, self.away = name, length, frame, away
        self.fits = tuple(fits)
        super().__init__(self.told(_as_text))

    def told(self, spelled: Callable[[Arguments], str]) -> str:
        """The message; `spelled` writes arguments as the caller would give them."""
        frame, ways = self.frame, " | ".join(map(spelled, self.fits))
        return (
            f"positions in {frame.unit_name or 'scene units'}, {frame.axes}, do not fit "
            f"{self.name!r} well: one would move by {self.away:.4g}, where the object's size is "
            f"{self.length:.4g} scene units. They fit with "
            f"{ways or 'no unit, axes or offset that was tried'}; {spelled({'far': True})} takes "
            f"them as they are"
        )


def can_be_measured(points: FloatArray) -> bool:
    """Whether all positions are finite, and near enough that no distance overflows."""
    return bool((np.abs(points) < _FAR).all())


def _as_text(arguments: Arguments) -> str:
    """Arguments as written in Python."""
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


@asked_again_if_outdated
def chosen_frames(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    sets: Sequence[Positions],
    free: AbstractSet[str],
    unsaid: AbstractSet[str],
) -> tuple[_Frames, tuple[Arguments, ...]]:
    """The frames of sets, and the other arguments with which they fit as well.

    The usual frames are taken if they fit, and none fits so much better that it is surely meant. If
    not, another unit is taken if it is the only one that fits, and if it spreads the positions over
    a good part of the object: in one spot, positions fit in almost any unit. So the usual frames
    are not taken either if they put the positions into a small part of the object and a larger unit
    fits too. Other axes and offsets are never taken, but an UnfitError suggests them.

    `free` are those of "unit" and "axes" that the user leaves open, and `unsaid` those that
    the file leaves open too.
    """
    with context.temp_override(area=None), reading():
        surface = _Surface(visible_row(context, obj), sets)
        usual, *others = surface.tries()
        if usual.away == np.inf:
            raise RaypickError(TOO_FAR)
        rivals = [each for each in others if each.differing(usual) <= free]
        better = surface.count >= _FEW and any(each.is_surely_meant(usual) for each in rivals)
        larger = [each for each in rivals if each.is_larger(usual)]
        if usual.fits and not better and not larger:
            return usual.frames, _equals(usual, others, unsaid if usual.spans else unsaid | free)
        is_spot = usual.spread < _SPOT * surface.size
        if usual.fits and is_spot:
            larger = [each for each in larger if each.spans] or larger
        offers = _offers(usual, larger if usual.fits and larger else others, _GOOD)
        is_alone = len(offers) == 1 and offers[0].spans and (not usual.fits or better or is_spot)
        if is_alone and offers[0].differing(usual) == {"unit"} <= free:
            return offers[0].frames, _equals(offers[0], others, unsaid)
        if not offers:
            offers = _offers(usual, others, 1.0) + _offers(usual, surface.shifted(others), _GOOD)
        ways = [each.arguments(usual) for each in offers[:_MOST_OFFERS]]
        if usual.fits:
            ways.append({name: getattr(usual.frames[0], name) for name in ("unit", "axes")})
        raise UnfitError(obj.name, surface.size, usual.frames[0], usual.away, ways)


class _Try(NamedTuple):
    """Frames tried for the sets, and how their positions fit."""

    frames: _Frames
    away: float  # the farthest that a position moves
    score: float = np.inf  # `away` as a share of the farthest allowed
    spans: bool = False  # whether the positions lie over a good part of the object
    spread: float = 0.0  # the diagonal of the box around the positions

    @property
    def fits(self) -> bool:
        return self.score <= 1.0

    def is_surely_meant(self, usual: _Try) -> bool:
        return self.spans and usual.score > max(_BEST, _BETTER * self.score)

    def is_larger(self, usual: _Try) -> bool:
        """Whether it fits, and spreads positions that the usual frames put into a small part."""
        return self.fits and not usual.spans and self.spread > _AS_GOOD * usual.spread

    def differing(self, other: _Try) -> set[str]:
        return {*self.arguments(other)}

    def arguments(self, other: _Try) -> Arguments:
        """The arguments in which it differs from another try for the same sets."""
        return {
            name: getattr(self.frames[0], name)
            for name in ("unit", "axes", "offset")
            if any(
                getattr(mine, name) != getattr(its, name)
                for mine, its in zip(self.frames, other.frames, strict=True)
            )
        }


def _equals(taken: _Try, tries: Sequence[_Try], unsaid: AbstractSet[str]) -> tuple[Arguments, ...]:
    """Arguments with which tries fit as well as the one taken, and which are all `unsaid`."""
    most = max(_AS_GOOD * taken.score, _BEST)
    return tuple(
        each.arguments(taken)
        for each in tries
        if each.score <= most and set() < each.differing(taken) <= unsaid
    )


def _offers(usual: _Try, tries: Sequence[_Try], worst: float) -> list[_Try]:
    """The frames that fit well and about as well as the best, with the fewest changes.

    Those with positions over a good part of the object come first, even if they change more.
    """
    well = [each for each in tries if each.score <= worst]
    most = max(_BEST, _BETTER * min((each.score for each in well), default=0.0))
    rivals = [each for each in well if each.score <= most]
    found = []
    for some in ([each for each in rivals if each.spans], rivals):
        fewest = min((len(each.differing(usual)) for each in some), default=0)
        found += [each for each in some if len(each.differing(usual)) == fewest]
    return [*dict.fromkeys(found)]


class _Surface:
    """A mesh in the space of the positions, to try frames on."""

    def __init__(self, row: ListedMesh, sets: Sequence[Positions]) -> None:
        self._row, self._sets = row, sets
        self._usual: _Frames = tuple(each.frame for each in sets)
        self._all = np.concatenate([each.points for each in sets])
        self.count = len(np.unique(self._all, axis=0))
        corners = np.array([*product(*np.transpose(row.mesh.bounds))])
        if self._usual[0].in_world:
            corners = moved(corners, row.matrix[:3])
        self._low, self._high = corners.min(axis=0), corners.max(axis=0)
        # The longest diagonal of the object's local box, which a rotation does not change.
        self.size = float(np.linalg.norm(corners - corners[::-1], axis=1).max())

    def tries(self) -> list[_Try]:
        """The usual frames, and those of other units and axes that differ from them."""
        made: dict[tuple[object, ...], _Frames] = {}
        for unit, axes in product((None, *_UNITS), (None, *_AXES)):
            frames = tuple(
                replace(each, unit=unit or each.unit, axes=axes or each.axes)
                for each in self._usual
            )
            made.setdefault(tuple((each.factor, AXES[each.axes]) for each in frames), frames)
        return self._tried(made.values())

    def shifted(self, tries: Sequence[_Try]) -> list[_Try]:
        """The tries, and the usual frames, with any offsets that put positions onto the surface.

        Round numbers, as people choose them, are tried first. If none of these fits very well,
        others are approached step by step from the nearest places.
        """
        if len({*self._usual}) > 1:
            return []
        frames = [self._usual, *(each.frames for each in tries)]
        if self.count < _MANY:  # so few come near the surface in most axes
            frames = [each for each in frames if each[0].axes == self._usual[0].axes]
        ends = [(each, *ends) for each in frames if (ends := self._offsets(each[0])) is not None]
        rounds = [
            _with_offset(each, [*map(_roundest, low.tolist(), high.tolist())])
            for each, low, high in ends
        ]
        found = self._tried(rounds)
        if self.count < _MANY or any(each.score <= _BEST for each in found):
            return found
        return found + self._tried(
            _with_offset(each, self._settled(each[0], (low + high) / 2.0))
            for each, low, high in ends
            if each[0].axes == self._usual[0].axes
        )

    def _points(self, frames: _Frames) -> FloatArray:
        pairs = zip(self._sets, frames, strict=True)
        return np.concatenate([frame.from_file(each.points) for each, frame in pairs])

    def _near(self, points: FloatArray) -> FloatArray:
        near = nearest_places(self._row, points, self._usual[0].in_world, None)
        if not np.all(near.triangle >= 0):
            raise RaypickError(NO_SURFACE)
        return near.point

    def _tried(self, tries: Iterable[_Frames]) -> list[_Try]:
        """Try frames; a few of the positions rule out most of them."""
        ways = [(frames, self._points(frames)) for frames in tries]
        good = [(frames, points) for frames, points in ways if can_be_measured(points)]
        some = [_sample(points, _FIRST) for _, points in good]
        near = self._near(np.concatenate(some)).reshape(len(some), -1, 3) if some else ()
        found = {
            frames: self._try(frames, points, _furthest(part, places))
            for (frames, points), part, places in zip(good, some, near, strict=True)
        }
        return [found.get(frames, _Try(frames, np.inf)) for frames, _ in ways]

    def _try(self, frames: _Frames, points: FloatArray, away: float) -> _Try:
        """Try frames in which a few of the positions move by `away` at most."""
        spread = float(np.linalg.norm(np.ptp(points, axis=0)))
        most = _SHARE * self.size
        spans = spread >= most
        if spread > _ONE_POSITION * np.abs(points).max():
            most = min(most, spread)
        if away <= most:
            near = self._near(points)
            away = _furthest(points, near)
            if self._coincide(points, near, min(spread, self.size)):
                return _Try(frames, away)
        score = away / most if most else np.inf if away else 0.0
        return _Try(frames, away, score, spans, spread)

    def _coincide(self, points: FloatArray, near: FloatArray, spread: float) -> bool:
        """Whether positions that lie apart have the same nearest place."""
        cells = np.round((near - self._low) / (_ONE_PLACE * self.size or 1.0))
        _, first, group = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        gaps = np.linalg.norm(points - points[first[group.reshape(-1)]], axis=1)
        return bool((gaps > _APART * spread).any())

    def _offsets(self, frame: FileFrame) -> tuple[FloatArray, FloatArray] | None:
        """The least and the greatest offset (3,) with which positions are in the object's box."""
        points = self._all
        size = self.size * frame.factor
        box = replace(frame, offset=NO_OFFSET).to_file(np.stack([self._low, self._high]))
        low, high = points.max(axis=0) - box.max(axis=0), points.min(axis=0) - box.min(axis=0)
        is_small = np.linalg.norm(np.ptp(points, axis=0)) < _SHARE * size
        if is_small or (low - high > _SHARE * size).any():
            return None
        low, high = np.minimum(low, high), np.maximum(low, high)
        return low - _BEST * size, high + _BEST * size

    def _settled(self, frame: FileFrame, offset: FloatArray) -> FloatArray:
        """The offset with which positions and their nearest places have the same mean."""
        frame = replace(frame, offset=NO_OFFSET)
        part = _sample(self._all, _SAMPLE)
        fine = _ONE_PLACE * self.size
        for _ in range(_STEPS):
            there = frame.from_file(part - offset)
            step = (there - self._near(there)).mean(axis=0)
            offset = offset + frame.to_file(step[None])[0]
            if np.linalg.norm(step) < fine:
                break
        digits = max(0, -int(np.floor(np.log10(fine * frame.factor))))
        return np.round(offset, digits) + 0.0  # without the sign of a zero


def _with_offset(frames: _Frames, offset: Iterable[float]) -> _Frames:
    x, y, z = map(float, offset)
    return tuple(replace(each, offset=(x, y, z)) for each in frames)


def _furthest(points: FloatArray, places: FloatArray) -> float:
    return float(np.linalg.norm(places - points, axis=1).max())


def _sample(points: FloatArray, count: int) -> FloatArray:
    """At most `count` of the positions, evenly spaced from the first to the last."""
    rows: IntArray = np.unique(np.linspace(0, len(points) - 1, count).astype(int))
    return points[rows]


def _roundest(low: float, high: float) -> float:
    """The roundest number between two: the one with the most zeros at its end, near the middle."""
    if low <= 0.0 <= high:
        return 0.0
    for exponent in range(int(np.ceil(np.log10(max(abs(low), abs(high))))), -16, -1):
        step = 10.0**exponent
        middle = np.round((low + high) / 2.0 / step)
        for number in (middle, middle - 1.0, middle + 1.0):
            found = float(np.round(number * step, max(0, -exponent)))
            if low <= found <= high:
                return found
    return (low + high) / 2.0
