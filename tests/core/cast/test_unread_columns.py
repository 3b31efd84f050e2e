# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of a batch's hits that are made when they are first read: none can tell when that was."""

import copy
import dataclasses
import pickle
import threading

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.cast.hits import _LARGE
from standalone_core.hit import UnreadColumns
from standalone_core.numerics.columns import concatenated

from .. import meshes, oracle
from ..forked import in_child, needs_forks
from ..questions import assert_same_bits, toward

SEED = 35


def mesh_arrays():
    return meshes.soup(np.random.default_rng(SEED), 200)


def numba_only():
    """The name of the compiled engine; the test is skipped without it."""
    try:
        sc.Mesh(*mesh_arrays(), engine="numba")
    except sc.errors.EngineError as error:
        pytest.skip(str(error))
    return "numba"


def mesh_of(kind, engine):
    vertices, triangles = mesh_arrays()
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
    rays = rays_at(*mesh_arrays())
    return lambda: mesh.cast_rays(*rays)


@pytest.fixture(params=["triangles", "faces", "polygons"])
def both(request, engine):
    """The same rays cast at the same mesh by an engine, and by NumPy, which makes all at once."""
    rays = rays_at(*mesh_arrays())
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
    "several together": lambda hits: concatenated([hits[3:], hits, hits[:5]]),
    "other distances": lambda hits: dataclasses.replace(hits, distance=hits.distance * 2),
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


@pytest.mark.parametrize("name", ["a slice", "a mask", "another shape", "a part of a part"])
def test_parts_of_hits_at_origins_are_not_read_at_once(name):
    """Their points are the origins themselves, as weights would not tell these exactly."""
    hits = mesh_of("triangles", numba_only()).cast_rays(*rays_at(*mesh_arrays()))
    assert (hits.distance == 0.0).any()
    some = PARTS[name](hits)
    assert not {"point", "normal", "barycentric", "face", "instance"} & {*vars(some), *vars(hits)}


def test_one_row_of_many_reads_all_where_others_may_follow():
    o, d = (np.tile(each, (20, 1)) for each in rays_at(*mesh_arrays()))
    expected = mesh_of("triangles", "numpy").cast_rays(o, d)
    for row in (7, -1):
        hits = mesh_of("triangles", numba_only()).cast_rays(o, d)
        assert hits[row] == expected[row]
        assert "normal" in vars(hits)


def test_rows_are_those_of_the_columns(both):
    hits, expected = both
    assert [hits[row] for row in range(50)] == [expected[row] for row in range(50)]
    assert list(hits) == list(expected)
    assert hits.reshape(20, 20)[3, 4] == expected[64]


def test_all_hits_and_a_closed_border_make_their_columns_too(engine):
    vertices, triangles = mesh_arrays()
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
    vertices, triangles = mesh_arrays()
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
    mesh = mesh_of("faces", numba_only())
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
    vertices, triangles = mesh_arrays()
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
    """One ray is solved in float64, the others begin at corners and are decided by integers."""
    rng, count = np.random.default_rng(SEED), 0
    for _ in range(60):
        a, b = rng.normal(size=(2, 3))
        c = a + rng.uniform(0.2, 0.8) * (b - a) + 2.0 ** rng.uniform(-50, -38) * rng.normal(size=3)
        n = np.cross(b - a, c - a)
        mesh = sc.Mesh([a, b, c], [[0, 1, 2]], engine=engine, border="closed")
        start = (a + b + c) / 3 + n / np.linalg.norm(n)
        found = [mesh.ray_cast(start, -n), mesh.ray_cast(a, -n), mesh.ray_cast(b, n)]
        found += mesh.cast_rays([start, a, b], [-n, -n, n])
        found += mesh.cast_rays([a, b], [-n, n])
        normals = [hit.normal.tobytes() for hit in found if hit is not None]
        assert len(set(normals)) <= 1
        count += len(normals)
        assert all(hit.normal @ n > 0 for hit in found if hit is not None)
    assert count > 240


@pytest.mark.parametrize("part", [slice(None), slice(0, None, 3)], ids=["all", "a part"])
def test_later_casts_change_no_column_that_is_read_after_them(engine, part):
    """Columns of large batches are in memory that serves later batches."""
    o, d = (np.tile(each, (-(-_LARGE // 400), 1)) for each in rays_at(*mesh_arrays()))
    expected = mesh_of("triangles", "numpy").cast_rays(o[:400], d[:400])
    mesh = mesh_of("triangles", engine)
    hits = mesh.cast_rays(o, d)[part]
    for _ in range(3):
        mesh.cast_rays(-o, d)
    of_rays = expected.take(np.arange(len(o))[part] % 400)
    for name in ("normal", "point", "face"):
        assert np.array_equal(getattr(hits, name), getattr(of_rays, name), equal_nan=True)


def test_invalid_rays_stay_invalid_in_parts(engine):
    o, d = rays_at(*mesh_arrays())
    o[::7], d[::11] = np.nan, 0.0
    hits = mesh_of("triangles", engine).cast_rays(o, d)
    expected = mesh_of("triangles", "numpy").cast_rays(o, d)
    some, others = (each.reshape(20, 20)[3:, ::2] for each in (hits, expected))
    assert some.invalid.tolist() == others.invalid.tolist()
    assert some.reason((4, 0)) == others.reason((4, 0)) == "the ray's origin is not finite"
    assert some == others


@needs_forks
def test_a_forked_child_reads_what_its_parent_has_not_read(cast):
    """So many rows that several threads make a column; a fork leaves these behind."""
    rows = np.arange(20_000) % 400
    hits, expected = cast().take(rows), cast()
    assert expected.point.shape == (400, 3)

    def is_right():
        return hits == expected.take(rows)

    assert in_child(is_right) == ""
    assert is_right()


def unread(**parts):
    """Hits on triangles of which a column is made by what a test gives."""
    weights, triangle = np.full((100, 2), 0.25), np.arange(100)
    made = {"faces_of": None, "vectors_of": None, "others": ()} | parts
    return sc.RayHits._read_later(
        UnreadColumns(weights, **made),
        distance=np.ones(100),
        triangle=triangle,
        front=triangle >= 0,
    )


def test_a_column_that_another_thread_reads_meanwhile_is_the_same_array():
    first = []

    def make(names, triangle, weights):
        if not first:
            first.append(None)
            reader = threading.Thread(target=lambda: first.append(hits.point))
            reader.start()
            reader.join()
        return np.zeros((len(names), len(triangle), 3))

    hits = unread(vectors_of=make)
    assert hits.point is first[1] is hits.point


def test_a_column_whose_making_was_interrupted_is_made_when_read_again():
    calls = []

    def make(names, triangle, weights):
        calls.append(names)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return np.ones((len(names), len(triangle), 3))

    hits = unread(vectors_of=make)
    with pytest.raises(KeyboardInterrupt):
        hits.normal  # noqa: B018
    assert "normal" not in vars(hits)
    assert (hits.normal == 1.0).all()
    assert len(calls) == 2


def test_a_batch_gives_hits_on_slivers_one_normal_each(engine):
    """Rays that begin on an edge from 0 to b, at b / 2, are decided without a rounding."""
    rng, count = np.random.default_rng(SEED), 100
    b = rng.normal(size=(count, 3))
    c = rng.uniform(0.3, 0.8, (count, 1)) * b
    c += 2.0 ** rng.uniform(-51, -38, (count, 1)) * rng.normal(size=(count, 3))
    normals = [oracle.cross(*map(oracle.exact, sides)) for sides in zip(b, c, strict=True)]
    normals = np.array([oracle.approximate(oracle.scaled(n, 2**50)) for n in normals])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    vertices = np.concatenate([np.zeros((1, 3)), b, c])
    triangles = np.stack([np.zeros(count, dtype=int), *np.arange(1, 2 * count + 1).reshape(2, -1)])
    mesh = sc.Mesh(vertices, triangles.T, engine=engine)
    mesh.build()
    o = np.concatenate([(b + c) / 3 + normals, b / 2, b / 2])
    hits, _ = mesh.cast_rays_all(o, np.concatenate([-normals, -normals, normals]))
    assert np.abs(hits.normal - normals[hits.triangle]).max() < 1e-15
    found = {(hit.triangle, hit.normal.tobytes()) for hit in hits}
    assert len(found) == len(set(hits.triangle.tolist())) > 50
    assert (hits.distance == 0.0).sum() > 50 < (hits.distance > 0.0).sum()
