# SPDX-License-Identifier: GPL-3.0-or-later
"""Many rays in one call: each row is what ``ray_cast`` answers for that ray alone, to the bit."""

import importlib
import threading
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

import standalone_core as sc
from tests.blender.scenes import (
    collection_instance,
    instance_on_points,
    link,
    mesh_object,
    square,
    suzanne,
)
from tests.core.forked import SOON, in_child, needs_forks

ALL_COLUMNS = (
    *("object", "face", "triangle", "barycentric", "point", "normal", "distance", "front"),
    *("vertices", "original_face", "smooth_normal", "uv", "material"),
)
ATTRIBUTES = ("Matrix", "Paint", "Height", "Chart", "Turn", "Flag", "Number", "Group", "UVMap")


@pytest.fixture
def api(raypick):
    return raypick.api


@pytest.fixture
def crowd(rng):
    """Objects, instances, modifiers, attributes: what a scene has, around the origin."""
    head = suzanne()
    head.modifiers.new("Subdivision", "SUBSURF").levels = 1
    decorate(head, rng)
    mirrored = link(bpy.data.objects.new("Mirrored", head.data))
    mirrored.matrix_world = Matrix.Translation((2, 1, 0)) @ Matrix.Diagonal((-0.7, 1, 1.5, 1))
    mirrored.modifiers.new("Array", "ARRAY").count = 3
    flat = link(bpy.data.objects.new("Flat", head.data))
    flat.matrix_world = Matrix.Translation((0, 0, -2)) @ Matrix.Diagonal((2, 2, 0, 1))
    ball = mesh_object("Ball", *uv_sphere())
    ball.data.shade_smooth()
    collection_instance(ball, (1.5, -1.5, 0.5))
    carrier = mesh_object("Carrier", rng.normal(scale=2, size=(20, 3)).tolist(), [])
    instance_on_points(carrier)
    curve = bpy.data.curves.new("Words", "FONT")
    curve.body, curve.extrude = "ray", 0.2
    words = link(bpy.data.objects.new("Words", curve))
    words.matrix_world = Matrix.Translation((-2, 0, 1)) @ Euler((1, 0, 0.3)).to_matrix().to_4x4()
    bpy.context.view_layer.update()
    return head


def uv_sphere():
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8)
    obj = bpy.context.object
    corners = [tuple(vertex.co) for vertex in obj.data.vertices]
    faces = [tuple(polygon.vertices) for polygon in obj.data.polygons]
    bpy.data.objects.remove(obj)
    return corners, faces


def decorate(obj, rng):
    """Attributes of every domain and type, a vertex group, materials."""
    mesh = obj.data
    matrix = mesh.attributes.new("Matrix", "FLOAT4X4", "FACE")
    for element in matrix.data:
        element.value = Matrix(rng.normal(size=(4, 4)).tolist())
    for name, kind, domain, key in (
        ("Paint", "FLOAT_COLOR", "CORNER", "color"),
        ("Height", "FLOAT", "POINT", "value"),
        ("Chart", "FLOAT2", "CORNER", "vector"),
        ("Turn", "QUATERNION", "POINT", "value"),
        ("Flag", "BOOLEAN", "FACE", "value"),
        ("Number", "INT", "CORNER", "value"),
    ):
        attribute = mesh.attributes.new(name, kind, domain)
        values = rng.normal(scale=9, size=(len(attribute.data), 4))
        for element, value in zip(attribute.data, values.tolist(), strict=True):
            width = {"FLOAT2": 2, "FLOAT_COLOR": 4, "QUATERNION": 4}.get(kind)
            setattr(element, key, value[:width] if width else type(getattr(element, key))(value[0]))
    group = obj.vertex_groups.new(name="Group")
    for vertex in range(0, len(mesh.vertices), 3):
        group.add([vertex], float(rng.random()), "REPLACE")
    for name in ("Skin", "Eyes"):
        mesh.materials.append(bpy.data.materials.new(name))
    for polygon in mesh.polygons:
        polygon.material_index = int(rng.integers(0, 4))
        polygon.use_smooth = bool(rng.integers(0, 2))


def random_rays(rng, count):
    targets = rng.normal(scale=1.5, size=(count, 3))
    origins = targets + rng.normal(size=(count, 3)) * 6
    return origins, targets - origins


def assert_is(hits, row, hit):
    """A row is a hit of ``ray_cast``, in all its numbers and names."""
    got = {name: hits[name][row] for name in hits}
    assert hits.objects[got["object"]] == hit.object
    assert hits.libraries[got["object"]] == hit.library
    instance = got["instance"]
    assert hits.instances.instancer[instance] == hit.instancer
    assert hits.instances.persistent_id[instance] == hit.instance
    assert hits.instances.matrix_world[instance].tolist() == [list(r) for r in hit.matrix_world]
    for name in ("face", "triangle", "distance", "front"):
        assert got[name] == getattr(hit, name), name
    for name in ("barycentric", "point", "normal", "vertices"):
        assert tuple(got[name].tolist()) == getattr(hit, name), name
    assert got["original_face"] == (-1 if hit.original_face is None else hit.original_face)
    smooth, uv = hit.smooth_normal or (np.nan,) * 3, hit.uv or (np.nan,) * 2
    assert np.array_equal(got["smooth_normal"], smooth, equal_nan=True)
    assert np.array_equal(got["uv"], uv, equal_nan=True)
    material = got["material"]
    assert (hits.materials[material] if material >= 0 else None) == hit.material
    for name in ATTRIBUTES:
        value = attribute_of(hit, name)
        found = np.atleast_1d(got[f"attribute:{name}"])
        if value is None:
            assert np.isnan(found).all() or (name == "Group" and (found == 0.0).all())
        else:
            assert found[: np.size(value)].tolist() == np.ravel(value).tolist(), name


def attribute_of(hit, name):
    for table in (hit.uv_maps, hit.colors, hit.attributes, hit.weights):
        if name in table:
            return np.asarray(table[name], dtype=np.float64)
    return None


def test_each_row_is_what_a_ray_alone_hits(api, crowd, rng):
    origins, directions = random_rays(rng, 300)
    context = bpy.context
    hits = api.cast_rays(context, origins, directions, columns=ALL_COLUMNS, attributes=ATTRIBUTES)
    assert hits.shape == (300,)
    assert hits.is_complete
    alone = [api.ray_cast(context, *ray) for ray in zip(origins, directions, strict=True)]
    assert sum(map(bool, alone)) > 100
    for row, found in enumerate(alone):
        assert bool(found) == hits.hit[row]
        for hit in found:
            assert_is(hits, row, hit)


def test_all_hits_are_those_of_each_ray_in_order(api, crowd, rng):
    origins, directions = random_rays(rng, 100)
    hits = api.cast_rays_all(
        bpy.context, origins, directions, columns=ALL_COLUMNS, attributes=ATTRIBUTES
    )
    row = 0
    for ray in range(100):
        alone = api.ray_cast(bpy.context, origins[ray], directions[ray], all_hits=True)
        assert hits.splits[ray + 1] - hits.splits[ray] == len(alone)
        for hit in alone:
            assert hits["ray"][row] == ray
            assert_is(hits, row, hit)
            row += 1
    assert row == len(hits["ray"]) > 200


def test_any_and_counts_agree_with_all_hits(api, crowd, rng):
    rays = random_rays(rng, 200)
    counts = api.count_hits(bpy.context, *rays)
    assert counts.tolist() == np.diff(api.cast_rays_all(bpy.context, *rays).splits).tolist()
    assert api.any_hit(bpy.context, *rays).tolist() == (counts > 0).tolist()


@pytest.mark.parametrize(
    "options",
    [
        {"cull": "back"},
        {"cull": "front"},
        {"max_distance": 5.5},
        {"exclude": ["Suzanne", "Carrier"]},
        {"solid_only": True},
        {"selectable_only": True},
        {"evaluated": False},
    ],
    ids=str,
)
def test_options_mean_what_they_do_for_one_ray(api, crowd, rng, options):
    bpy.data.objects["Mirrored"].display_type = "WIRE"
    bpy.data.objects["Words"].hide_select = True
    origins, directions = random_rays(rng, 150)
    hits = api.cast_rays(
        bpy.context, origins, directions, columns=ALL_COLUMNS, attributes=ATTRIBUTES, **options
    )
    for row, ray in enumerate(zip(origins, directions, strict=True)):
        alone = api.ray_cast(bpy.context, *ray, **options)
        assert bool(alone) == hits.hit[row]
        for hit in alone:
            assert_is(hits, row, hit)


def test_rays_have_any_shape_and_are_broadcast(api, crowd, rng):
    origins, directions = random_rays(rng, 24)
    flat = api.cast_rays(bpy.context, origins, directions)
    shaped = api.cast_rays(bpy.context, origins.reshape(2, 3, 4, 3), directions.reshape(2, 3, 4, 3))
    assert shaped.shape == (2, 3, 4)
    for name in flat:
        assert shaped[name].reshape(flat[name].shape).tobytes() == flat[name].tobytes()
    fan = api.cast_rays(bpy.context, (0, 0, 9), rng.normal(size=(5, 1, 3)) - (0, 0, 4))
    assert fan["point"].shape == (5, 1, 3)
    assert api.cast_rays(bpy.context, (0, 0, 9), (0, 0, -1))["distance"].shape == ()
    assert api.cast_rays(bpy.context, np.empty((0, 3)), (0, 0, -1))["point"].shape == (0, 3)
    assert api.count_hits(bpy.context, np.empty((0, 3)), (0, 0, -1)).shape == (0,)


def test_a_distance_for_each_ray_limits_it(api, crowd, rng):
    origins, directions = random_rays(rng, 60)
    far = api.cast_rays(bpy.context, origins, directions)["distance"]
    limits = far * rng.choice([0.5, 1.0, 2.0], size=60)
    near = api.cast_rays(bpy.context, origins, directions, np.where(far < np.inf, limits, 3.0))
    assert 0 < near.hit.sum() < far.size
    assert (near.hit == ((far <= limits) & (far < np.inf))).all()


def test_rays_that_are_none_miss(api, crowd):
    origins = [(0, 0, 9), (np.nan, 0, 9), (0, 0, 9), (0, 0, np.inf)]
    directions = [(0, 0, -1), (0, 0, -1), (0, 0, 0), (0, 0, -1)]
    hits = api.cast_rays(bpy.context, origins, directions)
    assert hits.hit.tolist() == [True, False, False, False]
    assert hits["object"][1:].tolist() == [-1] * 3
    assert np.isinf(hits["distance"][1:]).all()


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_an_answer_does_not_depend_on_chunks(api, raypick, crowd, rng, monkeypatch, chunk):
    rays = importlib.import_module(f"{raypick.__name__}.bridge.batch.rays")
    given = random_rays(rng, 100)
    asked = {"columns": ALL_COLUMNS, "attributes": ATTRIBUTES}
    whole = api.cast_rays(bpy.context, *given, **asked)
    every = api.cast_rays_all(bpy.context, *given, **asked)
    monkeypatch.setattr(rays, "CHUNK", chunk)
    parts = api.cast_rays(bpy.context, *given, **asked)
    assert {name: parts[name].tobytes() for name in parts} == {
        name: whole[name].tobytes() for name in whole
    }
    again = api.cast_rays_all(bpy.context, *given, **asked)
    assert {name: again[name].tobytes() for name in again} == {
        name: every[name].tobytes() for name in every
    }


def test_what_is_done_is_kept_when_progress_stops_it(api, raypick, crowd, rng, monkeypatch):
    rays = importlib.import_module(f"{raypick.__name__}.bridge.batch.rays")
    given = random_rays(rng, 100)
    whole = api.cast_rays(bpy.context, *given)
    monkeypatch.setattr(rays, "CHUNK", 30)
    told = []

    def progress(done, total):
        told.append((done, total))
        return done < 60

    part = api.cast_rays(bpy.context, *given, progress=progress)
    assert told == [(30, 100), (60, 100)]
    assert (part.done, part.rays, part.is_complete) == (60, 100, False)
    assert part["distance"][:60].tolist() == whole["distance"][:60].tolist()
    assert not part.hit[60:].any()
    every = api.cast_rays_all(bpy.context, *given, progress=progress)
    assert every.splits[60:].tolist() == [every.splits[60]] * 41
    assert every["ray"].max() < 60


@needs_forks
def test_a_child_makes_the_rays_that_a_thread_of_its_parent_was_making(raypick):
    """Blender itself casts in no child: that has none of its threads."""
    run = importlib.import_module(f"{raypick.__name__}.bridge.batch.run")
    forked = threading.Event()

    class Source:
        def part(self, start, stop):
            is_main = threading.current_thread() is threading.main_thread()
            return (start, stop) if is_main or forked.wait(SOON) else None

    ahead = run._Ahead(Source(), 3, 5)
    ahead.start()
    assert in_child(lambda: ahead.part() == (3, 5)) == ""
    forked.set()
    assert ahead.part() == (3, 5)


def test_a_scene_that_changes_meanwhile_is_cast_at_anew_and_then_an_error(
    api, raypick, crowd, rng, monkeypatch
):
    rays = importlib.import_module(f"{raypick.__name__}.bridge.batch.rays")
    given = random_rays(rng, 90)
    monkeypatch.setattr(rays, "CHUNK", 30)
    moves = []

    def progress(done, total):
        if done == 30 and len(moves) < most:
            moves.append(done)
            crowd.location.x += 0.5
            bpy.context.view_layer.update()

    most = 1
    hits = api.cast_rays(bpy.context, *given, progress=progress)
    assert hits["distance"].tobytes() == api.cast_rays(bpy.context, *given)["distance"].tobytes()
    most = 9
    with pytest.raises(api.RaypickError, match="changed in the middle"):
        api.cast_rays(bpy.context, *given, progress=progress)
    assert len(moves) == 3


def test_objects_that_share_a_mesh_have_materials_and_groups_of_their_own(api):
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    first = mesh_object("First", corners, [(0, 1, 2)])
    first.data.materials.append(bpy.data.materials.new("Of the mesh"))
    second = link(bpy.data.objects.new("Second", first.data))
    second.location.x = 5
    second.material_slots[0].link = "OBJECT"
    second.material_slots[0].material = bpy.data.materials.new("Of the object")
    bpy.context.view_layer.update()
    origins = [(0.2, 0.2, 1), (5.2, 0.2, 1)]
    hits = api.cast_rays(bpy.context, origins, (0, 0, -1), columns=["object", "material"])
    assert hits.names("object").tolist() == ["First", "Second"]
    assert hits.names("material").tolist() == ["Of the mesh", "Of the object"]


def test_materials_of_one_name_in_two_files_are_two(api, tmp_path):
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    there = mesh_object("There", corners, [(0, 1, 2)])
    there.data.materials.append(bpy.data.materials.new("Skin"))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["There"]
    link(wanted.objects[0])
    here = mesh_object("Here", [(x + 5, y, z) for x, y, z in corners], [(0, 1, 2)])
    here.data.materials.append(bpy.data.materials.new("Skin"))
    bpy.context.view_layer.update()
    origins = [(0.2, 0.2, 1), (5.2, 0.2, 1), (9, 9, 9)]
    hits = api.cast_rays(bpy.context, origins, (0, 0, -1), columns=["material"])
    assert hits["material"].tolist() == [1, 0, -1]  # as all of the file are numbered
    assert hits.materials == ("Skin", "Skin")
    assert hits.material_libraries == (None, str(tmp_path / "library.blend"))


def test_columns_without_names_have_none(api, crowd, rng):
    hits = api.cast_rays(bpy.context, *random_rays(rng, 9), columns=["object", "face"])
    for column in ("face", "material", "nothing", 3):
        with pytest.raises(api.RaypickError, match="column must be one with names, of object, ins"):
            hits.names(column)


def test_the_scene_of_the_core_answers_alike_without_blender(api, crowd, rng, tmp_path):
    origins, directions = random_rays(rng, 300)
    hits = api.cast_rays(bpy.context, origins, directions)
    api.save_scene(api.core_scene(bpy.context), tmp_path / "scene.npz")
    alone = sc.load_scene(tmp_path / "scene.npz").cast_rays(origins, directions)
    for name in ("instance", "face", "triangle", "barycentric", "point", "normal", "distance"):
        assert np.array_equal(getattr(alone, name), hits[name], equal_nan=True), name


def test_an_empty_scene_is_missed(api):
    hits = api.cast_rays(bpy.context, [(0, 0, 1)] * 3, (0, 0, -1), columns=ALL_COLUMNS)
    assert not hits.hit.any()
    assert hits["uv"].shape == (3, 2)
    assert hits.objects == ()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"columns": ["faces"]}, "there is no column 'faces'"),
        ({"columns": "face"}, "columns must be a list of names"),
        ({"columns": ["depth"]}, "there is no column 'depth'"),
        ({"attributes": [3]}, "each of attributes must be a text"),
        ({"cull": "both"}, "cull"),
        ({"max_distance": -1}, "max_distance must be 0 or more"),
        ({"max_distance": [1, 2]}, "max_distance must be a number or fit the shape"),
        ({"threads": "two"}, "threads must be an integer"),
        ({"exclude": ["Nobody"]}, "there is no object or collection 'Nobody'"),
        ({"exclude": [None]}, "each of exclude must be an object, a collection or a name"),
        ({"progress": 3}, "progress must be callable"),
        ({"origins": [1, 2]}, "origins must have shape"),
        ({"directions": [(0, 0, 1)] * 4}, "do not fit"),
        ({"context": None}, "context must be a Context"),
    ],
    ids=str,
)
def test_wrong_arguments_are_named(api, arguments, text):
    given = {"context": bpy.context, "origins": [(0, 0, 1)] * 3, "directions": (0, 0, -1)}
    with pytest.raises(api.RaypickError, match=text):
        api.cast_rays(**(given | arguments))


def test_an_attribute_of_texts_is_refused(api):
    obj = mesh_object("Square", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    obj.data.attributes.new("Label", "STRING", "FACE")
    with pytest.raises(api.RaypickError, match="'Label' of Square has texts"):
        api.cast_rays(bpy.context, (0.2, 0.2, 1), (0, 0, -1), attributes=["Label"])


def test_edits_that_are_not_applied_yet_are_cast_at(api, rng):
    obj = suzanne()
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0.25, 0, 0))
    bpy.ops.mesh.hide(unselected=True)
    origins, directions = random_rays(rng, 100)
    hits = api.cast_rays(
        bpy.context, origins, directions, columns=ALL_COLUMNS, attributes=["UVMap"]
    )
    for row, ray in enumerate(zip(origins, directions, strict=True)):
        alone = api.ray_cast(bpy.context, *ray)
        assert [hit.face for hit in alone] == [f for f in [hits["face"][row]] if f >= 0]
    assert hits.hit.any()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert obj.mode == "OBJECT"


def test_nothing_is_left_in_the_scene(api, crowd, rng):
    def counts():
        return {
            name: len(getattr(bpy.data, name)) for name in ("meshes", "objects", "images", "texts")
        }

    before = counts()
    api.cast_rays(bpy.context, *random_rays(rng, 50), columns=ALL_COLUMNS)
    assert counts() == before


def test_what_is_at_the_origin_itself_is_hit_once_and_not_from_behind(raypick):
    """Of two triangles there it is the first, as without what is behind."""
    core = importlib.import_module(f"{raypick.__name__}.standalone_core")
    run = importlib.import_module(f"{raypick.__name__}.bridge.batch.run")
    rays = importlib.import_module(f"{raypick.__name__}.bridge.batch.rays")
    scene = core.Scene()
    scene.add(core.Mesh([[-1, -1, 0], [3, -1, 0], [-1, 3, 0]], [[0, 1, 2], [0, 1, 2]]))
    part = rays.Part(np.zeros((1, 3)), np.array([[0, 0, -1.0]]), np.inf)
    shown = SimpleNamespace(scene=scene, behind=None)
    (hit,) = run.cast_nearest(shown, part, rays.HowToCast(behind_too=True))
    assert (hit.triangle, hit.distance, hit.front) == (0, 0.0, True)


@pytest.mark.skipif(bpy.app.version < (4, 5), reason="older Blenders round custom normals")
def test_smooth_normals_that_cancel_out_leave_the_flat_one(api):
    quad = square("Quad")
    opposite = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)]
    stored = quad.data.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER")
    stored.data.foreach_set("vector", np.ravel(opposite))
    hits = api.cast_rays(
        bpy.context, [[0.5, 0.5, 1], [0.25, 0.25, 1]], (0, 0, -1), columns=["smooth_normal"]
    )
    assert hits["smooth_normal"] == pytest.approx(np.array([[0, 0, 1], [1, 0, 0]]), abs=1e-6)
