# SPDX-License-Identifier: GPL-3.0-or-later
"""What a tolerance should take, by brute force on the screen: every triangle, in plain formulas.

All triangles are projected with Blender's matrices; lines stay lines, so that the nearest place of
a triangle is found on its three sides in two dimensions, and what hides it is found by looking at
all others there. It holds for scenes that are wholly between the clip planes.
"""

from collections import defaultdict, deque

import bpy
import numpy as np

from . import oracle

ROUNDING = 1e-6
"""Decisions closer than this (in pixels, lengths, depths of the window) are not judged."""


class UnclearError(Exception):
    """The answer hangs on rounding."""


class Screen:
    """All triangles of the scene as a view shows them.

    Attributes
    ----------
    names : list of (object, instancer, persistent id, face, triangle)
    numbers : dict of names to the places that they have in that list
    corners : ndarray (T, 3, 3), in world space
    seen : ndarray (T, 3, 2), in pixels
    depth : ndarray (T, 3), of the window, from near to far
    weight : ndarray (T, 3), by what clip coordinates are divided
    facing : ndarray (T,), above 0 where a triangle is seen from the front

    Parameters
    ----------
    mirrored : names of objects whose matrix turns their triangles round
    """

    def __init__(self, view, width, height, mirrored=()):
        soup = oracle.Soup(oracle.parts(bpy.context))
        self.names = [soup.key(number) for number in range(len(soup))]
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.owner, self.faces = soup.owners, soup.faces
        self.corners = soup.corners
        matrix = np.array(view.window_matrix, float) @ np.array(view.view_matrix, float)
        clip = np.concatenate([soup.corners, np.ones((len(soup), 3, 1))], axis=2) @ matrix.T
        assert (clip[..., 3] > 0).all()
        self.weight = clip[..., 3]
        device = clip[..., :3] / clip[..., 3:]
        assert (np.abs(device[..., 2]) < 1).all()
        self.seen = (device[..., :2] + 1) * (width / 2, height / 2)
        self.depth = device[..., 2]
        a, b, c = self.seen.transpose(1, 0, 2)
        self.area = turn(b - a, c - a)
        turned = np.array([name in mirrored for name, *_ in self.names])
        self.facing = np.where(turned, -self.area, self.area)

    def over(self, place):
        """Screen weights (T, 3) of a place of the screen in all triangles: inside if all >= 0."""
        a, b, c = (self.seen[:, corner] - place for corner in range(3))
        with np.errstate(all="ignore"):
            return np.stack([turn(b, c), turn(c, a), turn(a, b)], axis=1) / self.area[:, None]

    def nearest(self, position):
        """For each triangle the nearest place on its sides: pixels away, place, world, depth."""
        best = np.full(len(self.seen), np.inf)
        place, world = np.zeros((len(best), 2)), np.zeros((len(best), 3))
        depth = np.zeros(len(best))
        for i, j in ((0, 1), (1, 2), (2, 0)):
            start, end = self.seen[:, i], self.seen[:, j]
            share = nearest_share(start, end, position)
            on_side = start + share[:, None] * (end - start)
            away = np.linalg.norm(on_side - position, axis=1)
            deep = self.depth[:, i] + share * (self.depth[:, j] - self.depth[:, i])
            nearer = (away < best - 1e-9) | ((away < best + 1e-9) & (deep < depth))
            near, far = (1 - share) / self.weight[:, i], share / self.weight[:, j]
            there = (near[:, None] * self.corners[:, i] + far[:, None] * self.corners[:, j]) / (
                near + far
            )[:, None]
            best = np.where(nearer, np.minimum(away, best), best)
            depth = np.where(nearer, deep, depth)
            place[nearer], world[nearer] = on_side[nearer], there[nearer]
        return best, place, world, depth

    def thing(self, first, position, radius):
        """The triangles connected to one of them within the radius."""
        own = np.flatnonzero(self.owner == self.owner[first])
        connected = self._connected_within(own, position, radius)
        reached, waiting = {first}, deque([first])
        while waiting:
            number = waiting.popleft()
            of_face = own[self.faces[own] == self.faces[number]].tolist()
            for other in {*of_face, *connected.get(number, ())} - reached:
                reached.add(other)
                waiting.append(other)
        return reached

    def _connected_within(self, own, position, radius):
        """For some triangles those that share a side or a corner with them within the radius."""
        sharing = defaultdict(set)
        for i, j in ((0, 1), (1, 2), (2, 0)):
            start, end = self.seen[own, i], self.seen[own, j]
            share = nearest_share(start, end, position)
            on_side = start + share[:, None] * (end - start)
            away = np.linalg.norm(on_side - position, axis=1)
            certain(np.abs(away - radius).min())
            for number in own[away <= radius].tolist():
                sharing[frozenset(self._corner_names(number, (i, j)))].add(number)
            corner_away = np.linalg.norm(start - position, axis=1)
            for number in own[corner_away <= radius].tolist():
                sharing[self._corner_names(number, (i,))].add(number)
        connected = defaultdict(set)
        for group in sharing.values():
            for number in group:
                connected[number] |= group
        return connected

    def _corner_names(self, number, corners):
        return tuple(tuple(self.corners[number, corner].tolist()) for corner in corners)

    def is_hidden(self, number, place, depth, hides):
        """Whether any of some triangles (mask) is seen before a place of one of them."""
        weights = self.over(place)
        deep = (weights * self.depth).sum(axis=1)
        inside, border = weights.min(axis=1), np.abs(self.area) ** 0.5 * weights.min(axis=1)
        before = hides & (deep < depth - 1e-9) & (np.arange(len(deep)) != number)
        if (before & (np.abs(border) < ROUNDING)).any():
            raise UnclearError
        return bool((before & (inside > 0)).any())


def expected(screen, ray, position, radius, exact, cull_sign=0):
    """Names and pixels of what is to be taken: a list of those that are equally near.

    Parameters
    ----------
    exact : PickHit or None
        What the exact ray hits first.
    cull_sign : int
        1 if triangles are not hit that are seen from behind, -1 for the others.
    """
    away, place, world, depth = screen.nearest(position)
    along = (world - ray.origin) @ ray.direction
    covers = screen.over(position).min(axis=1) > 0
    hit_by_rays = screen.facing * cull_sign >= 0
    possible = (away <= radius) & ~covers & hit_by_rays
    if (np.abs(away - radius) < ROUNDING).any():
        raise UnclearError
    if exact is not None:
        key = (exact.object, exact.instancer, exact.instance, exact.face, exact.triangle)
        first = screen.numbers[key]
        deep = (np.array(exact.point) - ray.origin) @ ray.direction
        if (np.abs(along - deep)[possible] < ROUNDING).any():
            thing = screen.thing(first, position, radius)
            if any(
                abs(along[n] - deep) < ROUNDING and n not in thing
                for n in np.flatnonzero(possible).tolist()
            ):
                raise UnclearError
        possible &= along < deep
        if possible.any():
            possible[list(screen.thing(first, position, radius))] = False
    found = []
    for number in np.flatnonzero(possible)[np.argsort(away[possible])].tolist():
        if found and away[number] > away[found[0]] + 1e-5:
            break
        if not screen.is_hidden(number, place[number], depth[number], hit_by_rays):
            found.append(number)
    return [(screen.names[number], away[number], world[number]) for number in found]


def nearest_share(start, end, position):
    """How far along lines (N, 2) of the screen the place is that is nearest to a position."""
    way = end - start
    square = np.maximum((way * way).sum(axis=1), 1e-300)
    return np.clip(((position - start) * way).sum(axis=1) / square, 0, 1)


def turn(a, b):
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def certain(value):
    if abs(value) < ROUNDING:
        raise UnclearError
