# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks of rays, cast in this process: the answers are those of one cast of all rays."""

import numpy as np
import pytest

import standalone_core as sc

from ..meshes import cube, placement, terrain, torus
from ..peers import peer
from .helpers import RecordingMesh, assert_same_bits, casts, copies, rays_around

DOWN = (0, 0, -1.0)


@pytest.fixture(scope="module")
def mesh():
    return sc.Mesh(*torus(24, 16))


def scene_of(mesh):
    scene = sc.Scene()
    scene.add(mesh, placement(offset=(0.5, 0, 0)))
    scene.add(mesh, placement(2 * np.eye(3)))
    return scene


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
@pytest.mark.parametrize("chunks", [(300, 4, 3), (77, 3, 2), (1, 4, 1), ((0, 5, 295), 2, 3)])
def test_hits_do_not_depend_on_the_chunks(rng, da, mesh, chunks, scheduler):
    origins, directions = rays_around(rng, (300, 4))
    limits = rng.uniform(-0.5, 4, (300, 1))
    hits = sc.distributed.cast_rays(
        mesh,
        da.from_array(origins, chunks=chunks),
        da.from_array(directions, chunks=(50, 4, 3)),
        da.from_array(limits, chunks=(90, 1)),
        min_distance=0.25,
    )
    wanted = mesh.cast_rays(origins, directions, limits, min_distance=0.25)
    assert wanted.invalid.any()
    assert_same_bits(hits.compute(scheduler=scheduler), wanted)


def test_processes_answer_the_same(rng, da, mesh):
    origins, directions = rays_around(rng, (40,))
    hits = sc.distributed.cast_rays(mesh, da.from_array(origins, chunks=(15, 3)), directions)
    computed = hits.compute(scheduler="processes", num_workers=2)
    assert_same_bits(computed, mesh.cast_rays(origins, directions))


@pytest.mark.parametrize(
    "make",
    [
        lambda mesh: mesh,
        scene_of,
        lambda mesh: sc.PolygonMesh(*((lambda v: (v[0], v[1].ravel(), 3))(cube()))),
    ],
    ids=["mesh", "scene", "polygons"],
)
def test_all_that_rays_can_be_cast_at_is_taken(rng, da, mesh, make):
    target = make(mesh)
    origins, directions = rays_around(rng, (200,))
    chunked = da.from_array(origins, chunks=(64, 3))
    hits = sc.distributed.cast_rays(target, chunked, directions, cull="back")
    assert_same_bits(hits.compute(), target.cast_rays(origins, directions, cull="back"))
    for asked, single in (("any", target.any_hit), ("count", target.count_hits)):
        array = sc.distributed.cast_rays(target, chunked, directions, hits=asked)
        found, wanted = array.compute(), single(origins, directions)
        assert array.dtype == found.dtype == wanted.dtype
        assert found.tolist() == wanted.tolist()


def test_arrays_in_memory_rays_of_a_camera_and_a_single_ray_are_taken(rng, da, mesh):
    origins, directions = rays_around(rng, (50,))
    hits = sc.distributed.cast_rays(mesh, origins, directions)
    assert_same_bits(hits.compute(), mesh.cast_rays(origins, directions))
    rays = sc.Camera.look_at((0, -4, 1), (0, 0, 0), 16, 8, fov=0.8).rays()
    assert_same_bits(sc.distributed.cast_rays(mesh, rays).compute(), mesh.cast_rays(rays))
    one = sc.distributed.cast_rays(mesh, (1, 0, 5), DOWN)
    assert_same_bits(one.compute(), mesh.cast_rays((1, 0, 5), DOWN))
    assert one.distance.shape == ()


def test_what_is_left_out_is_left_out_in_every_chunk(rng, da, mesh):
    origins, directions = rays_around(rng, (90,))
    left_out = rng.random(len(mesh.triangles)) < 0.5
    hits = sc.distributed.cast_rays(
        mesh, da.from_array(origins, chunks=(20, 3)), directions, exclude=left_out, only=~left_out
    )
    wanted = mesh.cast_rays(origins, directions, exclude=left_out)
    assert wanted != mesh.cast_rays(origins, directions)
    assert_same_bits(hits.compute(), wanted)


def test_nothing_is_cast_before_compute_and_each_chunk_once(tmp_path, rng, dask, da):
    mesh = RecordingMesh(tmp_path / "casts", *cube())
    origins, directions = rays_around(rng, (60,))
    hits = sc.distributed.cast_rays(mesh, da.from_array(origins, chunks=(15, 3)), directions)
    assert casts(mesh.file) == []
    hits.compute()
    assert len(casts(mesh.file)) == 4
    dask.compute(hits.point, hits.face, (hits.distance < 2).sum(), hits.point[3])
    assert len(casts(mesh.file)) == 8
    hits.triangle[:20].compute()
    assert len(casts(mesh.file)) == 10


def test_a_mesh_is_taken_as_it_is_when_the_casts_are_planned(da):
    mesh = sc.Mesh(*cube())
    origins = copies(da, (0.1, 0.2, 5), 4, 2)
    hits = sc.distributed.cast_rays(mesh, origins, DOWN)
    mesh.refit(mesh.vertices + (0, 0, 1))
    assert hits.distance.compute().tolist() == [4.0] * 4
    again = sc.distributed.cast_rays(mesh, origins, DOWN)
    assert again.distance.compute().tolist() == [3.0] * 4


def test_a_closed_border_is_hit_of_a_mesh_in_memory_and_of_a_file(rng, da, tmp_path):
    vertices, triangles = terrain(rng)
    mesh = sc.Mesh(vertices, triangles)
    mesh.save(tmp_path / "mesh.npz")
    origins = np.column_stack([vertices[:, :2], np.full(len(vertices), 999.0)])
    rays = da.from_array(origins, chunks=(20, 3)), DOWN
    for target in (mesh, tmp_path / "mesh.npz"):
        assert not sc.distributed.cast_rays(target, *rays, hits="any").compute().all()
        hits = sc.distributed.cast_rays(target, *rays, border="closed")
        assert_same_bits(hits.compute(), mesh.cast_rays(origins, DOWN, border="closed"))
        assert hits.hit.compute().all()


def test_what_the_caller_changes_later_does_not_change_a_plan(da):
    mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]] * 2)
    exclude, only = np.array([0]), np.array([True, True])
    origin, direction, limit = np.array([0.2, 0.2, 1]), np.array(DOWN), np.array(5.0)
    plans = [
        sc.distributed.cast_rays(
            *(mesh, origins, direction, limits), exclude=exclude, only=only, columns="triangle"
        ).triangle
        for origins, limits in (
            (origin, limit),
            (origin[None], limit),
            (copies(da, origin, 4, 2), limit),
            (np.tile(origin, (4, 1)), np.full(4, 5.0)),
        )
    ]
    exclude[:], only[:], origin[:], direction[:], limit[()] = 1, False, 9, 1, 0
    for plan in plans:
        assert np.unique(plan.compute()).tolist() == [1]


def test_an_iterator_says_once_what_is_left_out(da):
    mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]] * 2)
    origins = copies(da, (0.2, 0.2, 1), 4, 2)
    hits = sc.distributed.cast_rays(mesh, origins, DOWN, exclude=iter([0]))
    assert hits.triangle.compute().tolist() == [1] * 4


def test_columns_are_those_asked_for(da, mesh):
    origins = copies(da, 5.0, 4, 2)
    hits = sc.distributed.cast_rays(mesh, origins, DOWN, columns=["point", "hit", "point"])
    assert list(hits) == ["point", "hit"]
    assert len(hits) == 2
    assert hits["point"] is hits.point
    with pytest.raises(AttributeError, match=r"'face' was not asked for: there are point, hit"):
        _ = hits.face
    with pytest.raises(AttributeError, match=r"no column is called 'normals'"):
        _ = hits.normals
    assert "point, hit" in repr(hits)


def test_a_chunk_holds_only_the_memory_of_its_columns(da, mesh):
    origins = copies(da, (1, 0, 5.0), 50_000, 50_000)
    hits = sc.distributed.cast_rays(mesh, origins, DOWN, columns="distance")
    column = hits.distance.persist(scheduler="sync").dask
    (block,) = column.values()
    assert (block if block.base is None else block.base).nbytes == 8 * 50_000


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"origins": np.zeros((4, 2))}, sc.errors.ShapeError, "origins"),
        ({"directions": np.zeros((3, 3))}, sc.errors.ShapeError, "do not fit each other"),
        ({"directions": None}, sc.errors.ArgumentError, "rays are origins and directions"),
        ({"max_distance": -1}, sc.errors.ArgumentError, "max_distance"),
        ({"min_distance": np.zeros(5)}, sc.errors.ShapeError, "do not fit each other"),
        ({"max_distance": np.ones((2, 4))}, sc.errors.ShapeError, "must fit rays of"),
        ({"cull": "both"}, sc.errors.ArgumentError, "cull must be"),
        ({"border": "shut"}, sc.errors.ArgumentError, 'border must be "open" or "closed"'),
        ({"border": 3, "mesh": __file__}, sc.errors.ArgumentError, "border must be"),
        ({"exclude": [99]}, sc.errors.IndexRangeError, "99"),
        ({"hits": "all"}, sc.errors.ArgumentError, "hits must be one of 'nearest'"),
        ({"hits": 3}, sc.errors.DtypeError, "hits must be a text"),
        ({"columns": ["uv"]}, sc.errors.ArgumentError, "'uv'"),
        ({"columns": []}, sc.errors.ArgumentError, "not none"),
        ({"columns": 5}, sc.errors.DtypeError, "columns must be a list, not an int"),
        (
            {"mesh": __file__, "exclude": lambda: 0},
            sc.errors.DtypeError,
            "exclude, only, border, columns cannot be sent to workers",
        ),
        ({"threads": 0}, sc.errors.ArgumentError, "threads must be 1 or more"),
        ({"mesh": 3}, sc.errors.DtypeError, "mesh must be a mesh, a scene or the path"),
        ({"mesh": "no/such/file.npz"}, sc.errors.MeshFileError, "no/such/file.npz"),
    ],
)
def test_bad_arguments_are_refused_when_casts_are_planned(da, change, error, message):
    given = {"mesh": sc.Mesh(*cube()), "origins": np.zeros((4, 3)), "directions": DOWN}
    if isinstance(change.get("origins"), np.ndarray):
        change = {"origins": da.from_array(change["origins"], chunks=2)}
    with pytest.raises(error, match=message):
        sc.distributed.cast_rays(**{**given, **change})


def test_arrays_that_hold_no_numbers_are_refused(da, mesh):
    texts = da.from_array(np.full((4, 3), "x"), chunks=2)
    with pytest.raises(sc.errors.DtypeError, match="origins must be real numbers"):
        sc.distributed.cast_rays(mesh, texts, DOWN)


def test_a_chunk_that_is_not_what_its_array_says_is_an_error_that_says_so(dask, da, mesh):
    lie = da.from_delayed(dask.delayed(np.zeros)((4, 2)), shape=(4, 3), dtype=float)
    hits = sc.distributed.cast_rays(mesh, da.concatenate([np.zeros((4, 3)), lie]), DOWN)
    with pytest.raises(sc.errors.ShapeError, match=r"origins.*\(4, 2\)"):
        hits.compute()
    assert hits.distance[:4].compute().shape == (4,)


@pytest.fixture
def lying(da):
    """Return a function that makes arrays, the middle one of whose three chunks has other rows."""

    def make(declared, found, inner=()):
        def chunk(block_id):
            return np.ones(((4, found, 4)[block_id[0]], *inner))

        chunks = ((4, declared, 4), *((size,) for size in inner))
        return da.map_blocks(chunk, chunks=chunks, dtype=float, meta=np.ones((0, *inner)))

    return make


@pytest.mark.parametrize(("declared", "found"), [(4, 3), (4, 5), (4, 0), (4, 1), (0, 1), (0, 4)])
@pytest.mark.parametrize("name", ["origins", "directions", "max_distance", "min_distance"])
def test_a_chunk_with_other_rows_than_its_array_declares_is_an_error_that_names_it(
    da, mesh, lying, name, declared, found
):
    rows = 8 + declared
    inner = () if name.endswith("distance") else (3,)
    cuts = (4, declared, 4)
    given = {"origins": da.ones((rows, 3), chunks=(cuts, 3)), "directions": DOWN}
    given[name] = lying(declared, found, inner)
    place = "(1, 0)" if inner else "(1,)"
    said = f"{name}.*chunk {place} has shape {(found, *inner)}, not {(declared, *inner)}"
    plans = [
        sc.distributed.cast_rays(mesh, **given).face,
        sc.distributed.cast_rays(mesh, **given, hits="any"),
        sc.distributed.cast_rays(mesh, **given, hits="count"),
        sc.distributed.cast_rays_all(mesh, **given),
    ]
    for plan in plans:
        with pytest.raises(sc.errors.ShapeError, match=_escaped(said)):
            plan.compute(scheduler="sync")
    assert plans[0][:4].compute(scheduler="sync").shape == (4,)  # which asks for no such chunk


@pytest.mark.parametrize("found", [(), (4,), (1, 4, 3)])
def test_a_chunk_with_other_axes_than_its_array_declares_is_an_error(dask, da, mesh, found):
    lie = da.from_delayed(dask.delayed(np.ones)(found), shape=(4, 3), dtype=float)
    said = _escaped(f"origins: chunk (0, 0) has shape {found}, not (4, 3) as declared")
    with pytest.raises(sc.errors.ShapeError, match=said):
        sc.distributed.cast_rays(mesh, lie, DOWN, hits="any").compute(scheduler="sync")


@pytest.mark.parametrize("rows", [1, 3, 5])
@pytest.mark.parametrize("name", ["directions", "max_distance", "min_distance"])
def test_chunks_of_rows_whose_number_is_not_known_must_have_as_many(dask, da, mesh, name, rows):
    def unknown(rows, *inner):
        made = dask.delayed(np.ones)((rows, *inner))
        return da.from_delayed(made, shape=(np.nan, *inner), dtype=float)

    inner = (3,) if name == "directions" else ()
    given = {"origins": unknown(4, 3), "directions": DOWN}
    for count in (4, rows):
        given[name] = unknown(count, *inner)
        plan = sc.distributed.cast_rays(mesh, **given, hits="any")
        if count == 4:
            assert plan.compute(scheduler="sync").shape == (4,)
            continue
        with pytest.raises(sc.errors.ShapeError, match=f"4 rows of origins, but {rows} of {name}"):
            plan.compute(scheduler="sync")


def _escaped(said):
    return said.replace("(", r"\(").replace(")", r"\)")


def test_an_empty_chunk_that_is_declared_as_such_is_cast(mesh, lying):
    hits = sc.distributed.cast_rays(mesh, lying(0, 0, (3,)), DOWN)
    assert hits.hit.compute(scheduler="sync").shape == (8,)


def test_no_rays_with_a_single_row_of_directions_are_no_hits(da, mesh):
    hits = sc.distributed.cast_rays(mesh, da.zeros((0, 3)), da.ones((1, 3)))
    assert hits.hit.compute(scheduler="sync").shape == (0,)


def test_rows_whose_number_is_not_known_are_cast(rng, da, mesh):
    origins, directions = rays_around(rng, (80,))
    far = np.linalg.norm(origins, axis=1) > 3
    chunked = da.from_array(np.concatenate([origins, directions], axis=1), chunks=(30, 6))
    kept = chunked[da.from_array(far, chunks=30)]
    hits = sc.distributed.cast_rays(mesh, kept[:, :3], kept[:, 3:])
    assert_same_bits(hits.compute(), mesh.cast_rays(origins[far], directions[far]))
    with pytest.raises(sc.errors.ShapeError, match="compute_chunk_sizes"):
        sc.distributed.cast_rays_all(mesh, kept[:, :3], kept[:, 3:])


def test_rows_whose_number_is_not_known_fit_single_rows_and_axes_that_are_known(rng, da, mesh):
    origins, directions = rays_around(rng, (40, 4))
    kept = rng.random(40) < 0.5
    some = da.from_array(origins, chunks=(15, 2, 3))[da.from_array(kept, chunks=15)]
    for axes in ((40, 1), (1, 4), (1, 1), (4,)):
        rows = directions[tuple(slice(size) for size in axes)] if axes != (4,) else directions[0]
        given = da.from_array(rows, chunks=(15, 3, 3)[-rows.ndim :])
        if axes == (40, 1):
            given, rows = given[da.from_array(kept, chunks=15)], rows[kept]
        hits = sc.distributed.cast_rays(mesh, some, given)
        assert_same_bits(hits.compute(), mesh.cast_rays(origins[kept], rows))


@pytest.mark.parametrize(
    ("limits", "chunks"),
    [((12, 1), (5, 1)), ((30, 4), (10, 4)), ((7,), 7), ((6, 1, 1), 1), ((3, 1, 5), 1)],
)
def test_rows_whose_number_is_not_known_fit_no_others_that_are_known(da, mesh, limits, chunks):
    some = da.ones((30, 4, 3), chunks=(10, 4, 3))
    some = some[da.ones(30, chunks=10) > 0]
    with pytest.raises(sc.errors.ShapeError):
        sc.distributed.cast_rays(
            mesh, some, DOWN, da.ones(limits, chunks=chunks)
        ).distance.compute()


def test_rows_whose_number_is_not_known_must_be_cut_alike(da, mesh):
    first, second = (
        da.ones((30, 3), chunks=(rows, 3))[da.ones(30, chunks=rows) > 0] for rows in (10, 15)
    )
    with pytest.raises(sc.errors.ShapeError, match="cut differently: call compute_chunk_sizes"):
        sc.distributed.cast_rays(mesh, first, second)


MESH = sc.Mesh(*torus(24, 16))


def wanted_rows(mesh, origins, directions, **options):
    """Rows (N, 9) of ray, triangle, front, distance, point and two weights."""
    hits, splits = mesh.cast_rays_all(origins, directions, **options)
    rays = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
    columns = (rays, hits.triangle, hits.front, hits.distance, hits.point, hits.barycentric[:, :2])
    return np.column_stack(columns)


COLUMNS = [
    *("ray", "triangle", "front", "distance", "point_x", "point_y", "point_z"),
    *("barycentric_a", "barycentric_b"),
]


def rows_of(frame):
    ordered = frame.sort_values("ray", kind="stable")  # of a ray the nearest stays first
    return ordered[COLUMNS].to_numpy(dtype=float)


@pytest.mark.parametrize("most", [None, 1, 2])
@pytest.mark.parametrize("chunks", [(300, 2, 3), (77, 1, 3), (1, 2, 3)])
def test_rows_are_all_hits_with_the_number_of_their_ray(rng, da, chunks, most):
    origins, directions = rays_around(rng, (90, 2))
    chunked = da.from_array(origins, chunks=chunks)
    frame = sc.distributed.cast_rays_all(MESH, chunked, directions, max_hits=most)
    wanted = wanted_rows(MESH, origins, directions, max_hits=most)
    assert len(wanted) > 50
    assert (rows_of(frame.compute()) == wanted).all()
    assert "invalid" not in frame.columns


def test_rows_go_to_parquet_and_come_back(tmp_path, rng, da):
    peer("pyarrow")
    frames = peer("dask.dataframe")
    origins, directions = rays_around(rng, (200,))
    chunked = da.from_array(origins, chunks=(64, 3))
    sc.distributed.cast_rays_all(MESH, chunked, directions).to_parquet(tmp_path / "hits")
    assert len(list((tmp_path / "hits").glob("*.parquet"))) == 4
    again = frames.read_parquet(tmp_path / "hits").compute()
    assert again["ray"].is_monotonic_increasing
    assert (rows_of(again) == wanted_rows(MESH, origins, directions)).all()


def test_rays_that_hit_nothing_make_no_rows_of_the_same_kind(da):
    origins = da.full((4, 3), 9.0, chunks=(2, 3))
    frame = sc.distributed.cast_rays_all(MESH, origins, (0, 0, 1), columns=["face", "front"])
    computed = frame.compute()
    assert list(computed.columns) == list(frame.columns) == ["ray", "face", "front"]
    assert computed.dtypes.tolist() == frame.dtypes.tolist()
    assert len(computed) == 0


def test_a_single_ray_is_ray_0(da):
    frame = sc.distributed.cast_rays_all(MESH, (1, 0, 5.0), (0, 0, -1))
    assert frame.compute()["ray"].tolist() == [0, 0]


def test_so_many_hits_must_be_a_number_from_1(dask):
    with pytest.raises(sc.errors.ArgumentError, match="max_hits"):
        sc.distributed.cast_rays_all(MESH, np.zeros((2, 3)), (0, 0, 1), max_hits=0)
