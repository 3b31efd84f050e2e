# SPDX-License-Identifier: GPL-3.0-or-later
"""What reads Blender's data refuses other threads at once; else its functions are as ever."""

import inspect
import pickle
import pydoc
import threading
import typing

import bpy
import numpy as np
import pytest

from tests.blender.scenes import square

MODULES = ["", "landmarks", "measures"]


@pytest.fixture
def api(raypick):
    return raypick.api


def public_functions(api):
    """Each public function of the API with the module that it is called in."""
    found = []
    for name in MODULES:
        module = getattr(api, name) if name else api
        for function in module.__all__:
            if inspect.isfunction(getattr(module, function)):
                found.append((module, function))
    return found


def of_the_core(api, name):
    return name == "save_scene"


def in_thread(call):
    """What a call returns, or raises, in a thread of its own."""
    answer = []

    def work():
        try:
            answer.append(call())
        except BaseException as error:
            answer.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    return answer[0]


def test_every_public_function_refuses_another_thread_before_it_looks_at_anything(api):
    """Without arguments, any other check would fail first."""
    functions = public_functions(api)
    assert len(functions) >= 40
    for module, name in functions:
        if of_the_core(api, name):
            continue
        error = in_thread(getattr(module, name))
        assert type(error) is api.ThreadError, name
        assert isinstance(error, api.RaypickError)
        assert isinstance(error, RuntimeError)
        part = "" if module is api else f"{module.__name__.rpartition('.')[2]}."
        assert str(error).startswith(f"{part}{name} was called outside of Blender's main thread")


def test_a_call_in_a_thread_does_not_count_as_one_of_blender(api):
    square()
    ray = bpy.context, (0.25, 0.5, 2), (0, 0, -1)
    for _ in range(3):
        assert type(in_thread(lambda: api.ray_cast(*ray))) is api.ThreadError
        assert api.ray_cast(*ray)[0].object == "Square"


def test_the_core_answers_in_any_thread(api, tmp_path):
    square()
    scene = api.core_scene(bpy.context)
    hit = in_thread(lambda: scene.ray_cast((0.25, 0.5, 2), (0, 0, -1)))
    assert hit.distance == 2.0
    path = tmp_path / "scene.npz"
    assert in_thread(lambda: api.save_scene(scene, path)) is None
    assert path.exists()


def test_functions_are_described_and_named_as_if_they_were_not_guarded(api):
    for module, name in public_functions(api):
        function = getattr(module, name)
        assert function.__name__ == function.__qualname__ == name
        assert function.__doc__, name
        told = pydoc.render_doc(function, renderer=pydoc.plaintext)
        assert f"{name}(" in told
        assert "*given" not in told
        parameters = inspect.signature(function).parameters
        kinds = {each.kind for each in parameters.values()}
        assert inspect.Parameter.VAR_POSITIONAL not in kinds
        assert inspect.Parameter.VAR_KEYWORD not in kinds
        assert typing.get_type_hints(function), name


def test_functions_are_pickled_by_their_public_names(api):
    for module, name in public_functions(api):
        function = getattr(module, name)
        assert pickle.loads(pickle.dumps(function)) is function, name


def test_only_public_names_are_listed(api):
    for name in MODULES:
        module = getattr(api, name) if name else api
        assert dir(module) == sorted(module.__all__)
    assert api.API_VERSION >= (1, 0)
    assert api.__version__.count(".") >= 1


# SceneHits: a mapping of columns, as long as it has rows.


@pytest.fixture
def hits(api):
    square()
    rays = [[(x + 0.25, 0.5, 2.0) for x in range(4)] for _ in range(3)]
    return api.cast_rays(bpy.context, rays, (0, 0, -1), columns=["face", "point"])


def test_it_is_as_long_as_it_has_rows(api, hits):
    assert (hits.shape, len(hits)) == ((3, 4), 12)
    assert bool(hits)
    none = api.cast_rays_all(bpy.context, [(9, 9, 9)], (0, 0, 1))
    assert (len(none), bool(none)) == (0, False)
    assert not api.cast_rays(bpy.context, np.empty((0, 3)), (0, 0, 1))
    alone = api.cast_rays(bpy.context, (0.25, 0.5, 2), (0, 0, -1))
    assert (alone.shape, len(alone), bool(alone)) == ((), 1, True)
    missed = api.cast_rays(bpy.context, (9, 9, 9), (0, 0, 1))
    assert (len(missed), bool(missed), bool(missed.hit)) == (1, True, False)


def test_it_becomes_a_dictionary_and_an_archive_of_its_columns(hits, tmp_path):
    names = ["instance", "face", "point"]
    assert sorted(hits) == sorted(names)
    assert [*hits] == list(hits) == list(hits.keys()) == [*hits.columns]
    assert len(hits.keys()) == len(hits.values()) == len(hits.items()) == 3
    for made in (dict(hits), {**hits}, dict(hits.items()), {} | hits.columns):
        assert made.keys() == hits.keys()
        assert all(made[name] is hits[name] for name in made)
    assert "face" in hits
    assert "uv" not in hits
    assert hits.get("uv") is None
    assert hits.get("face") is hits["face"]
    with pytest.raises(KeyError):
        hits["uv"]
    np.savez(tmp_path / "hits.npz", **hits)
    with np.load(tmp_path / "hits.npz") as archive:
        assert sorted(archive.files) == sorted(names)
        assert all(np.array_equal(archive[name], hits[name], equal_nan=True) for name in names)
    (lambda **given: None)(**hits)
    match hits:
        case {"face": face}:
            assert face is hits["face"]
        case _:
            pytest.fail("it is no mapping")
