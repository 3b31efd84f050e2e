# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof that picks are never stale: after every step of a random life of a scene, rays agree.

``RAYPICK_STEPS`` sets how many steps there are. Each is noted in ``.cache/never_stale`` before it
is done: where Blender itself crashes, the last line is what did it.
"""

import dataclasses
import math
import os
import random

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from mathutils import Matrix

from checkout import CACHE

from . import actions
from .agreement import MOST_TRIANGLES, Agreement

STEPS = int(os.environ.get("RAYPICK_STEPS", "200"))
STEPS_OF_A_LIFE = 50

SETTINGS = settings(
    # Hypothesis begins with a dull one, the same step again and again, which is left out; and it
    # may end one early.
    max_examples=2 + math.ceil(STEPS / STEPS_OF_A_LIFE),
    stateful_step_count=STEPS_OF_A_LIFE,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
)


class Diary:
    """Notes each step before it is done, where a crash cannot take it away."""

    def __init__(self, file):
        self._file = file
        self.lives = self.steps = self.done = 0

    def note(self, text):
        self._file.write(text + "\n")
        self._file.flush()


@pytest.fixture
def diary():
    path = CACHE / "never_stale" / f"{bpy.app.version_string}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        yield Diary(file)


def life_of_a_scene(diary, agreement):
    """A state machine whose one rule is to do any action and then to compare."""

    class Scene(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            diary.lives += 1
            self.is_dull = diary.lives == 1
            diary.note("new scene")
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
            actions.begin()
            agreement.begin()

        @rule(name=st.sampled_from(actions.CHOICES), seed=st.integers(0, 2**32 - 1))
        def step(self, name, seed):
            if self.is_dull:
                return
            if agreement.triangles > MOST_TRIANGLES:
                name = "remove_several"
            diary.steps += 1
            diary.note(f"actions.do({name!r}, {seed})")
            diary.done += actions.do(name, seed)
            faults = agreement.faults(bpy.context, seed)
            if faults:
                diary.note("\n".join(["FAULTS", *faults]))
            assert not faults, "\n".join(faults[:5])

    return Scene


@pytest.mark.usefixtures("seed")  # which Hypothesis is handed
def test_every_pick_after_any_step_agrees_with_brute_force(raypick, diary):
    agreement = Agreement(raypick.api.ray_cast, raypick.api.cast_rays_all)
    run_state_machine_as_test(life_of_a_scene(diary, agreement), settings=SETTINGS)
    print(f"{diary.done} of {diary.steps} steps changed something; {agreement}")
    assert diary.steps >= STEPS
    assert diary.done > 0.6 * diary.steps
    assert agreement.crossed > 0.4 * agreement.rays
    assert agreement.certain > 0.9 * agreement.rays
    assert agreement.blenders > 0.2 * agreement.rays
    assert agreement.places > agreement.crossed
    assert agreement.marked > 0.1 * agreement.places


@pytest.mark.parametrize("size", [1e3, 1e4, 1e5, 1e6, 1e7, 1e12, 1e17, 3e38])
def test_a_vertex_that_blender_never_set_does_not_mislead_the_judge(raypick, rng, size):
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object.data
    bpy.ops.mesh.primitive_monkey_add(location=(1, 1, 1))
    cube.vertices[rng.integers(8)].co = rng.uniform(-size, size, 3)
    cube.update()
    agreement = Agreement(raypick.api.ray_cast, raypick.api.cast_rays_all)
    for seed in rng.integers(2**32, size=5).tolist():
        assert not agreement.faults(bpy.context, seed)


@pytest.mark.parametrize("size", [100, 300, 1000, 3000])
def test_rounding_in_a_face_that_reaches_far_does_not_mislead_the_judge(raypick, rng, size):
    bpy.ops.mesh.primitive_plane_add()
    plane = bpy.context.object
    plane.scale = (-0.2, -1.4, -0.8)
    agreement = Agreement(raypick.api.ray_cast, raypick.api.cast_rays_all)
    for seed in rng.integers(2**32, size=20).tolist():
        for vertex in plane.data.vertices:
            vertex.co = rng.uniform(-1, 1, 3) * rng.choice((1, size))
        plane.data.update()
        plane.rotation_euler = rng.uniform(-3, 3, 3)
        assert not agreement.faults(bpy.context, seed)
    if size == 100:
        assert agreement.blenders > 0.2 * agreement.rays


@pytest.mark.parametrize("stretch", [10, 50, 500, 5000])
def test_rounding_in_a_stretched_object_does_not_mislead_the_judge(raypick, rng, stretch):
    bpy.ops.mesh.primitive_cylinder_add()
    cylinder = bpy.context.object
    cylinder.parent = bpy.data.objects.new("Parent", None)
    bpy.context.collection.objects.link(cylinder.parent)
    agreement = Agreement(raypick.api.ray_cast, raypick.api.cast_rays_all)
    for seed in rng.integers(2**32, size=5).tolist():
        turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        stretched = Matrix((turned * (1, 1, 1 / stretch) @ turned.T).tolist()).to_4x4()
        stretched.translation = rng.uniform(-40, 40, 3)
        cylinder.matrix_parent_inverse = stretched
        assert not agreement.faults(bpy.context, seed)
    if stretch <= 50:
        assert agreement.blenders > 0.2 * agreement.rays


def test_the_judge_sees_that_a_mesh_is_not_what_blender_hits(raypick):
    def ray_cast(*arguments, **options):
        hits = raypick.api.ray_cast(*arguments, **options)
        return [dataclasses.replace(hit, distance=1.001 * hit.distance) for hit in hits]

    bpy.ops.mesh.primitive_monkey_add()
    agreement = Agreement(ray_cast)
    faults = agreement.faults(bpy.context, 1)
    assert sum("Blender hits" in fault for fault in faults) > 0.2 * agreement.rays


def moved(vector):
    return (vector[0] + 1e-6, *vector[1:])


def changed(layers):
    """Layers of which each that has a fraction is wrong by little."""
    return {
        name: (value[0] + 1e-5, *value[1:]) if isinstance(value, tuple) else value + 1e-5
        for name, value in layers.items()
        if not isinstance(value, bool | int)
    }


WRONG = {
    "distance": (lambda hit: {"distance": hit.distance - 1e-5}, "hit at"),
    "point": (lambda hit: {"point": moved(hit.point)}, "hit at the point"),
    "normal": (lambda hit: {"normal": moved(hit.normal)}, "normal"),
    "weights": (lambda hit: {"barycentric": moved(hit.barycentric)}, "weights"),
    "front": (lambda hit: {"front": not hit.front}, "front"),
    "UV": (lambda hit: {"uv": moved(hit.uv)}, "the UV map told"),
    "UV maps": (lambda hit: {"uv_maps": changed(hit.uv_maps)}, "UVMap told as"),
    "colors": (lambda hit: {"colors": changed(hit.colors)}, "paint told as"),
    "attributes": (lambda hit: {"attributes": changed(hit.attributes)}, "height told as"),
    "a UV map that was removed": (lambda hit: {"uv_maps": {**hit.uv_maps, "Gone": (0, 0)}}, "Gone"),
    "a color that was removed": (lambda hit: {"colors": {**hit.colors, "Gone": (0,) * 4}}, "Gone"),
    "an attribute that was removed": (
        lambda hit: {"attributes": {**hit.attributes, "Gone": 1}},
        "Gone is told",
    ),
    "another face": (lambda hit: {"original_face": hit.original_face + 1}, "is marked"),
    "no face": (
        lambda hit: {"original_face": None, "original_reason": "unknown"},
        "original face None",
    ),
}


@pytest.fixture(scope="module")
def torus_hits(raypick):
    """The API's hits of rays at the torus of a test, which is the same in each: found once."""
    kept = {}

    def ray_cast(context, origin, direction, all_hits=False, **options):
        asked = (*origin, *direction, all_hits)
        if asked not in kept:
            kept[asked] = raypick.api.ray_cast(
                context, origin, direction, all_hits=all_hits, **options
            )
        return kept[asked]

    return ray_cast


def add_torus():
    bpy.ops.mesh.primitive_torus_add()
    draws = random.Random(1)
    for _ in range(20):
        actions.marking.mark(bpy.context.object.data, draws)


@pytest.mark.parametrize("where", ["all hits", "the nearest alone"])
@pytest.mark.parametrize("what", WRONG)
def test_the_judge_sees_each_wrong_value(torus_hits, what, where):
    change, said = WRONG[what]

    def ray_cast(*arguments, all_hits=False, **options):
        hits = torus_hits(*arguments, all_hits=all_hits, **options)
        if all_hits and where != "all hits":
            return hits
        return [dataclasses.replace(hit, **change(hit)) for hit in hits]

    add_torus()
    right, wrong = Agreement(torus_hits), Agreement(ray_cast)
    assert not right.faults(bpy.context, 1)
    assert right.marked == right.places > 20
    faults = wrong.faults(bpy.context, 1)
    assert len({fault for fault in faults if said in fault}) >= 10


WRONG_COLUMNS = {
    "distance": (lambda values: values - 1e-5, "hit at"),
    "point": (lambda values: values + (1e-6, 0, 0), "hit at the point"),
    "normal": (lambda values: values + (1e-6, 0, 0), "normal"),
    "barycentric": (lambda values: values + (1e-6, 0, 0), "weights"),
    "front": (lambda values: ~values, "front"),
    "face": (lambda values: values + 1, "what is not there"),
    "triangle": (lambda values: values + 1, "missed"),
    "ray": (lambda values: (values + 1) % 50, "missed"),
}


@pytest.mark.parametrize("column", WRONG_COLUMNS)
def test_the_judge_sees_each_wrong_column_of_rays_that_are_cast_together(
    raypick, torus_hits, column
):
    change, said = WRONG_COLUMNS[column]

    def cast_rays_all(*arguments, **options):
        hits = raypick.api.cast_rays_all(*arguments, **options)
        columns = {**hits.columns, column: change(hits[column])}
        return dataclasses.replace(hits, columns=columns)

    add_torus()
    right = Agreement(torus_hits, raypick.api.cast_rays_all)
    assert not right.faults(bpy.context, 1)
    faults = Agreement(torus_hits, cast_rays_all).faults(bpy.context, 1)
    assert len({fault for fault in faults if said in fault}) >= 10
