# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that are asked as tensors of Open3D are; that they are alike is in test_open3d.py too."""

import copy
import pickle

import numpy as np
import pytest

from standalone_core.adapters.open3d import Tensor


@pytest.fixture
def values():
    """Numbers of all kinds, in a tensor (2, 3)."""
    return Tensor([[0.0, 1.5, np.inf], [-np.inf, np.nan, -2.0]])


@pytest.mark.parametrize("call", ["isfinite", "isinf", "isnan"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint32, np.int32, np.bool_])
def test_kinds_of_numbers_are_told_as_open3d_tells_them(open3d, values, call, dtype):
    given = values if np.dtype(dtype).kind == "f" else np.array([[0, 1, 1]])
    ours = getattr(Tensor(given.astype(dtype)), call)()
    theirs = getattr(open3d.core.Tensor(np.asarray(given, dtype=dtype)), call)()
    assert type(ours) is Tensor
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy(), strict=True)


def test_the_plain_array_shares_the_memory(values):
    plain = values.cpu().numpy()
    assert type(plain) is np.ndarray
    plain[0] = 7
    assert values[0].tolist() == [7, 7, 7]


def test_an_array_is_shared_and_one_that_is_read_only_is_copied():
    array = np.zeros(3)
    Tensor(array)[0] = 1
    assert array.tolist() == [1, 0, 0]
    array.flags.writeable = False
    Tensor(array)[1] = 1
    assert array.tolist() == [1, 0, 0]


@pytest.mark.parametrize("place", [(0, 1), (0, -2), (np.int64(0), 1), (0, 1, ...)])
def test_one_number_is_a_tensor_that_shares_the_memory_as_in_open3d(open3d, values, place):
    for one in (values[place], values[0][1]):
        assert type(one) is Tensor
        assert one.shape == tuple(open3d.core.Tensor(np.asarray(values))[0, 1].shape) == ()
        assert (one.item(), one.isfinite().item(), one == 1.5) == (1.5, True, True)
    values[place].numpy()[...] = 4
    assert values[0, 1] == 4


def test_all_else_is_as_of_an_array(values):
    plain = np.asarray(values)
    assert type(plain) is np.ndarray
    for ask in (
        lambda x: x[1:],
        lambda x: x[:, None],
        lambda x: x[x > 0],
        lambda x: x.T,
        lambda x: x.reshape(-1, 1) * 2,
        lambda x: np.where(x > 0, x, 0),
        lambda x: x[:, 0].max(),
        lambda x: x.tolist(),
        lambda x: copy.deepcopy(x),
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: list(x[0]),
        lambda x: [10, 11, 12][x[:, 1:].astype(int)[0, 0]],
        lambda x: f"{x[0, 1]:.2f}",
    ):
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(ask(values), ask(plain))


def test_a_place_that_is_not_there_is_an_index_error(values):
    for place in (2, (0, 3), (0, 0, 0)):
        with pytest.raises(IndexError):
            values[place]


def test_one_number_is_looked_up_as_a_number(values):
    ids = Tensor(np.uint32([3, 0, 3]))
    assert set(ids) == {0, 3}
    assert {0: "cube", 3: "ball"}[ids[0]] == "ball"
    with pytest.raises(TypeError, match="of shape"):
        hash(ids)
