# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample program says what brute force finds, with rays made of no matrix."""

import re
import subprocess
import sys

import numpy as np
import pytest

from checkout import ROOT
from sample_in_core import CLICKS, EYE, HEIGHT, TARGET, UP, WIDTH, teapot, world_matrix

FRAMES = 6
LINE = re.compile(
    r"  click \((\d+), (\d+)\): (?:nothing|hit face (\d+), u (\S+), v (\S+), distance ([\d.]+)"
    r"(?:, and (\d+) behind it)?)"
)


@pytest.fixture(scope="module")
def output():
    """What the sample prints; it sets up its own environment."""
    command = [sys.executable, ROOT / "scripts" / "sample.py", "--frames", str(FRAMES)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT.parent)
    assert run.returncode == 0, run.stderr
    return run.stdout


def clicked(x, y):
    """The eye and the way (3,) through the middle of a pixel, by the axes of the view."""
    eye, target, up = (np.array(v, dtype=np.longdouble) for v in (EYE, TARGET, UP))
    forward = (target - eye) / np.sqrt(((target - eye) ** 2).sum())
    right = np.cross(up, forward)
    right /= np.sqrt((right**2).sum())
    upward = np.cross(forward, right)
    half = np.tan(np.longdouble(np.pi) / 8)  # of the height at distance 1
    across = (2 * (x + np.longdouble(0.5)) / WIDTH - 1) * half * WIDTH / HEIGHT
    along = (1 - 2 * (y + np.longdouble(0.5)) / HEIGHT) * half
    way = forward + across * right + along * upward
    return eye, way / np.sqrt((way**2).sum())


def brute_force(eye, way, corners):
    """Face, u, v and distance of all triangles (T, 3, 3) that are hit, by signed volumes."""
    a, b, c = ((corners - eye)[:, i] for i in range(3))
    of_a, of_b, of_c = ((np.cross(p, q) @ way) for p, q in ((b, c), (c, a), (a, b)))
    total = of_a + of_b + of_c
    with np.errstate(all="ignore"):
        weights = np.stack([of_a, of_b, of_c], axis=1) / total[:, None]
        point = (weights[:, :, None] * (corners - eye)).sum(axis=1)
    distance = point @ way
    faces = np.flatnonzero((weights >= 0).all(axis=1) & (distance >= 0))
    return sorted((float(distance[f]), f, *map(float, weights[f, 1:])) for f in faces)


def test_the_sample_says_of_each_click_what_brute_force_says(output):
    vertices, triangles = teapot()
    lines = iter(LINE.findall(output))
    found = 0
    for frame in range(FRAMES):
        world = world_matrix(frame).astype(np.longdouble)
        corners = (vertices @ world[:3, :3] + world[3, :3])[triangles]
        for click in CLICKS:
            x, y, face, u, v, distance, behind = next(lines)
            assert (int(x), int(y)) == click
            hits = brute_force(*clicked(*click), corners)
            assert bool(hits) == bool(face)
            if hits:
                found += 1
                assert int(face) == hits[0][1]
                expected = hits[0][2], hits[0][3], hits[0][0]
                assert (float(u), float(v), float(distance)) == pytest.approx(expected, abs=1e-6)
                assert int(behind or 0) == len(hits) - 1
    assert next(lines, None) is None
    assert 10 < found < FRAMES * len(CLICKS)


def test_the_teapot_is_whole_and_looks_outward():
    vertices, triangles = teapot()
    assert len(triangles) > 2000
    a, b, c = vertices[triangles].swapaxes(0, 1)
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    inner = np.where(abs(a[:, 0]) > 2.2, np.sign(a[:, 0]), 0)
    for part in (0, 1, -1):  # the body, the spout's and the handle's outer half
        normals = np.cross(b - a, c - a)[inner == part]
        middles = (a + b + c)[inner == part] / 3
        outward = (normals * (middles - middles.mean(axis=0))).sum(axis=1)
        assert (outward > 0).mean() > 0.7
    assert volumes.sum() > 20
