# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants of the compiled core."""

from __future__ import annotations

from .mutant import Mutant


def _mutant(file: str, old: str, new: str, tests: str) -> Mutant:
    """One in a file of the engines, judged by tests of the core with compiled code."""
    paths = " ".join(f"tests/core/{test}" for test in tests.split())
    return Mutant(f"standalone_core/engines/{file}", old, new, paths)


# It asks for the compiled engine, as those of the others do that take `engine`: by itself a mesh
# answers with NumPy until the compiler is done.
_AGREEMENT = "test_fuzz.py::test_hits_are_the_rational_ones_and_all_ways_to_ask_agree"

IN_KERNELS = (
    _mutant(
        "kernels.py",
        "hits[place - 1, 1] > triangle",
        "hits[place - 1, 1] < triangle",
        "test_fuzz.py::test_the_nearest_of_many_copies_of_a_triangle_is_the_first",
    ),
    _mutant(
        "kernels.py",
        "elif most < -bound:\n        side = -1.0",
        "elif most < -bound:\n        side = 1.0",
        _AGREEMENT,
    ),
    _mutant(
        "kernels.py",
        "if not (t >= 0.0 and distance <= ray.limit)",
        "if not (t >= 0.0 and distance < ray.limit)",
        "test_fuzz.py::"
        "test_the_distance_of_a_hit_is_a_limit_that_lets_it_through_and_none_below_does",
    ),
    _mutant(
        "kernels.py",
        "if len(excluded) and excluded[triangle]:",
        "if len(excluded) and excluded[item]:",
        "cast/test_exclude.py",
    ),
    _mutant("kernels.py", "front[row] = hit[2] > 0.0", "front[row] = hit[2] < 0.0", _AGREEMENT),
    _mutant("scan_kernel.py", "(z < behind)", "(z > behind)", "cast/test_scan.py"),
    _mutant(
        "instance_kernel.py",
        "distances[spot - 1] > entry - margin",
        "distances[spot - 1] < entry - margin",
        "instancing/test_index.py",
    ),
    _mutant(
        "instance_kernel.py",
        "leave >= 0.0 and entry <= limit",
        "leave >= 0.0",
        "instancing/test_index.py",
    ),
    _mutant("box_kernel.py", "for corner in range(3)", "for corner in range(2)", _AGREEMENT),
    _mutant(
        "approach_kernel.py",
        "away = scale * (max(abs(px), abs(py), abs(pz)) + 2.0)",
        "away = 0.0",
        "test_exactness.py",
    ),
)
