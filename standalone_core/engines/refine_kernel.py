# SPDX-License-Identifier: MIT
"""Where rays hit triangles that are known, eight at a time and to the last digits, compiled."""

from typing import Any

from ..numerics.ray_triangle import (
    BEGIN,
    DISTANT,
    FIRST_STEP,
    FLAT,
    LAST_STEP,
    LEAST,
    MAX_STEPS,
    ORDINARY,
    STEEP,
    TINY,
    correction,
    dot3,
    equations,
    point_on,
    solution,
)
from .kernel_cache import helper
from .lanes import COUNT, bits, chosen, larger, root, store

REFINED = 10
"""Numbers of one that is: distance, barycentric (3), normal (3), point (3)."""


@helper(inline=True)
def refine(o: Any, d: Any, a: Any, b: Any, c: Any, length: Any, refined: Any) -> int:
    """Refine COUNT hits, as lanes of vectors and of the rays' lengths; the bits of those done.

    They are written to `refined` (REFINED * COUNT,), flat. The others are left to NumPy.
    """
    done, t, v, w, normal, point = _solve(o, d, a, b, c)
    size = root(dot3(normal, normal))
    store(refined, 0, t * length)
    store(refined, COUNT, larger((1.0 - v) - w, 0.0))
    store(refined, 2 * COUNT, v)
    store(refined, 3 * COUNT, w)
    for axis in range(3):
        store(refined, (4 + axis) * COUNT, normal[axis] / size)
        store(refined, (7 + axis) * COUNT, point[axis])
    return bits(done)  # type: ignore[no-any-return]


@helper(inline=True)
def _largest(v: Any) -> Any:
    return larger(larger(abs(v[0]), abs(v[1])), abs(v[2]))


@helper(inline=True)
def _is_common(v: Any) -> Any:
    """Where no component is smaller than LEAST, unless it is 0."""
    x, y, z = abs(v[0]), abs(v[1]), abs(v[2])
    return ((x >= LEAST) | (x == 0.0)) & ((y >= LEAST) | (y == 0.0)) & ((z >= LEAST) | (z == 0.0))


@helper(inline=True)
def _solve(o: Any, d: Any, a: Any, b: Any, c: Any) -> Any:
    """As :func:`.ray_triangle.solve`, step by step, for lanes; those that are done wait."""
    known = equations(o, d, a, b, c)
    _, s, _, e1, _, e2, _, normal = known
    size1, size2, longest, away = _largest(e1), _largest(e2), _largest(d), _largest(s)
    size = larger(size1, size2)
    full = longest * size1 * size2
    slope = abs(dot3(d, normal))
    common = (size > TINY) & (size < ORDINARY) & (away < ORDINARY) & (_largest(normal) > LEAST)
    common = common & _is_common(d) & _is_common(s) & _is_common(e1) & _is_common(e2)
    far = longest * size * (away + size)
    active = common & (slope > FLAT * full) & (slope > DISTANT * far)
    done = active & ~active
    t, v, w = solution(known, s)
    enough = chosen(slope > STEEP * full, FIRST_STEP, LAST_STEP)
    for _ in range(MAX_STEPS):
        dt, dv, dw = correction(known, t, v, w)
        t, v, w = chosen(active, t + dt, t), chosen(active, v + dv, v), chosen(active, w + dw, w)
        is_small = (abs(dt) <= enough * abs(t)) & (abs(dv) <= enough) & (abs(dw) <= enough)
        done = done | (active & is_small)
        active = active & ~is_small
        if bits(active) == 0:
            break
        enough = chosen(active, LAST_STEP, LAST_STEP)
    done = done & (abs(t) * slope > BEGIN * (away + size) * size1 * size2)
    v, w = larger(v, 0.0) + 0.0, larger(w, 0.0) + 0.0
    return done, t, v, w, normal, point_on(a, e1, e2, v, w)
