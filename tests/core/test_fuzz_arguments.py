# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a mesh or a scene is given, it is taken or refused by a named error."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import standalone_core as sc

from .test_fuzz import few

shapes = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
odd_numbers = st.sampled_from(
    ["f8", "f4", "f2", "i8", "u1", "u8", "?", "c16", "S3", "U2", "M8[s]", "m8[s]"]
).flatmap(lambda kind: arrays.arrays(kind, shapes))
odd_objects = st.one_of(
    st.none(), st.booleans(), st.text(max_size=2), st.fractions(), st.integers(), st.decimals()
)
nonsense = st.one_of(
    st.none(),
    st.booleans(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.just(10**400),
    st.just([[0, 0, 10**400]]),
    st.just({}),
    st.just({1, 2, 3}),
    st.just([1, [2]]),
    st.just(object()),
    st.just(np.ma.masked),
    st.just(range(3)),
    st.just(iter([1, 2, 3])),
    st.just(len),
    st.floats(),
    st.complex_numbers(),
    st.recursive(st.floats() | st.integers() | st.none(), st.lists, max_leaves=9),
    odd_numbers,
    arrays.arrays(object, shapes, elements=odd_objects),
)


def refused_or_answered(call, *arguments):
    """What a call returns, or None where it raises an error with a name and a reason."""
    try:
        return call(*arguments)
    except sc.RaypickError as error:
        reason = str(error)
    assert reason
    return None


TRIANGLE = ([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]])


def or_nonsense(good):
    return st.one_of(st.just(good), nonsense)


@few(150)
@given(*(or_nonsense(good) for good in (*TRIANGLE, None, "auto", "auto")))
def test_a_mesh_is_made_or_refused_by_a_named_error(vertices, triangles, faces, engine, building):
    mesh = refused_or_answered(sc.Mesh, vertices, triangles, faces, engine, building)
    if mesh is not None:
        mesh.build()
        mesh.ray_cast_all((1, 1, 5), (0, 0, -1))


@few(100)
@given(vertices=nonsense)
def test_a_mesh_is_refitted_or_refuses_and_stays_as_it_was(vertices):
    mesh = sc.Mesh(*TRIANGLE)
    before = mesh.vertices
    refused_or_answered(mesh.refit, vertices)
    assert mesh.vertices.shape == (3, 3)
    if mesh.revision == 0:
        assert mesh.vertices is before
        assert mesh.ray_cast((1, 1, 5), (0, 0, -1)).distance == 5


def a_scene():
    scene = sc.Scene()
    scene.add(sc.Mesh(*TRIANGLE))
    return scene


CASTS = ("ray_cast", "ray_cast_all", "cast_rays", "cast_rays_all", "any_hit", "count_hits")


@pytest.mark.parametrize("make", [lambda: sc.Mesh(*TRIANGLE), a_scene], ids=["mesh", "scene"])
@pytest.mark.parametrize("method", CASTS)
@few(60)
@given(*(or_nonsense(good) for good in ((1, 1, 5), (0, 0, -1), math.inf, None)))
def test_a_ray_is_cast_or_refused_by_a_named_error(
    make, method, origin, direction, max_distance, cull
):
    refused_or_answered(getattr(make(), method), origin, direction, max_distance, cull)


@pytest.mark.parametrize("make", [lambda: sc.Mesh(*TRIANGLE), a_scene], ids=["mesh", "scene"])
@pytest.mark.parametrize("method", CASTS)
@few(60)
@given(exclude=nonsense)
def test_what_to_leave_out_is_taken_or_refused_by_a_named_error(make, method, exclude):
    ray = (1, 1, 5), (0, 0, -1)
    refused_or_answered(partial(getattr(make(), method), *ray, exclude=exclude))


@few(60)
@given(matrix=nonsense, instance=nonsense)
def test_a_scene_takes_a_matrix_and_an_id_or_refuses_them(matrix, instance):
    scene = a_scene()
    refused_or_answered(scene.add, sc.Mesh(*TRIANGLE), matrix)
    refused_or_answered(scene.set_matrix, instance, matrix)
    refused_or_answered(scene.remove, instance)
    scene.ray_cast((1, 1, 5), (0, 0, -1))
