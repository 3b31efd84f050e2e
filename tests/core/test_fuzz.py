# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is asked: the ways to ask agree, and small cases are rational.

Hypothesis draws the cases. Coordinates come from a few lattices, so that rays meet edges and
vertices exactly, and from the ends of float64's range. A case that fails is shown as it was drawn;
``RAYPICK_SHRINK=1`` in the environment makes it small first, which can take minutes.
"""

import math
import os
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import standalone_core as sc

from .oracle import EPS
from .questions import FIELDS, assert_same_bits, assert_same_hits
from .rational import exact_hits

SHRINK = os.environ.get("RAYPICK_SHRINK") == "1"

TINY, HUGE = 5e-324, float(np.finfo(float).max)
LARGEST_SURE = 1e307
"""Up to here no difference of coordinates and no distance is beyond float64's range."""


class Query(NamedTuple):
    """A mesh, and rays at it."""

    vertices: list
    triangles: list
    origins: list
    directions: list


# What is drawn

lattice = st.integers(-2, 2).map(float)
thirds = st.integers(-6, 6).map(lambda n: n / 3)
any_size = st.sampled_from([1e-300, 1e-30, 1e-3, 1.0, 1e6, 1e30, 1e300])
sized = st.builds(lambda x, size: x * size, thirds, any_size)
denormal = st.integers(-3, 3).map(lambda n: n * TINY)
ordinary = st.floats(-10, 10, allow_subnormal=False)
at_1e6 = st.integers(-9, 9).map(lambda n: 1e6 + n / 7)
finite = st.floats(allow_nan=False, allow_infinity=False)
not_finite = st.sampled_from([math.nan, math.inf, -math.inf])
sure = st.floats(-LARGEST_SURE, LARGEST_SURE)

COORDINATES = {
    "lattice": lattice,
    "thirds": thirds,
    "ordinary": ordinary,
    "at 1e6": at_1e6,
    "lattice of 1e300": lattice.map(lambda x: x * 1e300),
    "lattice of 1e-300": lattice.map(lambda x: x * 1e-300),
    "denormal": denormal,
    "of all sizes": sized,
    "any up to 1e307": sure,
}
each_kind = pytest.mark.parametrize("kind", COORDINATES)


def points(coordinates, least=0, most=8):
    return st.lists(st.tuples(coordinates, coordinates, coordinates), min_size=least, max_size=most)


def triangles_of(count):
    """Rows of `count` vertices; a vertex may come twice in one."""
    index = st.integers(0, max(count, 1) - 1)
    return st.lists(st.tuples(index, index, index), max_size=8 if count else 0)


@st.composite
def questions(draw, vertex, origin=None, direction=None, rays=3):
    """Rays of which half aim at a vertex of the mesh."""
    vertices = draw(points(vertex))
    triangles = draw(triangles_of(len(vertices)))
    origins = draw(points(vertex if origin is None else origin, rays, rays))
    directions = draw(points(vertex if direction is None else direction, rays, rays))
    if vertices:
        at = draw(st.lists(st.integers(0, len(vertices) - 1), min_size=rays, max_size=rays))
        for ray in range(0, rays, 2):
            pairs = zip(vertices[at[ray]], origins[ray], strict=True)
            directions[ray] = tuple(v - o for v, o in pairs)
    for ray, given_direction in enumerate(directions):
        if not is_direction(given_direction):
            directions[ray] = (0.0, 0.0, -1.0)
    return Query(vertices, triangles, origins, directions)


def is_direction(direction):
    """Whether it is finite, not 0, and no component is lost beside another 1e308 times larger."""
    if not all(map(math.isfinite, direction)) or not any(direction):
        return False
    _, exponent = math.frexp(max(map(abs, direction)))
    return all(math.ldexp(math.ldexp(x, -exponent), exponent) == x for x in direction)


SHRINKING = {Phase.shrink, Phase.explain}


def few(examples):
    phases = [phase for phase in Phase if SHRINK or phase not in SHRINKING]
    return settings(max_examples=examples, phases=phases)


# What must hold


def mesh_of(query, engine):
    vertices = np.array(query.vertices, dtype=float).reshape(-1, 3)
    return sc.Mesh(vertices, np.array(query.triangles, dtype=int).reshape(-1, 3), engine=engine)


def answers_that_agree(query, engine, *options):
    """All hits of each ray, as lists, after asking in every way that there is."""
    tree = mesh_of(query, engine)
    tree.build()
    tree.validate()
    asked = query.origins, query.directions
    nearest = tree.cast_rays(*asked, *options)
    hits, splits = tree.cast_rays_all(*asked, *options)
    batch = mesh_of(query, engine)
    assert_same_bits(batch.cast_rays(*asked, *options), nearest)
    for mesh in (tree, mesh_of(query, engine)):
        assert mesh.any_hit(*asked, *options).tolist() == nearest.hit.tolist()
        assert mesh.count_hits(*asked, *options).tolist() == np.diff(splits).tolist()
    again, splits_again = batch.cast_rays_all(*asked, *options)
    assert_same_bits(again, hits)
    assert splits.tolist() == splits_again.tolist()
    answers = []
    for i, ray in enumerate(zip(*asked, strict=True)):
        rows = [hits[row] for row in range(*splits[i : i + 2])]
        assert_same_hits([nearest[i]], rows[:1] or [None])
        for fresh in (lambda: tree, lambda: mesh_of(query, engine)):
            assert_same_hits(fresh().ray_cast_all(*ray, *options), rows)
            assert_same_hits([fresh().ray_cast(*ray, *options)], rows[:1] or [None])
        assert_sound(rows)
        answers.append(rows)
    return answers


def assert_sound(hits):
    """What holds for the hits of a ray at any mesh."""
    keys = [(hit.distance, hit.triangle) for hit in hits]
    assert keys == sorted(keys)
    assert len({hit.triangle for hit in hits}) == len(hits)
    for hit in hits:
        assert hit.distance >= 0
        assert (hit.barycentric >= 0).all()
        assert abs(math.fsum(hit.barycentric) - 1) <= 2 * EPS
        assert abs(math.sqrt(math.fsum(hit.normal**2)) - 1) <= 4 * EPS


def assert_rational(answers, query):
    """The hits are those of rational arithmetic: the same triangles from the same side.

    Those whose distances are the same but for rounding may come in any order.
    """
    for hits, origin, direction in zip(answers, query.origins, query.directions, strict=True):
        expected = exact_hits(origin, direction, query.vertices, query.triangles)
        found = sorted((hit.triangle, hit.front) for hit in hits)
        assert found == sorted((hit.triangle, hit.front) for hit in expected)
        place = {hit.triangle: hit.distance for hit in expected}
        far = Fraction(0)
        for hit in hits:
            assert place[hit.triangle] >= far * (1 - Fraction(8 * EPS)) - 4 * Fraction(TINY)
            far = max(far, place[hit.triangle])


@each_kind
@few(25)
@given(data=st.data())
def test_hits_are_the_rational_ones_and_all_ways_to_ask_agree(engine, kind, data):
    query = data.draw(questions(COORDINATES[kind]))
    assert_rational(answers_that_agree(query, engine), query)


@few(60)
@given(query=questions(lattice, origin=thirds, direction=lattice))
def test_hits_at_borders_are_the_rational_ones(engine, query):
    assert_rational(answers_that_agree(query, engine), query)


@few(40)
@given(query=questions(thirds), length=st.sampled_from([TINY, 1e-310, 1e-160, 1e160, 1e300]))
def test_directions_of_any_length_are_taken_as_they_are(engine, query, length):
    scaled = [tuple(x * length for x in direction) for direction in query.directions]
    assume(all(map(any, scaled)))
    query = query._replace(directions=scaled)
    assert_rational(answers_that_agree(query, engine), query)


@few(40)
@given(query=questions(st.one_of(lattice, not_finite, not_finite), origin=thirds))
def test_triangles_at_vertices_that_are_not_finite_are_never_hit(engine, query):
    assert_rational(answers_that_agree(query, engine), query)


@few(60)
@given(query=questions(st.one_of(finite, not_finite, sized), origin=finite, direction=finite))
def test_nothing_raises_or_warns_at_the_ends_of_the_range(engine, query):
    """Where distances and points overflow there is no right answer, but always the same."""
    answers_that_agree(query, engine)


@few(40)
@given(
    query=questions(lattice, origin=thirds),
    along=st.tuples(ordinary, ordinary, ordinary),
    rank=st.integers(0, 1),
)
def test_a_mesh_on_a_line_or_in_a_point_is_never_hit(engine, query, along, rank):
    flat = [tuple(rank * round(v[0]) * float(round(x)) for x in along) for v in query.vertices]
    query = query._replace(vertices=flat)
    assert answers_that_agree(query, engine) == [[], [], []]
    assert_rational([[], [], []], query)


@few(40)
@given(
    query=questions(lattice, origin=thirds),
    aspect=st.sampled_from([2.0**-52, 1e-12, 1e-30, 1e-150, 1e-300]),
)
def test_triangles_of_huge_aspect_are_hit_where_they_are(engine, query, aspect):
    thin = [(x, y * aspect, z) for x, y, z in query.vertices]
    origins = [(x, y * aspect, z) for x, y, z in query.origins]
    query = query._replace(vertices=thin, origins=origins)
    assert_rational(answers_that_agree(query, engine), query)


limits = st.one_of(
    st.sampled_from([0, 0.0, TINY, 1e-300, 1e-9, 1, 2.5, 1e300, HUGE, math.inf]), st.floats(0, 20)
)


@few(60)
@given(
    query=questions(lattice, origin=thirds),
    limit=limits,
    cull=st.sampled_from([None, "back", "front"]),
)
def test_a_limit_and_a_side_leave_out_hits_and_change_none(engine, query, limit, cull):
    everything = answers_that_agree(query, engine)
    some = answers_that_agree(query, engine, limit, cull)
    for hits, kept in zip(everything, some, strict=True):
        wanted = [hit for hit in hits if hit.distance <= limit]
        if cull:
            wanted = [hit for hit in wanted if hit.front == (cull == "back")]
        assert_same_hits(kept, wanted)


@few(40)
@given(query=questions(thirds))
def test_the_distance_of_a_hit_is_a_limit_that_lets_it_through_and_none_below_does(engine, query):
    mesh = mesh_of(query, engine)
    for origin, direction in zip(query.origins, query.directions, strict=True):
        everything = mesh.ray_cast_all(origin, direction)
        for hit in everything:
            nearer = [other for other in everything if other.distance < hit.distance]
            equal = [other for other in everything if other.distance == hit.distance]
            assert_same_hits(mesh.ray_cast_all(origin, direction, hit.distance), nearer + equal)
            if hit.distance > 0:
                below = float(np.nextafter(hit.distance, 0))
                assert_same_hits(mesh.ray_cast_all(origin, direction, below), nearer)


@few(40)
@given(query=questions(st.one_of(lattice, thirds)))
def test_a_mesh_that_stands_unmoved_in_a_scene_is_hit_as_it_is_alone(engine, query):
    """Only the normal is made a unit vector once more."""
    mesh, scene = mesh_of(query, engine), sc.Scene()
    scene.add(mesh)
    names = [name for name in FIELDS if name != "normal"]
    for ray in zip(query.origins, query.directions, strict=True):
        hits, alone = scene.ray_cast_all(*ray), mesh.ray_cast_all(*ray)
        assert len(hits) == len(alone)
        for hit, other in zip(hits, alone, strict=True):
            assert_same_bits(hit, other, names)
            np.testing.assert_allclose(hit.normal, other.normal, rtol=0, atol=4 * EPS)
        assert_same_hits([scene.ray_cast(*ray)], hits[:1] or [None])


@few(40)
@given(query=questions(lattice, origin=thirds), moved=points(st.one_of(lattice, not_finite), 8))
def test_a_refitted_mesh_is_hit_as_one_made_anew(engine, query, moved):
    mesh = mesh_of(query, engine)
    mesh.build()
    query = query._replace(vertices=moved[: len(query.vertices)])
    mesh.refit(np.array(query.vertices).reshape(-1, 3))
    mesh.validate()
    for hits, ray in zip(
        answers_that_agree(query, engine),
        zip(query.origins, query.directions, strict=True),
        strict=True,
    ):
        assert_same_hits(mesh.ray_cast_all(*ray), hits)


# Forms of arrays

FLOATS = ["float16", "float32", "float64", "longdouble", ">f8", "int8", "int64", "uint16"]
INTEGERS = ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", ">i4"]


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


FORMS = {
    "as it is": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "every third column": lambda a: np.repeat(a, 3, axis=1)[:, ::3],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "read-only": read_only,
    "list": lambda a: a.tolist(),
    "tuples": lambda a: tuple(map(tuple, a.tolist())),
    "list of arrays": list,
}
forms = st.sampled_from(sorted(FORMS)).map(FORMS.get)
whole = st.integers(0, 4).map(float)


@few(60)
@given(
    query=questions(whole),
    vertex_kind=st.sampled_from(FLOATS),
    index_kind=st.sampled_from(INTEGERS),
    ray_kind=st.sampled_from(["float16", "float32", "float64", "longdouble", "int8", "int32"]),
    form=st.lists(forms, min_size=4, max_size=4),
)
def test_every_form_of_numbers_is_read_alike(
    engine, query, vertex_kind, index_kind, ray_kind, form
):
    assume(query.vertices)
    expected = answers_that_agree(query, engine)
    mesh = sc.Mesh(
        form[0](np.array(query.vertices, dtype=vertex_kind)),
        form[1](np.array(query.triangles, dtype=index_kind).reshape(-1, 3)),
        engine=engine,
    )
    hits, splits = mesh.cast_rays_all(
        form[2](np.array(query.origins, dtype=ray_kind)),
        form[3](np.array(query.directions, dtype=ray_kind)),
    )
    for i, alone in enumerate(expected):
        assert_same_hits([hits[row] for row in range(*splits[i : i + 2])], alone)


@pytest.mark.parametrize("number", ["1e4000", "-1e4000", "1e-4000"])
def test_a_long_double_beyond_float64_is_taken_as_the_nearest_that_is_none(engine, number):
    """A vertex there is not finite, so its triangle is never hit; or it is 0."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5]], dtype=np.longdouble)
    vertices[3, 2] = np.longdouble(number)
    mesh = sc.Mesh(vertices, [[0, 1, 2], [0, 1, 3]], engine=engine)
    assert mesh.ray_cast((0.25, 0.25, 1), (0, 0, -1)).triangle == 0
    if not number.endswith("-4000"):
        with pytest.raises(sc.RaypickError):
            mesh.ray_cast(vertices[3], (0, 0, -1))
