# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays in text, as pandas, NumPy, R and Excel write them; what may be meant otherwise is told."""

import csv
import io

import numpy as np
import pytest

from standalone_core import errors
from standalone_core.tables import read_rays, read_table

from ..peers import peer

NAMES = [f"{kind}_{axis}" for kind in ("origin", "direction") for axis in "xyz"]
HEADER = ",".join(NAMES)
ROW = "0.2,-0.25,5,0,1e-3,-1"
NUMBERS = [0.2, -0.25, 5, 0, 1e-3, -1]


@pytest.fixture
def read(tmp_path):
    """Return what reads the rays of a text or of bytes, as rows of six numbers."""

    def read(content):
        raw = content if isinstance(content, bytes) else content.encode()
        (tmp_path / "a.csv").write_bytes(raw)
        rays = read_rays(tmp_path / "a.csv")
        return np.hstack([rays.origins, rays.directions])

    return read


def european(text):
    return text.replace(",", ";").replace(".", ",")


@pytest.mark.parametrize(
    "content",
    [
        f",{HEADER}\n0,{ROW}\n",
        f"# {HEADER}\n{ROW}\n",
        f"#{HEADER}\n{ROW}\n# end, of it\n",
        f"# made in 2024, by me\n# {HEADER}\n# units: m, m\n\n{ROW}\n",
        f"# made in 2024\n#\n\n{HEADER}\n# a, b\n{ROW}\n",
        f"#,{HEADER}\n1,{ROW}\n",
        f"#id,color,{HEADER}\n1,#f00,{ROW}\n",
        f"# {HEADER}\n {ROW}\n".replace(",", " "),
        f"{HEADER}\n{ROW}\n".replace(",", "  "),
        f"{HEADER}\r\n{ROW}\r\n".replace(",", "\t"),
        f"{HEADER}\n{ROW}".replace(",", "|"),
        f"{HEADER}\r{ROW}\r",
        f"\ufeff{HEADER},name\r\n{ROW},left eye\r\n",
        f'{HEADER},name\n{ROW},"a, ""b""\nc"\n',
        f"{HEADER},Größe\n{ROW},Maß\n".encode("cp1252"),
        f"{HEADER},,\n{ROW},,\n",
        f"{HEADER},note,note\n{ROW},,$3\n",
        f"{HEADER}\n{ROW}\n".replace(",", " , "),
        f"{HEADER}\n{ROW}\n".replace("_", " ").title(),
        f"{HEADER}\n{ROW}\n".replace("_", ".").upper(),
        f"originX,originY,originZ,Dx,Dy,Dz\n{ROW}\n",
        f"{european(HEADER)}\r\n{european(ROW)}\r\n",
        f"sep=;\r\n{european(HEADER)}\r\n{european(ROW)}\r\n",
        f"sep=\t\n{HEADER}\n{ROW}\n".replace(",", "\t"),
        f"{HEADER};\n{ROW};\n".replace(",", ";"),
        european(f"{HEADER}\n{ROW}\n").replace(";", "\t"),
        f"{HEADER}\n{ROW}\n".replace(",", "\t").encode("utf-16"),
        '"","{}"\n"1",{}\n'.format('","'.join(NAMES), ROW),
        '"";"{}"\n"1";{}\n'.format('";"'.join(NAMES), european(ROW)),
        '"{}" "n"\n"1" {} "left eye"\n'.format('" "'.join(NAMES), ROW.replace(",", " ")),
        '"{}"\n"1",{}\n'.format('","'.join(NAMES), ROW),
        '"{}"\n"{}"\n'.format('", "'.join(NAMES), '", "'.join(ROW.split(","))),
        '"{}"\n"{}"\n'.format('","'.join(NAMES), european(ROW).replace(";", '","')),
    ],
)
def test_a_ray_is_read_whoever_wrote_it(read, content):
    assert read(content).tolist() == [NUMBERS]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_rows_of_python_are_read(read, rng, monkeypatch, mark, decimal, quoting):
    monkeypatch.setattr("standalone_core.tables.text._ROWS_READ", 16)
    rows = rng.normal(size=(100, 6)) * 10.0 ** rng.integers(-20, 20, (100, 1))
    rows[rng.random(rows.shape) < 0.02] = np.nan
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, quoting=quoting)
    writer.writerow([*NAMES, "name"])
    for number, row in enumerate(rows.tolist()):
        cells = ["" if cell != cell else repr(cell).replace(".", decimal) for cell in row]
        writer.writerow([*cells, f'ray "{number}"{mark}'])
    assert np.array_equal(read(text.getvalue()), rows, equal_nan=True)


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ",", "header": HEADER},
        {"delimiter": ",", "header": f"rays, 2\n{HEADER}", "footer": "end"},
        {"delimiter": ",", "header": HEADER, "comments": ""},
        {"header": HEADER.replace(",", " "), "fmt": "%30.17e"},
        {"delimiter": "\t", "header": HEADER.replace(",", "\t"), "comments": "#"},
    ],
)
def test_what_savetxt_writes_is_read(read, rng, options):
    rows, file = rng.normal(size=(5, 6)), io.BytesIO()
    np.savetxt(file, rows, **options)
    assert read(file.getvalue()).tolist() == rows.tolist()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sep": ";", "decimal": ","},
        {"decimal": ","},
        {"na_rep": "NA", "index": False},
        {"quoting": csv.QUOTE_NONNUMERIC, "sep": "\t"},
        {"index_label": "ray", "float_format": "%.17g"},
    ],
)
def test_what_pandas_writes_is_read(read, rng, options):
    frame = peer("pandas").DataFrame(rng.normal(size=(5, 6)), columns=NAMES)
    frame.iloc[2, 3] = np.nan
    found = read(frame.assign(name=["a", None, "b, c", '"', "d\ne"]).to_csv(**options))
    assert np.array_equal(found, frame.to_numpy(), equal_nan=True)


@pytest.mark.parametrize("missing", ["", " ", "NA", "nan", "NaN", "#N/A", "null", "None", "<NA>"])
def test_a_missing_number_is_not_a_number(read, missing):
    rows = read(f"{HEADER},name\n{ROW},a\n0.2,{missing},5,0,0,-1,\n{ROW},\n")
    assert np.isnan(rows).tolist() == [[False] * 6, [False, True, *[False] * 4], [False] * 6]
    assert np.isnan(read(f"{HEADER}\n,,,,,\n{ROW}\n")).tolist() == [[True] * 6, [False] * 6]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (f"{HEADER}\n{ROW}\n0,2,0,2,5,0,0,-1\n", "line 3 has 8 fields, not 6"),
        (f"{HEADER}\n1,{ROW}\n", "line 2 has 7 fields, not 6"),
        (f"{HEADER}\n{ROW},\n", "line 2 has 7 fields, not 6"),
        (f'{HEADER}\n"0","0","0","0","0","1",""\n', "line 2 has 7 fields, not 6"),
        (f"{HEADER}\n{european(ROW)}\n", "line 2 has 3 fields, not 6"),
        (f"{HEADER}\n0;0;0;0;0;1\n", "line 2 has 1 field, not 6"),
        (f"{HEADER}\n{ROW}\n#{ROW}\n", "line 3: origin_x is no number: '#0.2'"),
        (f"{HEADER}\n#VALUE!,0,0,0,0,1\n", "line 2: origin_x is no number: '#VALUE!'"),
        (f'{HEADER},n\n{ROW},"a\nb"\n{ROW},c\nx,0,0,0,0,1,d\n', "line 5: origin_x is no number"),
        (f'{HEADER},n\n{ROW},a\n{ROW},"b\n', "line 3 is no row"),
        (f"{european(HEADER)}\n0,5;0;0;0;0;1\n1.5;0;0;0;0;1\n", "line 3: origin_x has a decimal p"),
        (f"{european(HEADER)}\n1.234,5;0;0;0;0;1\n", "line 2: origin_x is no number: '1.234,5'"),
        (f'{HEADER}\n0,0,0,0,0,1\n"1,234",0,0,0,0,1\n', "line 3: origin_x may have a decimal c"),
        (f'{HEADER}\n"1,234.5",0,0,0,0,1\n', "line 2: origin_x is no number"),
        (f"{HEADER},Origin X\n{ROW},1\n", "two columns may be origin_x: 'origin_x' and 'Origin X'"),
        (f"{HEADER},ox\n{ROW},1\n", "two columns may be origin_x"),
        ("ox oy oz dx dy dz\n1 0.3 0 0 0 0 1\n", "and its header is 'ox oy oz dx dy dz'"),
        (f"% {HEADER}\n{ROW}\n", "no column origin_x, but '% origin_x'"),
        (
            f"{HEADER}\n{ROW}\n".replace("n_x", "n X (m)"),
            r"no column origin_x, but 'origin X \(m\)'",
        ),
        (f"sep= \n{HEADER}\n{ROW}\n", "no column origin_x"),
        (f'sep="\n{HEADER}\n{ROW}\n', "no column origin_x"),
        (f"{ROW},a\n{ROW},b\n", "no header: its first line holds numbers"),
        ("# a\n# c\n", "no header"),
    ],
)
def test_what_may_be_meant_otherwise_is_told_with_its_line(read, content, text):
    with pytest.raises(errors.TableFileError, match=text):
        read(content)


@pytest.mark.parametrize(
    "name", ["maxdistance", "max_dist", "Distance max", "max_distances", "max_distnace"]
)
def test_what_is_nearly_the_name_of_a_limit_is_told(read, tmp_path, name):
    text = f"{name!r} is not read: rays may have max_distance"
    with pytest.raises(errors.TableFileError, match=text):
        read(f"{HEADER},{name}\n{ROW},3\n")
    arrays = {"origins": np.zeros(3), "directions": np.ones(3), name: 3}
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(errors.TableFileError, match=text):
        read_rays(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", **arrays, max_distance=4)
    assert read_rays(tmp_path / "a.npz").max_distance == 4


def test_the_names_of_arrays_that_are_nearly_right_are_told(tmp_path):
    np.savez(tmp_path / "a.npz", origin=np.zeros(3), directions=np.ones(3))
    with pytest.raises(errors.TableFileError, match="no origins, but 'origin'"):
        read_rays(tmp_path / "a.npz")


@pytest.mark.parametrize("name", ["distance", "depth", "max", "distant_max_id", "t", "minutes"])
def test_other_columns_are_not_read(read, name):
    assert read(f"{HEADER},{name}\n{ROW},3\n").tolist() == [NUMBERS]


def test_limits_are_read_under_names_of_any_form(tmp_path):
    (tmp_path / "a.csv").write_text(f"{HEADER},Max Distance,min-distance\n{ROW},3,1\n{ROW},,NA\n")
    rays = read_rays(tmp_path / "a.csv")
    assert rays.max_distance[0] == 3
    assert rays.min_distance[0] == 1
    assert np.isnan([rays.max_distance[1], rays.min_distance[1]]).all()


def test_a_parquet_file_is_read_as_text_is(tmp_path):
    arrow, parquet = peer("pyarrow"), peer("pyarrow.parquet")
    columns = {name.replace("_", " ").title(): [1.5, None] for name in NAMES}
    parquet.write_table(arrow.table({**columns, "name": ["a", "b"]}), tmp_path / "a.parquet")
    found = read_rays(tmp_path / "a.parquet")
    assert np.array_equal(found.origins, [[1.5] * 3, [np.nan] * 3], equal_nan=True)
    parquet.write_table(arrow.table({**columns, "maxdist": [1, 2]}), tmp_path / "a.parquet")
    with pytest.raises(errors.TableFileError, match="'maxdist' is not read"):
        read_rays(tmp_path / "a.parquet")


def test_a_table_of_any_layout_is_read(tmp_path):
    (tmp_path / "a.csv").write_text("# by me\n# ;n;x;name\n1;;0,5;a\n2;7;;\n")
    table = read_table(tmp_path / "a.csv")
    assert list(table.columns) == ["column 1", "n", "x", "name"]
    assert table.columns["column 1"].tolist() == [1, 2]
    assert np.array_equal(table.columns["n"], [np.nan, 7], equal_nan=True)
    assert np.array_equal(table.columns["x"], [0.5, np.nan], equal_nan=True)
    assert table.names == {"name": ("a",)}
