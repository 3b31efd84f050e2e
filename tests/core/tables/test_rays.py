# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core import errors
from standalone_core.tables import read_rays, write_table

from ..peers import peer


@pytest.fixture
def rays(rng):
    return rng.normal(size=(6, 5, 3)), rng.normal(size=(6, 5, 3)), rng.random((6, 5))


def test_archives_have_rays_of_any_shape(tmp_path, rays):
    origins, directions, limit = rays
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", origins=origins, directions=directions, max_distance=limit)
        found = read_rays(tmp_path / "a.npz")
        assert found.shape == (6, 5)
        assert found.origins.tolist() == origins.tolist()
        assert found.directions.tolist() == directions.tolist()
        assert found.max_distance.tolist() == limit.tolist()
        assert found.min_distance is None


def test_what_else_an_archive_has_is_not_looked_at(tmp_path, rays):
    other = np.array([None, "x"], dtype=object)
    np.savez(tmp_path / "a.npz", origins=rays[0], directions=rays[1], other=other)
    assert read_rays(tmp_path / "a.npz").shape == (6, 5)


def test_one_direction_and_one_limit_may_be_for_all(tmp_path, rays):
    np.savez(tmp_path / "a.npz", origins=rays[0], directions=[0, 0, 1], min_distance=2)
    found = read_rays(tmp_path / "a.npz")
    assert found.directions.shape == (6, 5, 3)
    assert (found.directions == [0, 0, 1]).all()
    assert (found.min_distance == np.full((6, 5), 2.0)).all()


@pytest.mark.parametrize("kind", [">f4", "<f8", "<i8", "<f2"])
def test_an_array_of_six_numbers_is_rays(tmp_path, rng, kind):
    table = rng.integers(-9, 9, (4, 2, 6)).astype(kind)
    for array in (table, np.asfortranarray(table)):
        np.save(tmp_path / "a.npy", array)
        found = read_rays(tmp_path / "a.npy")
        assert found.origins.tolist() == table[..., :3].tolist()
        assert found.directions.tolist() == table[..., 3:].tolist()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_tables_of_columns_are_rays(tmp_path, rays, ending):
    if ending == ".parquet":
        peer("pyarrow")
    origins, directions, limit = rays
    for s in ("", "s"):
        given = {f"origin{s}": origins, f"direction{s}": directions}
        write_table(tmp_path / f"a{ending}", {"pixel": limit, **given, "max_distance": limit})
        found = read_rays(tmp_path / f"a{ending}")
        assert found.origins.tolist() == origins.reshape(-1, 3).tolist()
        assert found.directions.tolist() == directions.reshape(-1, 3).tolist()
        assert found.max_distance.tolist() == limit.ravel().tolist()


def test_short_names_in_any_order_are_read(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"dz,ox,oy,oz,dx,dy\r\n6,1,2,3,4,5e-1\r\n-inf,nan,0,0,0,0")
    found = read_rays(tmp_path / "a.csv")
    assert found.origins[0].tolist() == [1, 2, 3]
    assert found.directions.tolist() == [[4, 0.5, 6], [0, 0, -np.inf]]


def test_rays_after_an_empty_line_are_not_lost(tmp_path):
    (tmp_path / "a.csv").write_text("ox,oy,oz,dx,dy,dz\n\n \n1,2,3,0,0,-1\n\n4,5,6,0,0,-1\n\n")
    assert read_rays(tmp_path / "a.csv").origins.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_texts_of_a_parquet_file_are_no_coordinates(tmp_path):
    arrow, parquet = peer("pyarrow"), peer("pyarrow.parquet")
    columns = {f"{kind}{axis}": ["1.5", "2.5"] for kind in "od" for axis in "xyz"}
    parquet.write_table(arrow.table(columns), tmp_path / "a.parquet")
    with pytest.raises(errors.TableFileError, match="'ox' holds texts"):
        read_rays(tmp_path / "a.parquet")


def test_a_file_of_no_rays_has_none(tmp_path):
    (tmp_path / "a.csv").write_text("ox,oy,oz,dx,dy,dz\n")
    np.save(tmp_path / "a.npy", np.empty((0, 6)))
    for name in ("a.csv", "a.npy"):
        assert read_rays(tmp_path / name).shape == (0,)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "no header"),
        (b"ox,oy,oz,dx,dy\n1,2,3,4,5\n", "no column direction_z"),
        (b"ox,oy,oz,dx,dy,dz\n\n1,2,3,4,5,6\n1,2,3,4,5,six\n", "line 4: dz is no number: 'six'"),
        (b"ox,oy,oz,dx,dy,dz\n1,2,3,4,5,1_1\n", "line 2: dz is no number: '1_1'"),
        (b"ox,oy,oz,dx,dy,dz\n1,2,3,4,5,true\n", "line 2: dz is no number: 'true'"),
        (b"ox,oy,oz,dx,dy,dz\n1,2,3,4,5\n", "line 2 has 5 fields, not 6"),
        (b"ox,oy,oz,dx,dy,dz\n1,2,3,4,5,6\n1,2\n", "line 3 has 2 fields, not 6"),
        (b"ox,oy,oz,dx,dy,dz\n1,2,3,4,5,\xff\n", "line 2: dz is no number"),
        (b"ox,ox,oz,dx,dy,dz\n1,2,3,4,5,6\n", "two columns may be origin_x"),
        (b"1,2,3,4,5,6\n1,2,3,4,5,6\n", "no header: its first line holds numbers"),
    ],
)
def test_what_is_no_table_of_rays_is_told(tmp_path, content, text):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(errors.TableFileError, match=text):
        read_rays(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        ({"origins": np.eye(3)}, "no directions"),
        ({"origins": np.eye(3), "directions": np.eye(4)}, "must have shape"),
        ({"origins": np.eye(3), "directions": np.zeros((2, 3))}, "do not fit"),
        ({"origins": np.array(["a"]), "directions": np.eye(3)}, "no rays"),
        ({"origins": np.eye(3), "directions": np.eye(3), "max_distance": np.ones(2)}, "has shape"),
        ({"origins": np.array([None]), "directions": np.eye(3)}, "numbers or texts"),
    ],
)
def test_an_archive_without_rays_is_told(tmp_path, arrays, text):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(errors.TableFileError, match=text):
        read_rays(tmp_path / "a.npz")


def test_other_things_are_told(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((4, 5)))
    with pytest.raises(errors.TableFileError, match=r"\(\.\.\., 6\)"):
        read_rays(tmp_path / "a.npy")
    with pytest.raises(errors.ArgumentError, match=r"not '\.txt'"):
        read_rays(tmp_path / "a.txt")
    with pytest.raises(FileNotFoundError):
        read_rays(tmp_path / "b.npz")
