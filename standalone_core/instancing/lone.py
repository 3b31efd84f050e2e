# SPDX-License-Identifier: MIT
"""One ray at the instances of a scene: one after the other, the nearest box first."""

from collections.abc import Iterator, Sequence

from ..cast.rays import LoneRay
from ..hit import Hit
from .instance import Instance, to_mesh, to_scene
from .placements import Placements


def cast(parts: Sequence[Placements], ray: LoneRay) -> list[Hit]:
    """The hits at all parts, sorted as by :meth:`.Castable._cast`."""
    found: list[Hit] = []
    limit, every = ray.limit, ray.query.every
    met = met_instances(parts, ray)
    ray = ray._replace(query=ray.query._replace(excluded=None))
    for identifier, entry, instance in met:
        if entry > limit:
            break
        moved = to_mesh(instance, ray, limit)
        local = [] if moved is None else instance.mesh._cast(moved)
        hits = [to_scene(instance, hit, identifier) for hit in local]
        found += hits
        if not every and hits:
            limit = hits[0].distance
    found.sort(key=lambda hit: (hit.distance, hit.instance, hit.triangle))
    return found if every else found[:1]


def met_instances(parts: Sequence[Placements], ray: LoneRay) -> list[tuple[int, float, Instance]]:
    """The instances whose boxes a ray meets: id, distance there and all, the nearest first."""
    found = [each for part in parts for each in _met_at(part, ray)]
    if len(parts) > 1:
        found.sort(key=lambda each: each[1])
    return found


def _met_at(part: Placements, ray: LoneRay) -> Iterator[tuple[int, float, Instance]]:
    _, places, entry = part.met(ray)
    ids, instances = part.placed.ids.take(places), part.placed.instances.take(places)
    return zip(ids.tolist(), entry.tolist(), instances.tolist(), strict=True)
