# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether picks agree with brute force and with Blender; in a test or in a windowed Blender."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import bpy
import numpy as np

from .oracle import Soup, parts
from .surface import wrong_place

RAYS = 50
KEPT = 15
"""Of these, so many were aimed at the scene as it was a step before: what stayed would be hit."""

ALONE = 20
"""So many, those that were kept and some others, are cast alone where all are cast together."""

MOST_TRIANGLES = 20_000

FARTHEST = 100.0
"""The coordinate up to which ``Scene.ray_cast`` is compared with: at faces that reach 1,000, two of
435 rays differed by more than is reckoned."""

MOST_STRETCHED = 100.0
"""The ratio of scales up to which it is: from there on rays miss what they should hit."""

COARSEST = 1e-2
"""By which it may differ at most: where it may by more, it is not asked."""


@dataclass
class Agreement:
    """Casts rays after each step, compares, and counts.

    Attributes
    ----------
    ray_cast : callable
        The API's.
    cast_rays_all : callable, optional
        The API's too. With it all hits of all rays are found in one call, and only some of the rays
        are cast alone besides; without it, all are cast alone.
    rays, crossed, certain, blenders : int
        How many rays were compared, in scenes where no vertex is beyond all measure; how many of
        them crossed anything; for how many all was compared; how many were compared with
        Blender's own ray cast.
    places, marked : int
        At how many hits all that is told was compared; at how many of them the original face.
    triangles : int
        How many the scene showed at the last step.
    """

    ray_cast: Callable = field(repr=False)
    cast_rays_all: Callable | None = field(default=None, repr=False)
    rays: int = 0
    crossed: int = 0
    certain: int = 0
    blenders: int = 0
    places: int = 0
    marked: int = 0
    triangles: int = 0
    kept: list = field(default_factory=list, repr=False)

    def begin(self):
        """Start with another scene."""
        self.triangles = 0
        self.kept = []

    def faults(self, context, seed, space=None):
        """Cast rays at the scene as it is; return what is wrong, in words."""
        # First of all: where Blender lists what is no more, the extension has it evaluated anew.
        self.ray_cast(context, (0, 0, 9), (0, 0, -1), space=space)
        soup = Soup(parts(context, space))
        self.triangles = len(soup)
        rng = np.random.default_rng(seed)
        aimed = aim(rng, soup, RAYS - len(self.kept))
        rays = self.kept + aimed
        together = self._hits_together(context, space, rays)
        found = []
        for number, ray in enumerate(rays):
            is_alone = together is None or number < ALONE
            hits = [] if together is None else [together[number]]
            for fault in self._faults_of(context, space, soup, *ray, hits, is_alone):
                found.append(f"from {ray[0].tolist()} to {ray[1].tolist()}: {fault}")
        self.kept = aimed[:KEPT]
        return found

    def _hits_together(self, context, space, rays):
        """All hits of each ray, found in one call; None if they are not to be found so."""
        if self.cast_rays_all is None:
            return None
        origins, directions = np.array(rays).transpose(1, 0, 2)
        return hits_of(self.cast_rays_all(context, origins, directions, space=space))

    def _faults_of(self, context, space, soup, origin, direction, found, is_alone):
        """What is wrong with all hits of a ray as they were found, and as it hits alone."""
        true = soup.crossings(origin, direction)
        if not any(part.far for part in soup.parts):
            self.rays += 1
            self.crossed += bool(true)
            self.certain += all(crossing.certain for crossing in true.values())
        if is_alone:
            hits = self.ray_cast(context, origin, direction, all_hits=True, space=space)
            found = [*found, hits]
        faults = []
        for hits in found:
            faults += wrong_hits(hits, true)
            faults += self._wrong_places(hits, true, origin, direction)
        nearest = hits[:1]
        if is_alone:
            nearest = self.ray_cast(context, origin, direction, space=space)
            faults += [
                f"of the nearest alone: {fault}"
                for fault in self._wrong_places(nearest, true, origin, direction)
            ]
            faults += wrong_nearest(nearest, hits, true)
        local = space is not None and space.local_view is not None
        if not local and blender_is_right(context.scene, soup, origin, true):
            self.blenders += 1
            faults += unlike_blender(context, origin, direction, nearest, true)
        return faults

    def _wrong_places(self, hits, true, origin, direction):
        """What is wrong with what is told of the places hit, where they are certain."""
        for hit in hits:
            crossing = true.get(key(hit))
            if crossing is None or not crossing.certain:
                continue
            if not abs(hit.distance - crossing.distance) <= crossing.slack:
                yield f"{key(hit)} hit at {hit.distance}, is at {crossing.distance}"
            yield from wrong_place(hit, crossing, origin, direction)
            if not hasattr(hit, "attributes"):  # found with others: only its place is told
                continue
            self.places += 1
            self.marked += crossing.surface.is_marked(hit)
            yield from crossing.surface.faults(hit, crossing)


def wrong_hits(hits, true):
    """What is wrong with all hits of a ray, that crosses these for certain or perhaps."""
    keys = [key(hit) for hit in hits]
    if len(set(keys)) != len(keys):
        yield f"a triangle is hit twice: {keys}"
    distances = [hit.distance for hit in hits]
    if distances != sorted(distances):
        yield f"not in order: {distances}"
    for hit in hits:
        crossing = true.get(key(hit))
        if crossing is None:
            yield f"hit at {hit.distance} what is not there: {key(hit)}"
    for missed in {name for name, crossing in true.items() if crossing.certain} - set(keys):
        yield f"missed {missed} at {true[missed].distance}"


def wrong_nearest(nearest, hits, true):
    """What is wrong with the nearest hit, in a list, or an empty one, beside all hits."""
    if bool(nearest) != bool(hits):
        yield f"nearest {nearest}, all {hits}"
    elif nearest and key(nearest[0]) not in true:
        yield f"nearest {key(nearest[0])} is not there"
    elif nearest and nearest[0].distance > hits[0].distance * (1 + 1e-12):
        yield f"nearest at {nearest[0].distance}, of all at {hits[0].distance}"


def hits_of(batch):
    """Of each ray of a batch its hits in a list, with what the columns tell of them."""
    columns = {name: values.tolist() for name, values in batch.items()}
    found = [[] for _ in range(batch.rays)]
    for row, (ray, place) in enumerate(zip(columns["ray"], columns["instance"], strict=True)):
        told = {name: values[row] for name, values in columns.items()}
        told["object"] = batch.objects[told["object"]]
        told["instancer"] = batch.instances.instancer[place]
        told["instance"] = batch.instances.persistent_id[place]
        found[ray].append(SimpleNamespace(**told))
    return found


def key(hit):
    """What was hit, as the oracle names it."""
    return hit.object, hit.instancer, hit.instance, hit.face, hit.triangle


def aim(rng, soup, count):
    """Rays through triangles, close beside them, and anywhere: (origin, unit direction) each."""
    return [_aimed(rng, soup) for _ in range(count)]


def _aimed(rng, soup):
    target = rng.uniform(-5, 5, 3)
    kind = rng.random()
    solid = [part for part in soup.parts if len(part.faces) and not part.far]
    if solid and kind < 0.9:
        corners = rng.choice(solid[rng.integers(len(solid))].corners)
        target = rng.dirichlet((1, 1, 1)) @ corners
        if kind > 0.75:
            target += (target - corners.mean(axis=0)) * rng.uniform(0, 3)
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    return target - way * rng.uniform(0.5, 25), way


def blender_is_right(scene, soup, origin, true):
    """Whether ``Scene.ray_cast`` can be compared with.

    It computes in single precision: rays from far away, near a border, nearly along a face, or
    that begin at one may miss, and those close beside one may hit it. It hits things of almost no
    thickness, and those that reach far, where they are not, or not at all; nor does it hit what
    only a background scene shows.
    """
    if scene.background_set:
        return False
    if np.abs(origin).max() > FARTHEST or any(map(_misleads, soup.parts)):
        return False
    if not all(map(_is_ordinary, bpy.data.objects)):
        return False
    return all(
        crossing.certain
        and crossing.known
        and crossing.margin > 1e-3
        and crossing.room > crossing.coarse
        and crossing.coarse < COARSEST
        and crossing.cosine > 0.05
        and crossing.distance > 1e-2
        for crossing in true.values()
    )


def _misleads(part):
    """Whether Blender may hit it where it is not, or miss it where it is."""
    return part.size > FARTHEST or part.stretch > MOST_STRETCHED


def _is_ordinary(obj):
    """Whether Blender's ray cast is right about it.

    In edit mode it may see what was before; and it hits instancers that are not shown, and what
    an instancer in a collection shows elsewhere.
    """
    elsewhere = obj.instance_type in {"VERTS", "FACES"} or not obj.show_instancer_for_viewport
    return obj.mode == "OBJECT" and not elsewhere


def unlike_blender(context, origin, direction, nearest, true):
    """How the nearest hit differs from that of Blender; ``true`` is all that the ray crosses."""
    depsgraph = context.evaluated_depsgraph_get()
    hit, place, _, _, obj, _ = context.scene.ray_cast(depsgraph, origin, direction)
    blenders = float(np.linalg.norm(np.array(place) - origin)) if hit else np.inf
    ours = nearest[0].distance if nearest else np.inf
    coarse = max((crossing.coarse for crossing in true.values()), default=0.0)
    if not (blenders == ours or abs(blenders - ours) <= max(1e-4 * max(1.0, ours), coarse)):
        yield f"Blender hits {obj and obj.name} at {blenders}, we {ours}"
