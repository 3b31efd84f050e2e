# SPDX-License-Identifier: GPL-3.0-or-later
"""The API when it is disabled, and beside another copy of Raypick or of its core."""

import importlib
import importlib.util
import inspect
import zipfile
from pathlib import Path

import addon_utils
import bpy
import numpy as np
import pytest

from .conftest import PACKAGE
from .scenes import down, square
from .test_registration import registered


@pytest.fixture(scope="module")
def other_package(raypick, extension_zip, tmp_path_factory):
    """Another copy of the extension, as imported from another repository and not enabled."""
    folder = tmp_path_factory.mktemp("copies")
    with zipfile.ZipFile(extension_zip) as archive:
        archive.extractall(folder / "raypick_elsewhere")
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(folder)
        yield importlib.import_module("raypick_elsewhere")


@pytest.fixture
def other(other_package):
    """That copy, without the handlers that its calls have added."""
    yield other_package
    other_package.bridge.unregister()


@pytest.fixture(scope="module")
def core():
    """The core of the checkout, as an extension has it that brings the wheel."""
    return importlib.import_module("standalone_core")


def functions(api):
    """All functions that read Blender's data, by name, those of the API's modules included."""
    return {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in (api, api.landmarks, api.measures)
        for name in module.__all__
        if inspect.isfunction(getattr(module, name)) and name != "save_scene"  # the core's own
    }


def test_after_a_disabling_each_function_says_so_and_leaves_nothing(raypick):
    api = raypick.api
    square()
    assert down(raypick, 0.25, 0.5)
    enabled = registered()
    addon_utils.disable(PACKAGE)
    try:
        assert len(functions(api)) > 30
        for name, function in functions(api).items():
            with pytest.raises(api.RaypickError, match=f"after {PACKAGE} was disabled"):
                function()
            assert not any(registered().values()), name
    finally:
        addon_utils.enable(PACKAGE)
    assert registered() == enabled
    assert api is importlib.import_module(PACKAGE).api
    assert down(raypick, 0.25, 0.5)


def test_a_scene_of_the_core_goes_on_answering_after_a_disabling(raypick):
    square()
    scene = raypick.api.core_scene(bpy.context)
    addon_utils.disable(PACKAGE)
    try:
        assert scene.ray_cast((0.25, 0.5, 9), (0, 0, -1)).distance == 9.0
    finally:
        addon_utils.enable(PACKAGE)


def test_a_copy_that_was_never_enabled_answers(other):
    square()
    (hit,) = other.api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    assert hit.object == "Square"


def test_functions_keep_their_signatures_and_help(raypick):
    api = raypick.api
    signature = inspect.signature(api.ray_cast)
    assert [*signature.parameters][:3] == ["context", "origin", "direction"]
    assert signature.parameters["cull"].default is None
    assert signature.return_annotation == "list[PickHit]"
    for name, function in functions(api).items():
        assert f"{function.__module__}.{function.__name__}".startswith(PACKAGE), name
        assert function.__doc__, name


def test_hits_of_one_copy_are_good_for_the_other(raypick, other):
    square()
    api = raypick.api
    (hit,) = other.api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    assert not isinstance(hit, api.PickHit)
    added = api.landmarks.add(bpy.context, hit, "top")
    assert added.barycentric == hit.barycentric
    (elsewhere,) = other.api.ray_cast(bpy.context, (0.75, 0.125, 9), (0, 0, -1))
    moved = api.landmarks.move(bpy.context, "Square", "top", elsewhere)
    assert moved.barycentric == elsewhere.barycentric
    both = api.landmarks.add_many(bpy.context, [hit, elsewhere], "each")
    assert [each.barycentric for each in both] == [hit.barycentric, elsewhere.barycentric]
    many = other.api.cast_rays(
        bpy.context,
        [(0.25, 0.5, 9), (0.75, 0.125, 9)],
        (0, 0, -1),
        columns=["triangle", "barycentric", "object", "point"],
    )
    of_columns = api.landmarks.add_many(bpy.context, many, "columns")
    assert [each.barycentric for each in of_columns] == [each.barycentric for each in both]


def test_a_hit_crosses_with_all_its_fields(raypick, other):
    square()
    (hit,) = other.api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    (own,) = raypick.api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    of_this_copy = raypick.standalone_core.extension.of_this_copy
    crossed = of_this_copy(hit, raypick.api.PickHit)
    assert crossed == own
    assert crossed.session_uid == own.session_uid is not None


def test_a_hit_of_an_old_copy_is_refused_with_both_copies_named(raypick, other, monkeypatch):
    square()
    (hit,) = other.api.ray_cast(bpy.context, (0.25, 0.5, 9), (0, 0, -1))
    monkeypatch.delattr(other.api.PickHit, "__raypick__")
    monkeypatch.setattr(other, "__version__", "0.1.0")
    with pytest.raises(raypick.api.RaypickError) as caught:
        raypick.api.landmarks.add(bpy.context, hit)
    own, old = (Path(package.__file__).parent for package in (raypick, other))
    assert str(caught.value) == (
        f"hit must be a PickHit of {PACKAGE} {raypick.api.__version__} ({own}), "
        f"not a PickHit of raypick_elsewhere 0.1.0 ({old})"
    )


def test_a_camera_of_another_core_is_surveyed(raypick, core):
    square()
    given = (0.2, 0.3, 6), (0.5, 0.5, 0), 20, 10, 0.6
    own = raypick.api.survey(bpy.context, raypick.api.Camera.look_at(*given))
    other = raypick.api.survey(bpy.context, core.Camera.look_at(*given))
    assert own.hit.any()
    for name, column in own.items():
        np.testing.assert_array_equal(other[name], column)


def test_scenes_and_rays_go_from_the_zip_into_another_core(raypick, core, tmp_path):
    square()
    api = raypick.api
    scene = api.core_scene(bpy.context)
    ray = api.Camera.look_at((0.25, 0.5, 9), (0.25, 0.5, 0), 3, 3, 0.1, (0, 1, 0)).ray(1.5, 1.5)
    core.save_scene(scene, tmp_path / "scene.npz")
    again = core.load_scene(tmp_path / "scene.npz")
    assert again.ray_cast(ray).distance == scene.ray_cast(ray).distance == 9.0
    own = core.Scene()
    for identifier in scene:
        own.add(scene[identifier].mesh, scene[identifier].matrix)
    assert own.ray_cast(ray).distance == 9.0
    api.save_scene(own, tmp_path / "back.npz")
    assert core.load_scene(tmp_path / "back.npz").ray_cast(ray).distance == 9.0


def test_one_except_catches_the_errors_of_both_cores(raypick, core):
    with pytest.raises(raypick.api.RaypickError):
        core.Mesh([(0, 0, 0)], [(0, 1, 2)])
    with pytest.raises(core.RaypickError):
        raypick.api.ray_cast(bpy.context, (0, 0, 0), (0, 0, 0))


def test_the_add_on_is_marked_as_typed(extension_zip):
    with zipfile.ZipFile(extension_zip) as archive:
        assert {"py.typed", "standalone_core/py.typed"} <= set(archive.namelist())
