# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of a batch's hits that are made when they are first read: none can tell when that was."""

import copy
import pickle
import threading

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes
from ..questions import assert_same_bits, toward

SEED = 35


def mesh_of(kind, engine):
    vertices, triangles = meshes.soup(np.random.default_rng(SEED), 200)
    if kind == "polygons":
        sizes = np.full(len(triangles), 3, dtype=np.int32)
        mesh = sc.PolygonMesh(vertices, triangles.ravel(), sizes, engine=engine)
    else:
        faces = np.arange(len(triangles)) // 2 if kind == "faces" else None
        mesh = sc.Mesh(vertices, triangles, faces, engine=engine)
    mesh.build()
    return mesh


def rays_at(vertices, triangles):
    """Rays from around a mesh and from its vertices, which compiled code may leave to NumPy."""
    print("seed", SEED)
    rng = np.random.default_rng(SEED)
    o, d = toward(rng, vertices, triangles, 300)
    start = vertices[rng.integers(len(vertices), size=100)]
    return np.concatenate([o, start]), np.concatenate([d, rng.normal(size=(100, 3))])


@pytest.fixture(params=["triangles", "faces", "polygons"])
def cast(request, engine):
    """A function that casts the same rays at the same mesh each time."""
    mesh = mesh_of(request.param, engine)
    rays = rays_at(*meshes.soup(np.random.default_rng(SEED), 200))
    return lambda: mesh.cast_rays(*rays)


@pytest.fixture(params=["triangles", "faces", "polygons"])
def both(request, engine):
    """The same rays cast at the same mesh by an engine, and by NumPy, which makes all at once."""
    rays = rays_at(*meshes.soup(np.random.default_rng(SEED), 200))
    return tuple(mesh_of(request.param, each).cast_rays(*rays) for each in (engine, "numpy"))


PARTS = {
    "a slice": lambda hits: hits[10:300:3],
    "a mask": lambda hits: hits[hits.hit],
    "indices": lambda hits: hits.take([399, 3, 3, 50]),
    "another shape": lambda hits: hits.reshape(20, 20)[3:, ::2],
    "a part of a part": lambda hits: hits[5:][::-1].reshape(-1, 5)[:, 1],
    "none": lambda hits: hits[:0],
    "a copy": copy.copy,
    "a deep copy": copy.deepcopy,
    "a pickle": lambda hits: pickle.loads(pickle.dumps(hits)),
    "its structured rows": lambda hits: sc.RayHits.from_structured(hits.as_structured()),
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("first", [(), ("point",), ("face", "normal")], ids=str)
def test_parts_are_the_same_whatever_was_read_before(both, part, first):
    hits, expected = both
    for name in first:
        getattr(hits, name)
    some = part(hits)
    assert_same_bits(some, part(expected))
    assert not any(column.flags.writeable for column in some.as_dict().values())
    assert_same_bits(hits, expected)


def test_rows_are_those_of_the_columns(both):
    hits, expected = both
    assert [hits[row] for row in range(50)] == [expected[row] for row in range(50)]
    assert list(hits) == list(expected)
    assert hits.reshape(20, 20)[3, 4] == expected[64]


def test_all_hits_and_a_closed_border_make_their_columns_too(engine):
    vertices, triangles = meshes.soup(np.random.default_rng(SEED), 200)
    rays = rays_at(vertices, triangles)
    for border in ("open", "closed"):
        one, other = (
            sc.Mesh(vertices, triangles, engine=e, border=border) for e in (engine, "numpy")
        )
        hits, splits = one.cast_rays_all(*rays)
        expected, others = other.cast_rays_all(*rays)
        assert_same_bits(hits, expected)
        assert splits.tolist() == others.tolist()


def test_a_column_is_read_only_and_made_once(cast):
    hits = cast()
    for name in hits.as_dict():
        column = getattr(hits, name)
        assert column is getattr(hits, name)
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    with pytest.raises(AttributeError, match="pointt"):
        hits.pointt  # noqa: B018


def test_threads_that_read_at_once_get_the_same(cast):
    expected = cast()
    names = list(expected.as_dict())
    for _ in range(20):
        hits, read = cast(), []
        start = threading.Barrier(4)

        def look(hits=hits, read=read, start=start):
            start.wait()
            read.append([getattr(hits, name) for name in names])

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(read) == 4
        for columns in read:
            for name, column in zip(names, columns, strict=True):
                np.testing.assert_array_equal(column, getattr(expected, name))


@pytest.mark.parametrize("copied", [True, False])
def test_what_becomes_of_the_mesh_changes_no_hits(engine, copied):
    vertices, triangles = meshes.soup(np.random.default_rng(SEED), 200)
    rays = rays_at(vertices, triangles)
    expected = sc.Mesh(vertices, triangles, engine="numpy").cast_rays(*rays)
    own, corners = vertices.copy(), triangles.astype(np.int32)
    mesh = sc.Mesh(own, corners, engine=engine, copy=copied)
    mesh.build()
    hits = mesh.cast_rays(*rays)
    own *= 3.0
    corners[:] = 0
    mesh.refit(own, copy=copied)
    del mesh
    assert_same_bits(hits, expected)


def test_an_answer_holds_40_bytes_a_ray_until_more_is_read():
    try:
        mesh = mesh_of("faces", "numba")
    except sc.errors.EngineError as error:
        pytest.skip(str(error))
    o, d = rays_at(mesh.vertices, mesh.triangles)
    hits = mesh.cast_rays(np.tile(o, (500, 1)), np.tile(d, (500, 1)))
    owners = {}
    for column in [*vars(hits).values(), hits._unread.weights]:
        if isinstance(column, np.ndarray):
            owner = column if column.base is None else column.base
            owners[id(owner)] = owner.nbytes
    others = sum(
        rows.nbytes + sum(column.nbytes for column in columns.values())
        for rows, columns in hits._unread.others
    )
    assert len(hits) == 200_000
    assert sum(owners.values()) + others <= 40 * len(hits)


def test_rows_are_taken_while_another_thread_reads(cast):
    expected = cast()
    rows = np.arange(len(expected))[::-1]
    for _ in range(20):
        hits, taken = cast(), []
        reader = threading.Thread(target=lambda hits=hits: [*hits.as_dict()])
        reader.start()
        for _ in range(5):
            taken.append(hits.take(rows))
        reader.join()
        for some in taken:
            assert_same_bits(some, expected.take(rows))


def test_the_columns_of_one_ray_are_arrays_without_axes(both):
    one, other = (each.reshape(20, 20)[3:4, 5:6].reshape(()) for each in both)
    for name, column in one.as_dict().items():
        assert type(column) is np.ndarray, name
    assert_same_bits(one, other)


def test_an_array_that_its_owner_makes_writeable_again_is_not_read_later(engine):
    vertices, triangles = meshes.soup(np.random.default_rng(SEED), 200)
    rays = rays_at(vertices, triangles)
    expected = sc.Mesh(vertices, triangles, engine="numpy").cast_rays(*rays)
    own, corners = vertices.copy(), triangles.astype(np.int32)
    for array in (own, corners):
        array.setflags(write=False)
    mesh = sc.Mesh(own, corners, engine=engine, copy=False)
    mesh.build()
    hits = mesh.cast_rays(*rays)
    for array in (own, corners):
        array.setflags(write=True)
    own *= 3.0
    corners[:] = 2**31 - 1
    assert_same_bits(hits, expected)


def test_hits_on_a_sliver_have_one_normal(engine):
    """One ray is solved in float64, the other begins at a corner and is decided by integers."""
    rng, count = np.random.default_rng(SEED), 0
    for _ in range(200):
        a, b = rng.normal(size=(2, 3))
        c = a + rng.uniform(0.2, 0.8) * (b - a) + 2.0 ** rng.uniform(-43, -38) * rng.normal(size=3)
        n = np.cross(b - a, c - a)
        mesh = sc.Mesh([a, b, c], [[0, 1, 2]], engine=engine, border="closed")
        start = (a + b + c) / 3 + n / np.linalg.norm(n)
        found = [mesh.ray_cast(start, -n), mesh.ray_cast(a, -n), mesh.ray_cast(b, n)]
        normals = [hit.normal.tobytes() for hit in found if hit is not None]
        assert len(set(normals)) <= 1
        count += len(normals)
    assert count > 400
