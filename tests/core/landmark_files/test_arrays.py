# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of NumPy: embeddings as face models expect them, positions, and pickles left unread."""

import io
import pickle
import zipfile

import numpy as np
import pytest

from .model import HEAD, Mark, MarkFile, MarkFileError, files, marks_of, random_marks, written

EXPECTED = {
    "flame": {"lmk_face_idx": ("<u4", (3,)), "lmk_b_coords": ("<f8", (3, 3))},
    "smplx": {"lmk_faces_idx": ("<i8", (3,)), "lmk_bary_coords": ("<f8", (3, 3))},
    "mediapipe": {
        "lmk_face_idx": ("<u4", (3,)),
        "lmk_b_coords": ("<f8", (3, 3)),
        "landmark_indices": ("<i8", (3,)),
    },
    "deca": {
        "static_lmk_faces_idx": ("<i8", (3,)),
        "static_lmk_bary_coords": ("<f8", (3, 3)),
        "full_lmk_faces_idx": ("<i8", (1, 3)),
        "full_lmk_bary_coords": ("<f8", (1, 3, 3)),
    },
}


def npz(**arrays):
    """A file by NumPy itself, as other tools write it."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def refused(data, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(data, "embedding")


@pytest.mark.parametrize("layout", EXPECTED)
def test_numpy_finds_the_names_types_and_shapes_that_the_code_expects(layout):
    with np.load(io.BytesIO(written("embedding", HEAD, layout)), allow_pickle=False) as found:
        arrays = {name: (found[name].dtype.str, found[name].shape) for name in found.files}
        names = found["names"].tolist()
    assert arrays.pop("names")[1] == (3,)
    assert arrays == EXPECTED[layout]
    assert names == [mark.name for mark in HEAD]


def test_the_points_are_those_of_the_formula_of_the_face_models(rng):
    # points[b, l] = sum over f of weights[l, f] vertices[b, faces[triangles[l], f]], as in
    # vertices2landmarks of smplx/lbs.py
    vertices, faces = rng.normal(size=(4, 50, 3)), rng.integers(0, 50, (90, 3))
    marks = [
        Mark("", tuple(w @ vertices[0, faces[t]]), int(t), None, tuple(w.tolist()))
        for t, w in zip(rng.integers(0, 90, 68), rng.dirichlet((1, 1, 1), 68), strict=True)
    ]
    for layout, (triangles, weights, *_) in EXPECTED.items():
        with np.load(io.BytesIO(written("embedding", marks, layout))) as found:
            corners = vertices[:, faces[found[triangles].astype(np.int64)]]
            points = np.einsum("blfi,lf->bli", corners, found[weights])
        np.testing.assert_allclose(points[0], [mark.point for mark in marks], atol=1e-15)


@pytest.mark.parametrize("layout", EXPECTED)
def test_a_round_trip_keeps_triangles_weights_and_names(layout, rng):
    marks = random_marks(rng, 105)
    after = marks_of(written("embedding", marks, layout), "embedding")
    for mark, other in zip(marks, after, strict=True):
        same = (other.name, other.triangle, other.barycentric)
        assert same == (mark.name, mark.triangle, mark.barycentric)


def test_the_indices_of_mediapipe_are_kept_or_count():
    corners = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    numbered = [
        Mark(name, None, 1, None, corner, index=index)
        for name, corner, index in zip("ab", corners, (276, 7), strict=True)
    ]
    after = marks_of(written("embedding", numbered, "mediapipe"), "embedding")
    assert [mark.index for mark in after] == [276, 7]
    after = marks_of(written("embedding", HEAD, "mediapipe"), "embedding")
    assert [mark.index for mark in after] == [0, 1, 2]
    with pytest.raises(MarkFileError, match="'nasion' has no index"):
        written("embedding", [*numbered, HEAD[0]], "mediapipe")


def test_deca_has_two_sets_or_one_that_is_both():
    sets = [MarkFile("head static", HEAD[:2]), MarkFile("head full", HEAD)]
    found = files.read(files.write("embedding", sets, "deca"), "embedding", "head.npz")
    assert [(each.name, len(each.marks)) for each in found] == [
        ("head static", 2),
        ("head full", 3),
    ]
    (found,) = files.read(files.write("embedding", sets[1:], "deca"), "embedding", "head.npz")
    assert (found.name, len(found.marks)) == ("head", 3)
    with pytest.raises(MarkFileError, match="one set, or there are two"):
        files.write("embedding", [sets[0], sets[0]], "deca")


def test_embeddings_of_other_types_are_read(rng):
    triangles, weights = rng.integers(0, 9976, 51), rng.dirichlet((1, 1, 1), 51)
    weights[3] = 0.5, 0.5 + 9.6e-14, -9.6e-14
    for kind, precise in (("<u4", "<f8"), (">i8", ">f4"), ("<u2", "<f2")):
        data = npz(lmk_face_idx=triangles.astype(kind), lmk_b_coords=weights.astype(precise))
        found = marks_of(data, "embedding")
        assert [mark.triangle for mark in found] == triangles.tolist()
        assert [mark.barycentric for mark in found] == list(
            map(tuple, weights.astype(precise).astype(float).tolist())
        )
    file = io.BytesIO()
    np.savez_compressed(file, lmk_face_idx=triangles, lmk_b_coords=np.asfortranarray(weights))
    assert [m.barycentric for m in marks_of(file.getvalue(), "embedding")] == list(
        map(tuple, weights.tolist())
    )


def test_a_model_of_smplx_gives_its_landmarks_and_a_set_for_each_row_of_dynamic_ones(rng):
    data = npz(
        v_template=rng.normal(size=(100, 3)),
        joint2num=np.array({"a": 1}, dtype=object),
        lmk_faces_idx=np.arange(51),
        lmk_bary_coords=np.full((51, 3), 1 / 3),
        dynamic_lmk_faces_idx=rng.integers(0, 20908, (79, 17)),
        dynamic_lmk_bary_coords=rng.dirichlet((1, 1, 1), (79, 17)),
    )
    found = files.read(data, file_name="SMPLX_NEUTRAL.npz")
    assert len(found) == 80
    assert (found[0].name, len(found[0].marks)) == ("SMPLX_NEUTRAL", 51)
    assert (found[79].name, len(found[79].marks)) == ("SMPLX_NEUTRAL dynamic 79", 17)


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_is_never_loaded_and_the_way_out_is_named(protocol):
    bomb = pickle.dumps({"lmk_face_idx": Bomb()}, protocol)
    for name in ("flame_static_embedding.pkl", "a.npz", "a.npy"):
        with pytest.raises(MarkFileError, match=rf"{name}: it is no .npz. A pickle is not read"):
            files.read(bomb, file_name=name)
    array = io.BytesIO()
    np.save(array, np.array(Bomb(), dtype=object), allow_pickle=True)
    refused(
        array.getvalue(),
        "load it in the Python of the face model and save its arrays with numpy.savez",
    )
    refused(npz(lmk_face_idx=np.array([Bomb()]), lmk_b_coords=np.eye(3)), "Python objects")


@pytest.mark.parametrize(
    ("arrays", "fault"),
    [
        ({}, "no arrays such as lmk_face_idx"),
        ({"lmk_face_idx": [1]}, "lmk_face_idx without lmk_b_coords"),
        ({"lmk_b_coords": [[1.0, 0, 0]]}, "lmk_b_coords without lmk_face_idx"),
        ({"lmk_face_idx": [1.0], "lmk_b_coords": [[1.0, 0, 0]]}, "no whole numbers"),
        ({"lmk_face_idx": [1], "lmk_b_coords": [[1, 0, 0]]}, "no weights"),
        ({"lmk_face_idx": [1, 2], "lmk_b_coords": [[1.0, 0, 0]]}, r"do not fit: \(2,\)"),
        ({"lmk_face_idx": [-1], "lmk_b_coords": [[1.0, 0, 0]]}, r"lmk_face_idx\[0\] is -1"),
        ({"lmk_face_idx": [1], "lmk_b_coords": [[1.0, 1, 1]]}, r"lmk_b_coords\[0\].* add up to 1"),
        ({"lmk_face_idx": [1], "lmk_b_coords": [[np.nan, 0, 0]]}, "not finite"),
        ({"lmk_face_idx": [1], "lmk_b_coords": [[2.0, -1, 0]]}, "three weights"),
        ({"lmk_face_idx": [1j], "lmk_b_coords": [[1.0, 0, 0]]}, "values of type <c16"),
    ],
)
def test_faults_are_named(arrays, fault):
    refused(npz(**{name: np.array(values) for name, values in arrays.items()}), fault)


def test_a_size_that_lies_or_grows_is_refused_before_memory_is_taken(rng):
    good = io.BytesIO()
    np.save(good, np.arange(9))
    lying = good.getvalue().replace(b"(9,)", b"(999999999999,)")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as members:
        members.writestr("lmk_face_idx.npy", lying)
    refused(file.getvalue(), "not as long as its header says")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr("lmk_face_idx.npy", bytes(33 << 20))
    assert len(file.getvalue()) < 1e5
    refused(file.getvalue(), "more than 33554432 bytes")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_numpy_does_not_compress_with_is_refused(method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as members:
        members.writestr("lmk_face_idx.npy", b"")
    refused(file.getvalue(), "compressed otherwise")


@pytest.mark.parametrize("value", [0, 1, 1 << 20, (1 << 32) - 1])
@pytest.mark.parametrize("field", [12, 16], ids=["size", "offset"])
def test_a_directory_of_members_that_is_elsewhere_is_refused(field, value):
    # The last 22 bytes of a zip say, among others, how large its directory is and where.
    data = bytearray(written("embedding", HEAD))
    at = len(data) - 22 + field
    data[at : at + 4] = value.to_bytes(4, "little")
    refused(bytes(data), "its zip is damaged|no arrays such as")


def test_an_array_that_comes_twice_is_refused():
    good, file = io.BytesIO(), io.BytesIO()
    np.save(good, np.arange(9))
    with zipfile.ZipFile(file, "w") as members:
        members.writestr("lmk_face_idx.npy", good.getvalue())
        with pytest.warns(UserWarning, match="Duplicate name"):
            members.writestr("lmk_face_idx.npy", good.getvalue())
    refused(file.getvalue(), "lmk_face_idx twice")


def test_landmarks_without_a_triangle_are_refused_by_name():
    with pytest.raises(MarkFileError, match="missing, as 'tip'"):
        written("embedding", [HEAD[0], Mark("tip", (1.0, 2.0, 3.0))])


def saved(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def points(found):
    nowhere = (np.nan,) * 3
    return np.array([mark.point or nowhere for mark in found.marks]).reshape(-1, 3)


@pytest.mark.parametrize("kind", ["f2", "f4", ">f8", "i4", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_of_rows_is_a_set(rng, kind, order):
    array = np.asarray(rng.uniform(0, 100, (7, 3)).astype(kind), order=order)
    (found,) = files.read(saved(array), file_name="skull.npy")
    assert found.name == "skull"
    assert np.array_equal(points(found), array.astype(float))


def test_an_array_of_specimens_is_a_set_for_each(rng):
    array = rng.normal(size=(4, 5, 3))
    array[1, 2] = np.nan
    found = files.read(saved(array), file_name="skulls.npy")
    assert [each.name for each in found] == ["skulls 1", "skulls 2", "skulls 3", "skulls 4"]
    assert np.array_equal([points(each) for each in found], array, equal_nan=True)
    assert found[1].marks[2].point is None


def test_numpy_reads_what_is_written_with_missing_rows(rng):
    marks = random_marks(rng, 50, missing=0.3)
    data = written("npy", marks)
    array = np.load(io.BytesIO(data), allow_pickle=False)
    assert (array.dtype, array.shape) == (np.float64, (50, 3))
    expected = points(MarkFile("a", tuple(marks)))
    assert np.isnan(expected).any()
    assert np.array_equal(array, expected, equal_nan=True)
    assert [m.point for m in files.read(data, "npy")[0].marks] == [m.point for m in marks]


@pytest.mark.parametrize(
    ("array", "fault"),
    [
        (np.zeros((3, 2)), r"float64 of shape \(3, 2\), not positions"),
        (np.zeros(3), "not positions"),
        (np.zeros((2, 2, 2, 3)), "not positions"),
        (np.array(["a"]), "not positions"),
        (np.array([[1.0, np.nan, 3.0]]), "only some of the three"),
        (np.array([[1.0, np.inf, 3.0]]), "not finite"),
    ],
)
def test_what_has_no_positions_is_refused(array, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(saved(array), "npy")


def test_an_array_of_objects_is_a_pickle_and_is_not_read():
    data = saved(np.array({"lmk_face_idx": 1}, dtype=object), allow_pickle=True)
    with pytest.raises(MarkFileError, match="A pickle is not read"):
        files.read(data, file_name="deca.npy")
