# SPDX-License-Identifier: GPL-3.0-or-later
"""An array with the methods of Open3D's tensors, alone and together with these."""

import copy
import operator
import pickle
import warnings

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.adapters.open3d import Tensor
from standalone_core.adapters.tensor import tensor_of


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


def test_a_tensor_of_open3d_shares_memory_that_may_be_changed_alone(open3d):
    array = np.zeros(3)
    tensor_of(array, is_for_open3d=True)[0] = 1
    assert array.tolist() == [1, 0, 0]
    array.flags.writeable = False
    copied = tensor_of(array, is_for_open3d=True)
    copied[1] = 1
    assert array.tolist() == [1, 0, 0]
    assert copied.numpy().tolist() == [1, 1, 0]


@pytest.mark.parametrize("place", [(0, 1), (0, -2), (np.int64(0), 1), (0, 1, ...)])
def test_one_number_is_a_tensor_that_shares_the_memory_as_in_open3d(open3d, values, place):
    for one in (values[place], values[0][1]):
        assert type(one) is Tensor
        assert one.shape == tuple(open3d.core.Tensor(np.asarray(values))[0, 1].shape) == ()
        assert (one.item(), one.isfinite().item(), one == 1.5) == (1.5, True, True)
    values[place].numpy()[...] = 4
    assert values[0, 1] == 4


NUMBERS = np.float32([[1, 2.5, -3], [4, 0, 0.5]])
MASK = NUMBERS > 1

# What programs call on a tensor `x` of numbers, or of truth values.
OF_NUMBERS = {
    "max": lambda x: x.max(),
    "max of an axis": lambda x: x.max(0),
    "max, dim": lambda x: x.max(dim=1),
    "min, keepdim": lambda x: x.min(dim=1, keepdim=True),
    "min, keepdim by position": lambda x: x.min(1, True),
    "min of axes": lambda x: x.min([0, 1]),
    "max of axes": lambda x: x.max(dim=[0, 1]),
    "sum": lambda x: x.sum((0,)),
    "mean": lambda x: x.mean(1),
    "prod": lambda x: x.prod(dim=0),
    "argmax": lambda x: x.argmax(1),
    "argmin": lambda x: x.argmin(dim=0),
    "argmax of all": lambda x: x.argmax(),
    "T": lambda x: x.T(),
    "T times": lambda x: x @ x.T(),
    "matmul": lambda x: x.matmul(x.T()),
    "reshape": lambda x: x.reshape((3, 2)),
    "reshape to a column": lambda x: x.reshape([-1, 1]),
    "flatten": lambda x: x.flatten(),
    "abs": lambda x: x.abs(),
    "round": lambda x: x.round(),
    "functions": lambda x: x.abs().sqrt().sin().cos().exp().floor().ceil().trunc(),
    "neg": lambda x: x.neg() + -x,
    "arithmetic": lambda x: x.add(x).mul(2).sub(1).div(4),
    "comparisons": lambda x: x.gt(1).logical_or(x.lt(0)).logical_and(x.ne(4)),
    "comparisons that may be equal": lambda x: x.ge(1).logical_xor(x.le(4)).logical_not(),
    "eq": lambda x: x.eq(0).logical_not(),
    "clip": lambda x: x.clip(0, 2),
    "isclose": lambda x: x.isclose(x + 1e-9),
    "cross": lambda x: x.cross(x + 1),
    "clone": lambda x: x.clone(),
    "contiguous": lambda x: x.T().contiguous(),
    "an index": lambda x: x[x > 1],
    "cpu": lambda x: x.to("CPU:0").cpu(),
    "dlpack": lambda x: type(x).from_dlpack(x.to_dlpack()),
    "dlpack of an object": lambda x: type(x).from_dlpack(x),
    "from_numpy": lambda x: type(x).from_numpy(x.numpy()),
    "added in place": lambda x: x.add_(x),
    "many in place": lambda x: x.abs_().mul_(2).sub_(3).neg_(),
    "mask": lambda x: (x > 0).logical_not_(),
}
PLAIN = {
    "num_elements": lambda x: x.num_elements(),
    "shape": lambda x: tuple(x.shape),
    "ndim": lambda x: x.ndim,
    "len": len,
    "is_cpu": lambda x: x.is_cpu,
    "is_cuda": lambda x: x.is_cuda,
    "is_contiguous": lambda x: (x.is_contiguous(), x.T().is_contiguous()),
    "allclose": lambda x: (x.allclose(x), x.allclose(x + 1)),
    "item": lambda x: x[0, 1].item(),
    "the device's name": lambda x: str(x.device),
}
OF_TRUTH = {
    "any": lambda x: x.any(),
    "all": lambda x: x.all(),
    "any of an axis": lambda x: x.any(dim=0),
    "all of an axis": lambda x: x.all(1),
    "logical_not": lambda x: x.logical_not(),
    "logical_and": lambda x: x.logical_and(x.logical_not()),
    "and": lambda x: x & x,
    "nonzero": lambda x: x.nonzero(as_tuple=True),
    "nonzero by axis": lambda x: x.nonzero()[1],
    "as numbers": lambda x: (x == True).any(),  # noqa: E712 (so programs write it)
}


@pytest.mark.parametrize(
    ("numbers", "call"),
    [
        *(pytest.param(NUMBERS, call, id=name) for name, call in OF_NUMBERS.items()),
        *(pytest.param(MASK, call, id=name) for name, call in OF_TRUTH.items()),
    ],
)
def test_methods_are_those_of_open3d(open3d, numbers, call):
    ours, theirs = call(Tensor(numbers.copy())), call(open3d.core.Tensor(numbers))
    assert isinstance(ours, Tensor)
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy(), strict=True)


@pytest.mark.parametrize("call", [pytest.param(call, id=name) for name, call in PLAIN.items()])
def test_properties_are_those_of_open3d(open3d, call):
    assert call(Tensor(NUMBERS)) == call(open3d.core.Tensor(NUMBERS))


def test_a_tensor_is_made_and_converted_with_types_of_either_library(open3d):
    core = open3d.core
    for dtype in (np.float64, "float64", core.float64, core.Dtype.Float64):
        made = Tensor(NUMBERS, dtype, core.Device("CPU:0"))
        assert made.dtype == np.float64
        for given in ((dtype,), (core.Device("CPU:0"), dtype), (dtype, True), ("CPU:0", dtype)):
            assert Tensor(NUMBERS).to(*given).dtype == np.float64
        assert Tensor(NUMBERS).to(dtype=dtype, device="CPU:0", copy=True).dtype == np.float64
    assert Tensor(NUMBERS).to(core.uint32).dtype == np.uint32
    assert Tensor(MASK).to(core.bool).dtype == np.bool_
    assert Tensor(NUMBERS).device == core.Device("CPU:0")
    assert core.Tensor(NUMBERS).to(Tensor(NUMBERS).device).is_cpu


def test_a_conversion_copies_only_where_it_must():
    tensor = Tensor(NUMBERS.copy())
    assert tensor.to(np.float32) is tensor.to("CPU:0") is tensor.contiguous() is tensor
    copies = [tensor.to(np.float32, copy=True), tensor.to(np.float32, True), tensor.clone()]
    copies += [tensor.to(np.float64), Tensor(tensor, np.float64), tensor.T.contiguous()]
    assert not any(np.shares_memory(each, tensor) for each in copies)
    assert np.shares_memory(tensor.T, tensor)


def test_a_transposed_tensor_can_be_called_and_what_is_made_of_it_cannot():
    tensor = Tensor(NUMBERS.copy())
    wanted = NUMBERS.T
    for transposed in (tensor.T, tensor.T(), tensor.clone().T()):
        np.testing.assert_array_equal(transposed.numpy(), wanted, strict=True)
    assert repr(tensor.T) == repr(tensor.T()) == repr(Tensor(wanted))
    for plain in (tensor.T(), tensor.T.clone(), tensor.T.contiguous(), tensor.T.to(np.float64)):
        assert type(plain) is Tensor
        np.testing.assert_array_equal(plain.numpy(), wanted)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64, np.bool_, np.float32])
def test_numbers_that_a_type_does_not_have_are_converted_without_a_warning(dtype):
    values = Tensor([np.inf, -np.inf, np.nan, 1e300, 7.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        converted = [values.to(dtype), values.to(dtype, copy=True), Tensor(values, dtype)]
    for each in converted:
        assert (type(each), each.dtype) == (Tensor, dtype)
        assert each[-1] == np.array(7.0, dtype)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: x.cuda(), "cannot be on CUDA:0"),
        (lambda x: x.cuda(1), "cannot be on CUDA:1"),
        (lambda x: x.to("CUDA:0"), "must be the CPU, not 'CUDA:0'"),
        (lambda x: x.to(np.float32, device="CUDA:0"), "must be the CPU"),
        (lambda x: Tensor(x, device="SYCL:0"), "must be the CPU"),
        (lambda x: x.to("a type"), "dtype must be a type of NumPy or Open3D, not 'a type'"),
        (lambda x: Tensor(x, dtype=object()), "dtype must be"),
    ],
)
def test_a_wrong_device_or_type_is_a_named_error(values, call, words):
    with pytest.raises(sc.RaypickError, match=words):
        call(values)


def test_a_name_that_no_tensor_has_is_no_attribute(values):
    for name in ("subtract", "svd", "add__", "", "__cuda_array_interface__"):
        assert not hasattr(values, name)
    assert {"isfinite", "logical_not", "numpy", "reshape"} <= set(dir(values))


def test_numpy_takes_a_tensor_by_dlpack_one_that_is_read_only_as_a_copy():
    tensor = Tensor(NUMBERS.copy())
    assert np.shares_memory(np.from_dlpack(tensor), tensor)
    tensor.flags.writeable = False
    taken = Tensor.from_dlpack(tensor.to_dlpack())
    taken[:] = 7
    assert np.array_equal(tensor, NUMBERS)


OPERATORS = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv]
OTHERS = np.float32([[2, 2.5, 1], [0.5, 1, -1], [3, 1, 2]])


@pytest.mark.parametrize("operate", OPERATORS, ids=lambda each: each.__name__)
def test_operators_with_tensors_of_open3d_give_tensors_of_open3d(open3d, operate):
    tensor = open3d.core.Tensor
    left, right = OTHERS, OTHERS[:1] if operate is not operator.matmul else OTHERS
    wanted = operate(tensor(left), tensor(right)).numpy()
    for a, b in ((Tensor(left), tensor(right)), (tensor(left), Tensor(right))):
        found = operate(a, b)
        assert type(found) is tensor
        np.testing.assert_array_equal(found.numpy(), wanted, strict=True)


@pytest.mark.parametrize("operate", IN_PLACE, ids=lambda each: each.__name__)
def test_operators_in_place_change_what_is_on_their_left(open3d, operate):
    tensor = open3d.core.Tensor
    wanted = operate(OTHERS.copy(), OTHERS[:1])
    for left, right in (
        (Tensor(OTHERS.copy()), tensor(OTHERS[:1])),
        (tensor(OTHERS), Tensor(OTHERS[:1])),
        (Tensor(OTHERS.copy()), Tensor(OTHERS[:1])),
    ):
        found = operate(left, right)
        assert type(found) is type(left)
        np.testing.assert_array_equal(left.numpy(), wanted, strict=True)
        np.testing.assert_array_equal(found.numpy(), wanted, strict=True)
    part = Tensor(OTHERS.copy())
    part[..., 1:] = operate(part[..., 1:], tensor(OTHERS[:, :1]))
    np.testing.assert_array_equal(part[:, 0], OTHERS[:, 0])
    np.testing.assert_array_equal(part[:, 1:], operate(OTHERS[:, 1:].copy(), OTHERS[:, :1]))


def test_each_is_an_index_of_the_other(open3d):
    tensor = open3d.core.Tensor
    for key in (OTHERS > 1, np.array([2, 0]), np.uint32([1])):
        wanted = OTHERS[key]
        np.testing.assert_array_equal(Tensor(OTHERS)[tensor(key)].numpy(), wanted, strict=True)
        np.testing.assert_array_equal(tensor(OTHERS)[Tensor(key)].numpy(), wanted, strict=True)
        ours, changed = Tensor(OTHERS.copy()), OTHERS.copy()
        ours[tensor(key)] = tensor(np.float32(wanted * 2))
        changed[key] = wanted * 2
        np.testing.assert_array_equal(ours.numpy(), changed)
    row = tensor(np.array([2, 0]))
    np.testing.assert_array_equal(Tensor(OTHERS)[row, 1:].numpy(), OTHERS[[2, 0], 1:])


def test_methods_and_functions_take_both(open3d):
    ours, theirs = Tensor(OTHERS.copy()), open3d.core.Tensor(OTHERS)
    doubled = OTHERS * 2
    for found in (ours.add(theirs), theirs.add(ours), np.add(ours, theirs), np.add(theirs, ours)):
        assert type(found) is open3d.core.Tensor
        np.testing.assert_array_equal(found.numpy(), doubled, strict=True)
    assert ours.allclose(theirs)
    assert theirs.allclose(ours)
    assert ours.isclose(theirs).all()
    assert ours.add_(theirs) is ours
    np.testing.assert_array_equal(ours.numpy(), doubled)
    whole, part = np.divmod(ours, theirs)
    np.testing.assert_array_equal(whole.numpy() * OTHERS + part.numpy(), doubled)


def test_open3d_takes_our_tensors_as_its_own(open3d):
    core, geometry = open3d.core, open3d.t.geometry
    ours, ids = Tensor(OTHERS), Tensor(np.int32([[0, 1, 2]]))
    cloud, mesh = geometry.PointCloud(ours), geometry.TriangleMesh(ours, ids)
    cloud.point.normals = ours
    cloud.point["more"] = ours
    mesh.vertex.positions = ours
    mesh.vertex["colors"] = ours
    joined = core.concatenate([ours, core.Tensor(OTHERS)])
    for taken in (
        *(cloud.point.positions, cloud.point.normals, cloud.point["more"]),
        *(mesh.vertex.positions, mesh.vertex["colors"], joined[:3], joined[3:]),
        *(core.Tensor(ours), core.Tensor.from_numpy(ours), core.Tensor.from_dlpack(ours)),
        *(core.maximum(ours, core.Tensor(OTHERS)), geometry.Image(ours).as_tensor()),
    ):
        np.testing.assert_array_equal(taken.numpy().reshape(3, 3), OTHERS, strict=True)
    np.testing.assert_array_equal(mesh.triangle.indices.numpy(), ids)
    points = open3d.utility.Vector3dVector(ours)
    np.testing.assert_array_equal(np.asarray(points), OTHERS)


def test_numbers_of_several_types_work_together_as_arrays_do():
    exact, rounded = Tensor(np.float64(OTHERS)), Tensor(OTHERS)
    for found in (exact * rounded, rounded * exact, rounded + np.float64(OTHERS)):
        assert (type(found), found.dtype) == (Tensor, np.float64)
    assert (rounded * 2.5).dtype == np.float32


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
        lambda x: np.max(x, axis=1, initial=0),
        lambda x: np.add.reduce(x, axis=0),
        lambda x: x.sum(axis=1, dtype=np.float64, keepdims=True),
        lambda x: np.add(x, 1, where=x > 0, out=np.zeros_like(x)),
        lambda x: np.linalg.norm(x[:, 1:2], axis=-1),
        lambda x: np.nonzero(x),
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
