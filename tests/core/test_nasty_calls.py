# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a public call is given, it answers, or refuses it by an error with a name.

The numbers of calls are those of a quick look. More, with another seed, from the root of the
checkout: ``RAYPICK_NASTY_CALLS=50000 RAYPICK_SEED=1 pytest tests/core/test_nasty_calls.py``.
"""

import os
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

import standalone_core as sc

from ..nasty import VALUES, drawn
from .numerics.test_values import same
from .public_calls import RAY, all_calls

COUNT = int(os.environ.get("RAYPICK_NASTY_CALLS", "1500"))


REGION = sc.Region.of([[1, 0, 0, 1], [0, 0, -1, 5.0]])


def use(thing):
    """Ask it what it must answer, or refuse, whatever it was made of or asked before."""
    uses = []
    if isinstance(thing, (sc.Mesh, sc.PolygonMesh, sc.Scene)):
        thing.ray_cast_all(*RAY.values())
        thing.cast_rays(*RAY.values())
        thing.triangles_in(REGION)
    if isinstance(thing, (sc.Mesh, sc.PolygonMesh)):
        placed = sc.Scene()
        placed.add(thing)
        placed.ray_cast_all(*RAY.values())
        uses = [lambda: thing.bounding_sphere, lambda: thing.bounding_box]
    if isinstance(thing, sc.Mesh):
        thing.build()
        thing.validate()
        thing.ray_cast_all(*RAY.values())
        thing.closest_point((1, 1, 1))
    if isinstance(thing, sc.Camera):
        uses = [
            lambda: thing.ray(3, 4),
            lambda: thing.unproject(3, 4, 0.5),
            lambda: (thing.project((1, 2, -3)), thing.pixel_size((1, 2, -3)), thing.eye),
        ]
    if isinstance(thing, (sc.Plane, sc.Sphere, sc.Box)):
        thing.intersect_ray(sc.Ray(*RAY.values()))
    if isinstance(thing, sc.Ray):
        thing.at(1e300)
        sc.Sphere((0, 0, 0), 1).case(thing)
        sc.Plane((0, 0, 1), 1).intersect_line(thing)
        sc.Box((0, 0, 0), (1, 1, 1)).intersect_ray(thing)
    for each in uses:
        with suppress(sc.RaypickError):
            each()


def failure(thing):
    """What its use fails with, if it does."""
    try:
        use(thing)
    except Exception as error:
        return error
    return None


def campaign(engine, rng, count):
    """Make so many calls; return how they ended, and what ended as none may."""
    calls, ends, faults = all_calls(engine), Counter(), []
    names = [name for name, (_, given) in calls.items() if given]
    for _ in range(count):
        name = names[rng.integers(len(names))]
        make, given = calls[name]
        arguments, chosen = drawn(rng, given, VALUES)
        method = make()
        try:
            answer = method(**arguments)
            ends["answered"] += 1
        except sc.RaypickError as error:
            ends["refused"] += 1
            if not str(error) or len(str(error)) > 999:
                faults.append(f"{name} {chosen}: {str(error)[:99]!r} is no reason")
        except Exception as error:
            ends["failed"] += 1
            faults.append(f"{name} {chosen}: {type(error).__name__}: {error!s:.150}")
        else:
            faults += [
                f"after {name} {chosen}: {type(error).__name__}: {error!s:.150}"
                for thing in (answer, getattr(method, "__self__", None))
                if (error := failure(thing)) is not None
            ]
    return ends, faults


def test_nasty_arguments_are_refused_by_name_or_answered(engine, rng):
    ends, faults = campaign(engine, rng, COUNT)
    print(engine, dict(ends))
    assert not faults, "\n".join([f"{len(faults)} of {COUNT}", *sorted(set(faults))[:90]])
    assert min(ends["answered"], ends["refused"]) > 0.05 * COUNT


def ending(calls, seed):
    """How one of the calls, drawn by a seed, ends: with an answer, or the name of an error."""
    rng = np.random.default_rng(seed)
    names = [
        name
        for name, (_, given) in calls.items()
        if given and not name.startswith("tree_build") and "thread" not in name
    ]
    name = names[rng.integers(len(names))]
    make, given = calls[name]
    arguments, chosen = drawn(rng, given, VALUES)
    try:
        return make()(**arguments), f"{name} {chosen}"
    except sc.RaypickError as error:
        return type(error).__name__, f"{name} {chosen}"


def test_engines_answer_nasty_arguments_alike(rng):
    pytest.importorskip("numba")
    answers, numpy, numba = 0, all_calls("numpy"), all_calls("numba")
    for seed in rng.integers(2**63, size=COUNT).tolist():
        (one, call), (other, _) = ending(numpy, seed), ending(numba, seed)
        assert same(one, other), f"{call}: {one} and {other}"
        answers += not isinstance(one, str)
    assert answers > 0.05 * COUNT


def test_a_call_with_a_wrong_number_of_arguments_ends_as_python_says():
    with pytest.raises(TypeError):
        sc.Plane()
    with pytest.raises(TypeError):
        sc.Plane((0, 0, 1), 0, nonsense=1)


MASKED = [
    np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
    np.ma.array([1.0, 2.0, 3.0]),
    [np.ma.masked, 2.0, 3.0],
    np.ma.masked,
]


@pytest.mark.parametrize("value", MASKED, ids=str)
def test_a_masked_array_is_refused_as_its_mask_would_be_lost(value):
    for refuses in (
        lambda: sc.Plane(value, 0),
        lambda: sc.Ray((0, 0, 0), value),
        lambda: sc.Mesh([value], []),
        lambda: sc.Mesh(np.eye(3), [[0, 1, 2]]).ray_cast(value, value),
    ):
        with pytest.raises(sc.errors.ArgumentError, match="masked"):
            refuses()
