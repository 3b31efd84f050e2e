# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables in files of each format, and those of rays."""

import csv
import io
import json

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.tables import read_meta, read_rays, read_table, write_table

from ..peers import peer
from .examples import NAMES, picture, same

META = {"camera": "Caméra", "frame": 7, "size": [11, 7], "lens": 0.1}
EXTRA = {"splits": np.arange(5), "matrix": np.eye(4), "words": np.array(["Würfel", "", "立方"])}


@pytest.fixture(params=[".npz", ".csv", ".parquet"])
def ending(request):
    if request.param == ".parquet":
        peer("pyarrow")
    return request.param


@pytest.fixture
def columns(rng):
    return picture(rng)


def test_what_was_written_comes_back(tmp_path, columns, ending):
    path = tmp_path / f"hits{ending}"
    write_table(path, columns, names=NAMES, extra=EXTRA, meta=META)
    table = read_table(path)
    assert list(table.columns) == list(columns)
    for name, array in columns.items():
        found = table.columns[name]
        if ending == ".csv":
            array = array.reshape(77, *array.shape[2:])
            assert found.dtype.kind == array.dtype.kind
            found = found.astype(array.dtype)
        assert found.dtype == array.dtype
        assert same(found, array), name
    if ending != ".csv":
        assert table.names == NAMES
        assert table.meta == read_meta(path) == META
    else:
        assert table.names == {"object": NAMES["object"][: columns["object"].max() + 1]}
        assert table.meta == read_meta(path) == {}
    assert {n: a.tolist() for n, a in table.extra.items()} == (
        {n: a.tolist() for n, a in EXTRA.items()} if ending == ".npz" else {}
    )


def test_answers_are_written_as_they_are(tmp_path, ending):
    mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    hits = mesh.cast_rays([[0.25, 0.25, 1], [9, 9, 1]], [0, 0, -1])
    write_table(tmp_path / f"a{ending}", hits)
    write_table(tmp_path / f"b{ending}", hits.as_dict())
    assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()


def test_the_same_table_is_the_same_bytes(tmp_path, columns, ending):
    for name in ("one", "other"):
        write_table(tmp_path / f"{name}{ending}", columns, names=NAMES, meta=META)
    assert (tmp_path / f"one{ending}").read_bytes() == (tmp_path / f"other{ending}").read_bytes()


def test_tables_of_no_rows_come_back(tmp_path, rng, ending):
    columns = picture(rng, (0,))
    write_table(tmp_path / f"none{ending}", columns, names=NAMES)
    table = read_table(tmp_path / f"none{ending}")
    assert list(table.columns) == list(columns)
    assert all(len(array) == 0 for array in table.columns.values())


def test_numpy_reads_an_archive_as_it_is(tmp_path, columns):
    write_table(tmp_path / "a.npz", columns, names=NAMES, extra=EXTRA, meta=META)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        for name, array in {**columns, **EXTRA}.items():
            assert same(archive[name], array)
            assert archive[name].dtype == array.dtype
        assert tuple(archive["object_names"].tolist()) == NAMES["object"]
        assert META.items() <= json.loads(archive["meta"].item()).items()


def test_what_repeats_is_compressed_and_noise_is_not(tmp_path, rng):
    write_table(tmp_path / "ids.npz", {"face": np.repeat(rng.integers(0, 99, 100), 1000)})
    write_table(tmp_path / "noise.npz", {"u": rng.random(100_000)})
    assert (tmp_path / "ids.npz").stat().st_size < 100_000 * 8 / 50
    assert 800_000 < (tmp_path / "noise.npz").stat().st_size < 801_500


def test_another_archive_of_numpy_is_columns(tmp_path, rng):
    for save in (np.savez, np.savez_compressed):
        fortran = np.asfortranarray(rng.random((5, 3)))
        save(tmp_path / "a.npz", a=fortran, b=np.arange(5, dtype=">i2"), c=np.array(["x", "yz"]))
        table = read_table(tmp_path / "a.npz")
        assert same(table.columns["a"], fortran)
        assert table.columns["b"].tolist() == [0, 1, 2, 3, 4]
        assert table.columns["c"].tolist() == ["x", "yz"]


@pytest.mark.parametrize(
    "texts",
    [
        ("", "", "Cube"),
        ("Cube", "Cube", "Cube"),
        ("7", "8", "1_0"),
        ("true", "false", ""),
        ("a\rb", "\n", '"'),
        (" ", "nan", "-1"),
    ],
)
def test_ids_come_back_whatever_their_names_are(tmp_path, ending, texts):
    """Names alone would tell apart neither two of one name, nor an empty one from a miss."""
    for ids in (np.array([0, 1, 2, -1, 0]), np.array([0, 2, 1], np.uint8)):
        write_table(tmp_path / f"a{ending}", {"instance": ids}, names={"instance": texts})
        table = read_table(tmp_path / f"a{ending}")
        assert list(table.columns) == ["instance"]
        assert table.columns["instance"].tolist() == ids.tolist()
        assert table.names == {"instance": texts}
        if ending != ".csv":
            assert table.columns["instance"].dtype == ids.dtype


def test_names_of_no_row_stay_but_in_a_csv(tmp_path, ending):
    write_table(tmp_path / f"a{ending}", {"id": [2, -1]}, names={"id": ["a", "b", "c", "d"]})
    names = read_table(tmp_path / f"a{ending}").names["id"]
    assert names == (("", "", "c") if ending == ".csv" else ("a", "b", "c", "d"))


@pytest.mark.parametrize(
    ("text", "columns", "names"),
    [
        ("id,id_name\n5,a\n5,b\n", {"id": [5, 5], "id_name": [0, 1]}, {"id_name": ("a", "b")}),
        ("id,id_name\n-1,a\n", {"id": [-1], "id_name": [0]}, {"id_name": ("a",)}),
        ("id,id_name\n-2,\n", {"id": [-2], "id_name": [-1]}, {"id_name": ()}),
        ("id,id_name\n5,7\n5,8\n", {"id": [5, 5], "id_name": [7, 8]}, {}),
        ("id,id_name\n.5,a\n", {"id": [0.5], "id_name": [0]}, {"id_name": ("a",)}),
        (f"id,id_name\n{10**12},a\n", {"id": [10**12], "id_name": [0]}, {"id_name": ("a",)}),
    ],
)
def test_a_column_that_names_no_ids_stays_beside_them(tmp_path, text, columns, names):
    (tmp_path / "a.csv").write_text(text)
    table = read_table(tmp_path / "a.csv")
    assert {name: array.tolist() for name, array in table.columns.items()} == columns
    assert table.names == names


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("p_x,p_y,p_z,p\n1,2,3,9\n", {"p_x": [1], "p_y": [2], "p_z": [3], "p": [9]}),
        ("p,p_x,p_y\n9,1,2\n", {"p": [9], "p_x": [1], "p_y": [2]}),
        ("n_x,n_y\nfoo,bar\n", {"n_x": [0], "n_y": [0]}),
        ("obj_0\nfoo\n", {"obj_0": [0]}),
        ("p_x,p_y\n9007199254740993,0.5\n", {"p_x": [9007199254740993], "p_y": [0.5]}),
        ("a_0,a_1\ntrue,1\n", {"a_0": [True], "a_1": [1]}),
        ("p_x,p_y,q_0\n1,2,3\n", {"p": [[1, 2]], "q": [[3]]}),
    ],
)
def test_parts_become_a_vector_only_where_nothing_is_lost(tmp_path, text, columns):
    (tmp_path / "a.csv").write_text(text)
    table = read_table(tmp_path / "a.csv")
    assert {name: array.tolist() for name, array in table.columns.items()} == columns


def test_an_underscore_is_no_part_of_a_number(tmp_path):
    (tmp_path / "a.csv").write_text("id,label,share\n1,1_1,0_1.5\n2,2_1,2\n")
    assert read_table(tmp_path / "a.csv").names == {
        "label": ("1_1", "2_1"),
        "share": ("0_1.5", "2"),
    }


def test_texts_keep_their_own_names_beside_a_column_of_names(tmp_path):
    (tmp_path / "a.csv").write_text("a,a_name\nleft,L\nright,R\n")
    table = read_table(tmp_path / "a.csv")
    assert table.names == {"a": ("left", "right"), "a_name": ("L", "R")}
    assert [each.tolist() for each in table.columns.values()] == [[0, 1], [0, 1]]


@pytest.mark.parametrize(
    ("columns", "names"),
    [({"a": [0], "a_name": [0]}, {"a": ["x"]}), ({"p_x": [0], "p": [[0.5, 1, 2]]}, {})],
)
def test_two_columns_of_one_name_are_refused(tmp_path, ending, columns, names):
    if ending == ".npz":
        return
    with pytest.raises(errors.ArgumentError, match="two columns of the table would be named"):
        write_table(tmp_path / f"a{ending}", columns, names=names)
    assert list(tmp_path.iterdir()) == []


def test_a_column_that_would_have_nothing_in_a_row_is_refused(tmp_path, ending):
    if ending == ".npz":
        return
    with pytest.raises(errors.ArgumentError, match="nothing in a row"):
        write_table(tmp_path / f"a{ending}", {"a": [1, 2], "b": np.empty((2, 0))})


@pytest.mark.parametrize("many", [{"columns": 5000}, {"meta": (1 << 24) - 40}])
def test_an_archive_that_could_not_be_read_is_not_written(tmp_path, many):
    columns = {f"column {each}": [each] for each in range(many.get("columns", 1))}
    with pytest.raises(errors.ArgumentError, match=r"up to 4096 arrays|too long"):
        write_table(tmp_path / "a.npz", columns, meta={"text": "x" * many.get("meta", 1)})
    assert list(tmp_path.iterdir()) == []


def test_python_reads_a_csv(tmp_path, columns):
    write_table(tmp_path / "a.csv", columns, names=NAMES)
    header, *rows = csv.reader(io.StringIO((tmp_path / "a.csv").read_text("utf-8"), newline=""))
    assert header[:6] == [
        *("object", "object_name", "face", "barycentric_a", "barycentric_b", "barycentric_c")
    ]
    ids = [int(row[0]) for row in rows]
    assert ids == columns["object"].ravel().tolist()
    assert [row[1] for row in rows] == ["" if i < 0 else NAMES["object"][i] for i in ids]
    assert {"uv_y", "vertices_2", "attribute:Color_3", "attribute:Tangent_z"} <= set(header)
    point = [float(row[header.index("point_z")]) for row in rows]
    assert point == columns["point"][..., 2].ravel().tolist()
    half = [float(row[header.index("attribute:Half")]) for row in rows]
    assert np.array(half, np.float16).tolist() == columns["attribute:Half"].ravel().tolist()
    assert {row[header.index("front")] for row in rows} == {"true", "false"}


def test_a_csv_of_a_spreadsheet_is_read(tmp_path):
    (tmp_path / "a.csv").write_bytes(
        b"\xef\xbb\xbfname,n,x_x,x_y,empty,big\r\n"
        b'"a, b",1,0.5,2,,18446744073709551615\r\nc,-2,nan,-inf,,1\r\n'
    )
    table = read_table(tmp_path / "a.csv")
    assert table.names["name"] == ("a, b", "c")
    assert table.columns["n"].tolist() == [1, -2]
    assert same(table.columns["x"], np.array([[0.5, 2], [np.nan, -np.inf]]))
    assert table.columns["empty"].tolist() == [-1, -1]
    assert table.columns["big"].dtype == np.uint64


@pytest.mark.parametrize("name", ["#x", "a;b;c", "a|b", "a b", "sep=;", "1"])
def test_no_name_of_a_column_is_taken_for_layout(tmp_path, name):
    for columns in ({name: [1, 2]}, {name: [1, 2], "b": [0.5, 1]}):
        write_table(tmp_path / "a.csv", columns)
        found = read_table(tmp_path / "a.csv").columns
        assert {each: array.tolist() for each, array in found.items()} == columns
        with (tmp_path / "a.csv").open(newline="") as file:
            assert next(csv.reader(file)) == list(columns)


def test_what_is_not_finite_is_written_as_all_readers_take_numbers(tmp_path):
    """Polars reads a column as floats only if missing numbers are "NaN" and "inf"."""
    for dtype in (np.float64, np.float32, np.float16):
        column = np.array([np.nan, np.inf, -np.inf, 0.5], dtype)
        write_table(tmp_path / "a.csv", {"a": column, "b": column[:1].repeat(4)})
        text = (tmp_path / "a.csv").read_text()
        assert text == "a,b\nNaN,NaN\ninf,NaN\n-inf,NaN\n0.5,NaN\n"
        assert same(read_table(tmp_path / "a.csv").columns["a"].astype(dtype), column)


def test_pandas_reads_what_is_not_finite_as_numbers(tmp_path):
    column = np.array([np.nan, np.inf, -np.inf, 0.5])
    write_table(tmp_path / "a.csv", {"a": column, "b": column[:1].repeat(4)})
    found = peer("pandas").read_csv(tmp_path / "a.csv")
    assert same(found["a"].to_numpy(), column)
    assert same(found["b"].to_numpy(), np.full(4, np.nan))


def test_pyarrow_reads_a_parquet_file(tmp_path, columns):
    parquet = peer("pyarrow.parquet")
    write_table(tmp_path / "a.parquet", columns, names=NAMES, meta=META)
    table = parquet.read_table(tmp_path / "a.parquet")
    ids = columns["object"].ravel().tolist()
    assert table["object"].to_pylist() == ids
    assert table["object_name"].to_pylist() == [None if i < 0 else NAMES["object"][i] for i in ids]
    assert table["point_y"].to_pylist() == columns["point"][..., 1].ravel().tolist()
    assert table["large"].to_pylist() == columns["large"].ravel().tolist()


def test_a_parquet_file_of_others_is_read(tmp_path):
    arrow, parquet = peer("pyarrow"), peer("pyarrow.parquet")
    made = arrow.table({"p_x": [1.0, 2], "p_y": [3.0, None], "name": ["a", None], "n": [5, 6]})
    parquet.write_table(made, tmp_path / "a.parquet", row_group_size=1)
    table = read_table(tmp_path / "a.parquet")
    assert same(table.columns["p"], np.array([[1, 3], [2, np.nan]]))
    assert table.columns["name"].tolist() == [0, -1]
    assert table.names == {"name": ("a",)}
    assert read_meta(tmp_path / "a.parquet") == {}


def test_without_pyarrow_the_error_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(errors.MissingPackageError, match="pip install pyarrow"):
        write_table(tmp_path / "a.parquet", {"a": [1]})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("columns", "rest", "text"),
    [
        ({}, {}, "needs a column"),
        ({"a": [1, 2], "b": [1]}, {}, r"a \(2,\), b \(1,\)"),
        ({"a": 1}, {}, "share their first axes"),
        ({"a": ["x"]}, {}, "'a' must be numbers"),
        ({"a": [object()]}, {}, "'a' must be numbers"),
        ({"": [1]}, {}, "no name of a column"),
        ({"a": [0.5]}, {"names": {"a": ["x"]}}, "column of ids"),
        ({"a": [1]}, {"names": {"b": ["x"]}}, "'b' need a column"),
        ({"a": [1]}, {"names": {"a": ["x"]}}, "beyond its 1 names"),
        ({"a": [-2]}, {"names": {"a": ["x"]}}, "beyond its 1 names"),
        ({"a": [1]}, {"names": {"a": 5}}, "names of 'a' must be a list"),
        ({"a": [[1], [1, 2]]}, {}, "column 'a' is not a regular array"),
        ([1, 2], {}, "columns must be a mapping"),
        ({"a": [1]}, {"names": [1]}, "names must be a mapping"),
        ({"a": [1]}, {"extra": [1]}, "extra must be a mapping"),
        ({"a": [1]}, {"meta": [1]}, "meta must be a mapping"),
        ({"a": [1]}, {"meta": {"raypick_table": 1}}, "no 'raypick_table'"),
        ({"a": [1]}, {"meta": {"x": object()}}, "what JSON has"),
        ({"a": [1]}, {"meta": {"x": float("nan")}}, "what JSON has"),
        ({"meta": [1]}, {}, "names of their own"),
        ({"a": [0], "a_names": [0]}, {"names": {"a": ["x"]}}, "names of their own"),
    ],
)
def test_what_is_no_table_is_told_and_nothing_is_written(tmp_path, columns, rest, text):
    with pytest.raises(errors.ArgumentError, match=text):
        write_table(tmp_path / "a.npz", columns, **rest)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.txt", "a", "a.npz.gz"])
def test_an_unknown_ending_is_told(tmp_path, name):
    for call in (lambda p: write_table(p, {"a": [1]}), read_table, read_meta):
        with pytest.raises(errors.ArgumentError, match=r"\.npz, \.csv, \.parquet"):
            call(tmp_path / name)


def test_names_that_are_no_text_of_utf_8_are_spelled_out(tmp_path, ending):
    write_table(tmp_path / f"a{ending}", {"object": [0]}, names={"object": ["a\udcff\0"]})
    assert read_table(tmp_path / f"a{ending}").names == {"object": ("a\\udcff\\x00",)}


@pytest.mark.parametrize("rows", [2, 3, 4])
@pytest.mark.parametrize("name", ["direction", "uv", "vertices"])
def test_single_numbers_may_have_the_name_of_a_vector(tmp_path, ending, name, rows):
    for columns in ({name: np.arange(rows)}, {name: np.arange(rows), "face": np.arange(rows)}):
        if len(columns) == 1 and rows == (2 if name == "uv" else 3):
            continue  # which is one vector
        write_table(tmp_path / f"a{ending}", columns)
        found = read_table(tmp_path / f"a{ending}").columns
        assert {n: a.tolist() for n, a in found.items()} == {n: [*range(rows)] for n in columns}


def test_columns_of_points_alone_have_a_row_for_each_point(tmp_path):
    write_table(tmp_path / "a.csv", {"point": np.eye(3), "normal": np.eye(3)})
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 4


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
