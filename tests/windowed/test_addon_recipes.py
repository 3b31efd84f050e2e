# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipes of docs/addons in a window: the two extensions are built, installed and used."""

import shutil
from itertools import pairwise

import numpy as np
import pytest

from checkout import ROOT
from tests.windowed.hand import in_viewport, middle_of
from tests.windowed.landmarks import undo
from tests.windowed.views import FACES, VERTICES, set_up

pytestmark = pytest.mark.beside

RECIPES = ROOT / "docs" / "addons"
IDS = {"placer": "surface_placer", "measure": "snapping_measure"}
CORNERS = np.array(VERTICES)

INSTALL = """
import subprocess, sys
from pathlib import Path
command = [bpy.app.binary_path, "--command", "extension", "build", "--source-dir", {source!r},
           "--output-dir", bpy.app.tempdir]
run = subprocess.run(command, capture_output=True, text=True)
assert run.returncode == 0, run.stdout + run.stderr
built = next(Path(bpy.app.tempdir).glob({id!r} + "-*.zip"))
bpy.ops.extensions.package_install_files(
    repo="user_default", filepath=str(built), enable_on_install=True)
recipe = sys.modules["bl_ext.user_default." + {id!r}]
result = None
"""

UNINSTALL = """
repos = [repo.module for repo in bpy.context.preferences.extensions.repos]
bpy.ops.extensions.package_uninstall(repo_index=repos.index("user_default"), pkg_id={id!r})
result = [{id!r} in name for name in bpy.context.preferences.addons.keys()]
"""

POST = """
space.show_region_ui = False
post = bpy.data.objects.new("Post", bpy.data.meshes.new("Post"))
post.data.from_pydata([(-.3, -.3, .5), (.3, -.3, .5), (0, .3, .5), (0, 0, 0)], [], [(0, 1, 2)])
post.location = 0, 0, -50
post.scale = 1, 1, 2
bpy.context.scene.collection.objects.link(post)
bpy.context.view_layer.objects.active = post
bpy.ops.ed.undo_push(message="set up")
result = None
"""

PLACED = """
bpy.context.view_layer.update()
[[*map(list, each.matrix_world)] for each in bpy.data.objects
 if each.name.startswith("Post.") and each.data == bpy.data.meshes["Post"]]
"""

STEPS = "bpy.context.window_manager.operators.keys()"
RUNNING = "[each.bl_idname for each in viewport()[0].modal_operators]"


@pytest.fixture
def install(blender, tmp_path):
    """Return a function that builds a recipe by Blender's command, and installs its zip."""
    done = []

    def installed(name):
        shutil.copytree(RECIPES / name, tmp_path / name)
        with blender.lend(tmp_path) as there:
            source = f"{there}/{name}"
            blender.py(INSTALL.format(source=source, id=IDS[name]), timeout=180)
        done.append(IDS[name])

    yield installed
    for name in done:
        if blender.is_running:
            assert not any(blender.py(UNINSTALL.format(id=name)))


@pytest.fixture
def placer(blender, install):
    """The strip, an object far away that is active, and the placer."""
    install("placer")
    set_up(blender, "perspective", POST)
    return blender


def start(blender, operator):
    in_viewport(blender, f"assert bpy.ops.{operator}('INVOKE_DEFAULT') == {{'RUNNING_MODAL'}}")


def place(blender):
    """Start the placer, and return where its clicks on two faces are."""
    start(blender, "object.place_copies")
    return [blender.position_of(middle_of(face)) for face in (0, 2)]


def normal(face):
    """The mean normal of a face of the strip."""
    corners = CORNERS[list(FACES[face])]
    found = sum(np.cross(a, b) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True))
    return found / np.linalg.norm(found)


def is_on(matrix, face):
    """Whether a copy stands on a face: near its middle, along its normal, as large as it was."""
    matrix = np.array(matrix)
    axes = matrix[:3, :3]
    near = np.abs(matrix[:3, 3] - middle_of(face)).max() < 0.1
    along = axes[:, 2] / 2 @ normal(face) > 0.98
    return near and along and np.allclose(np.linalg.norm(axes, axis=0), (1, 1, 2), atol=1e-5)


def standing(blender):
    """The faces that the copies stand on."""
    found = []
    for matrix in blender.py(PLACED):
        found += [face for face in (0, 2) if is_on(matrix, face)] or [matrix]
    return found


def test_clicks_stand_copies_on_faces_and_undo_takes_all_back(placer):
    first, second = place(placer)
    placer.click(*first)
    placer.click(*second)
    placer.key("RET", *second)
    assert placer.py(RUNNING) == []
    assert standing(placer) == [0, 2]
    undo(placer)
    assert standing(placer) == []
    undo(placer, redo=True)
    assert standing(placer) == [0, 2]


def test_a_copy_that_is_dragged_is_not_in_its_own_way(placer):
    """It is wide, and right under the mouse."""
    first, second = place(placer)
    placer.event("LEFTMOUSE", "PRESS", *first)
    assert standing(placer) == [0]
    between = (3 * first[0] + second[0]) // 4, (3 * first[1] + second[1]) // 4
    for spot in (between, second):
        placer.move(*spot)
    placer.event("LEFTMOUSE", "RELEASE", *second)
    placer.move(*first)
    placer.key("RET", *first)
    assert standing(placer) == [2]


def test_escape_takes_the_copies_back_and_leaves_no_step(placer):
    first, second = place(placer)
    before = placer.py(STEPS)
    placer.click(*first)
    placer.event("LEFTMOUSE", "PRESS", *second)
    placer.key("ESC", *second)
    assert placer.py(RUNNING) == []
    assert standing(placer) == []
    assert placer.py(STEPS) == before


def test_the_keys_of_undo_do_nothing_meanwhile(placer):
    first, _ = place(placer)
    placer.click(*first)
    placer.key("Z", *first, ctrl=True)
    assert standing(placer) == [0]
    placer.key("ESC", *first)
    assert standing(placer) == []


def test_fast_clicks_count_beside_the_surface_and_over_the_header_none_do(placer):
    first, _ = place(placer)
    for _ in range(3):
        placer.click(*first)
    placer.click(*placer.position_of((2.5, 0.0, 0.0)))
    placer.click(*placer.py("[area.x + 200, area.y + area.height - 5]"))
    placer.key("RET", *first)
    assert standing(placer) == [0, 0, 0]


def test_disabling_the_placer_ends_it_and_blender_goes_on(placer):
    first, second = place(placer)
    placer.click(*first)
    disable = "bpy.ops.preferences.addon_disable(module='bl_ext.user_default.surface_placer')"
    placer.py(f"{disable}\nresult = None")
    placer.click(*second)
    assert placer.py("[each.name for each in bpy.context.selected_objects]") == ["Target"]
    assert standing(placer) == [0]
    assert placer.py("'place_copies' in dir(bpy.ops.object)") is False


def test_another_file_ends_the_placer(placer):
    first, _ = place(placer)
    placer.click(*first)
    set_up(placer, "perspective", POST)
    placer.click(*first)
    assert placer.py(RUNNING) == []
    assert standing(placer) == []


ANIMATED = """
post.keyframe_insert("location", frame=1)
bpy.context.scene.frame_set(1)
result = None
"""


def test_copies_of_an_animated_object_stay_where_they_are_put(placer):
    placer.py(ANIMATED)
    first, _ = place(placer)
    placer.click(*first)
    placer.key("RET", *first)
    placer.py("bpy.context.scene.frame_set(7)\nresult = None")
    assert standing(placer) == [0]


BY_HAND = """
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    try:
        bpy.ops.object.place_copies('INVOKE_DEFAULT')
        result = None
    except RuntimeError as error:
        result = str(error)
"""


def test_the_placer_says_that_raypick_is_missing(placer):
    placer.py(
        "modules, recipe.addon_utils.modules = recipe.addon_utils.modules, list\nresult = None"
    )
    try:
        assert "Install the extension Raypick first" in placer.py(BY_HAND)
    finally:
        placer.py("recipe.addon_utils.modules = modules\nresult = None")
    assert placer.py(RUNNING) == []


GONE = """
pick = api.pick
def gone(*_, **__):
    raise api.RaypickError("Raypick is disabled")
api.pick = gone
result = None
"""


@pytest.fixture
def without_picks():
    """Return a function after which each pick raises the error of an API that is disabled."""
    sessions = []

    def ended(session):
        session.py(GONE)
        sessions.append(session)

    yield ended
    for session in sessions:
        session.py("api.pick = pick\nresult = None")


def test_the_placer_ends_with_its_copies_where_raypick_is_disabled(placer, without_picks):
    first, second = place(placer)
    placer.click(*first)
    without_picks(placer)
    placer.move(*second)
    assert placer.py(RUNNING) == []
    assert standing(placer) == [0]
    assert placer.py(STEPS)[-1:] == ["OBJECT_OT_place_copies"]  # a step that can be undone


WATCHED = """
space.show_region_ui = False
class Watched:
    texts, set = [], set()
    def __getattr__(self, name):
        self.set.add(name)
        return getattr(__import__("blf"), name)
    def draw(self, font, text):
        assert self.set >= {"position", "size", "color"}
        self.set.clear()
        self.texts.append(text)
        __import__("blf").draw(font, text)
recipe.blf = watched = Watched()
bpy.ops.ed.undo_push(message="set up")
result = None
"""


@pytest.fixture
def measure(blender, install):
    """The strip and the measure, whose texts are noted."""
    install("measure")
    set_up(blender, "perspective", WATCHED)
    return blender


def beside(session, vertex, x=4, y=3):
    """A pixel near that of a vertex of the strip, on its first face."""
    at = session.position_of(VERTICES[vertex])
    middle = session.position_of(middle_of(0))
    return [
        round(a + reach * np.sign(m - a)) for a, m, reach in zip(at, middle, (x, y), strict=True)
    ]


def shown(session):
    """What is written into the viewport as it is drawn anew."""
    session.py("watched.texts.clear()\nresult = None")
    session.redraw()
    return session.py("sorted({*watched.texts})")


def distance(*ends):
    return f"Distance {np.linalg.norm(np.subtract(*ends)):.3g} m"


def test_two_clicks_measure_from_vertex_to_vertex_and_undo_takes_it_back(measure):
    start(measure, "view3d.snapping_measure")
    assert shown(measure) == []
    measure.click(*beside(measure, 0))
    measure.move(*beside(measure, 2))
    assert shown(measure) == []
    measure.click(*beside(measure, 2))
    assert measure.py(RUNNING) == []
    assert shown(measure) == [distance(CORNERS[0], CORNERS[2])]
    undo(measure)
    assert shown(measure) == []
    undo(measure, redo=True)
    assert shown(measure) == [distance(CORNERS[0], CORNERS[2])]


def test_away_from_vertices_it_snaps_to_an_edge_and_far_from_both_to_nothing(measure):
    start(measure, "view3d.snapping_measure")
    measure.click(*measure.position_of(middle_of(0)))
    measure.click(*beside(measure, 0))
    x, y = measure.position_of(((CORNERS[1] + CORNERS[2]) / 2).tolist())
    measure.click(x - 4, y)
    assert measure.py(RUNNING) == []
    places = np.reshape(measure.py("[*bpy.context.scene['measured']]"), (2, 3))
    assert np.abs(places[0] - CORNERS[0]).max() < 1e-6
    along = CORNERS[2] - CORNERS[1]
    off = np.cross(places[1] - CORNERS[1], along / np.linalg.norm(along))
    assert np.linalg.norm(off) < 1e-6
    assert 0.1 < (places[1] - CORNERS[1]) @ along / (along @ along) < 0.9


def escape_after(measure, clicks):
    """Begin to measure, click so often, and press Esc."""
    start(measure, "view3d.snapping_measure")
    for _ in range(clicks):
        measure.click(*beside(measure, 0))
    measure.move(*beside(measure, 2))
    measure.key("ESC", *beside(measure, 2))
    assert measure.py(RUNNING) == []


@pytest.mark.parametrize("clicks", [0, 1])
def test_escape_leaves_no_measure_and_no_step(measure, clicks):
    before = measure.py(STEPS)
    escape_after(measure, clicks)
    assert shown(measure) == []
    assert measure.py("'measured' in bpy.context.scene") is False
    assert measure.py(STEPS) == before


@pytest.mark.parametrize("clicks", [0, 1])
def test_escape_leaves_the_measure_that_was_there_before(measure, clicks):
    measure.py("bpy.context.scene['measured'] = (0, 0, 0, 3, 4, 0)\nresult = None")
    escape_after(measure, clicks)
    assert shown(measure) == ["Distance 5 m"]


@pytest.mark.parametrize(
    ("system", "scale", "text"),
    [("METRIC", 0.001, "5 mm"), ("IMPERIAL", 0.3048, "5'"), ("NONE", 0.001, "5")],
)
def test_the_distance_has_the_units_of_the_scene(measure, system, scale, text):
    measure.py("bpy.context.scene['measured'] = (0, 0, 0, 3, 4, 0)\nresult = None")
    units = f"units.system, units.scale_length = {system!r}, {scale}"
    measure.py(f"units = bpy.context.scene.unit_settings\n{units}\nresult = None")
    assert [each.strip() for each in shown(measure)] == [f"Distance {text}"]


def test_the_measure_ends_where_raypick_is_disabled(measure, without_picks):
    start(measure, "view3d.snapping_measure")
    measure.click(*beside(measure, 0))
    without_picks(measure)
    measure.event("LEFTMOUSE", "PRESS", *beside(measure, 2))
    assert measure.py(RUNNING) == []
    assert shown(measure) == []


def test_overlays_that_are_hidden_hide_the_distance(measure):
    measure.py("bpy.context.scene['measured'] = (0, 0, 0, 3, 4, 0)\nresult = None")
    assert shown(measure) == ["Distance 5 m"]
    measure.py("space.overlay.show_overlays = False\nresult = None")
    assert shown(measure) == []


def test_disabling_the_measure_while_it_runs_takes_its_drawing_away(measure):
    measure.py("bpy.context.scene['measured'] = (0, 0, 0, 3, 4, 0)\nresult = None")
    start(measure, "view3d.snapping_measure")
    measure.click(*beside(measure, 0))
    assert shown(measure) == ["Distance 5 m"]
    disable = "bpy.ops.preferences.addon_disable(module='bl_ext.user_default.snapping_measure')"
    measure.py(f"{disable}\nresult = None")
    assert shown(measure) == []
    measure.click(*measure.position_of(middle_of(0)))
    assert measure.py("[each.name for each in bpy.context.selected_objects]") == ["Target"]


def test_another_file_has_no_measure(measure):
    start(measure, "view3d.snapping_measure")
    for vertex in (0, 2):
        measure.click(*beside(measure, vertex))
    set_up(measure, "perspective")
    assert shown(measure) == []


@pytest.fixture
def recipe(blender):
    """Return a function that shows the strip, runs a script of docs/addons, and starts it."""

    def begun(name, operator, more=""):
        set_up(blender, "perspective", f"space.show_region_ui = False\n{more}\nresult = None")
        blender.py(f"{(RECIPES / name).read_text(encoding='utf-8')}\nresult = None")
        blender.py("bpy.ops.ed.undo_push(message='set up')\nresult = None")
        start(blender, operator)
        return blender

    yield begun
    classes = "['MESH_OT_paint_faces', 'CURVE_OT_draw_on_surfaces']"
    if blender.is_running:
        blender.py(
            f"for name in {classes}:\n    cls = getattr(bpy.types, name, None)\n"
            "    cls and bpy.utils.unregister_class(cls)\nresult = None"
        )


def drag(session, *faces):
    """Press over the middle of a face, and go to those of others, with steps between."""
    spots = [np.array(session.position_of(middle_of(face))) for face in faces]
    session.move(*spots[0])
    session.event("LEFTMOUSE", "PRESS", *spots[0])
    for begin, end in pairwise(spots):
        for share in (0.25, 0.5, 0.75, 1.0):
            session.move(*(begin + share * (end - begin)).astype(int))
    return [int(each) for each in spots[-1]]


STROKE = "[[[*p.co[:3]] for p in s.points] for c in bpy.data.curves for s in c.splines]"


def test_a_stroke_lies_on_the_surface_and_undo_takes_it_back(recipe):
    session = recipe("strokes.py", "curve.draw_on_surfaces")
    session.event("LEFTMOUSE", "RELEASE", *drag(session, 0, 1))
    assert session.py(RUNNING) == []
    (line,) = session.py(STROKE)
    assert len(line) == 5
    cast = "[api.closest_point(bpy.context, p, only='Target').distance for p in {}]"
    assert max(session.py(cast.format(line))) < 1e-5
    undo(session)
    assert session.py(STROKE) == []


def test_escape_takes_the_stroke_back(recipe):
    session = recipe("strokes.py", "curve.draw_on_surfaces")
    before = session.py(STEPS)
    session.key("ESC", *drag(session, 0, 1))
    assert session.py(RUNNING) == []
    assert session.py("[len(bpy.data.curves), len(bpy.data.objects)]") == [0, 1]
    assert session.py(STEPS) == before


def test_a_stroke_gets_points_by_moves_of_the_mouse_alone(recipe):
    session = recipe("strokes.py", "curve.draw_on_surfaces")
    spot = drag(session, 0, 1)
    session.key("LEFT_SHIFT", *spot)
    session.key("A", *spot)
    session.event("LEFTMOUSE", "RELEASE", *spot)
    (line,) = session.py(STROKE)
    assert len(line) == 5


NOTED = """
frozen, made = api.frozen, []
api.frozen = lambda *given, **named: made.append(frozen(*given, **named)) or made[-1]
"""


@pytest.mark.parametrize("way", ["release", "escape", "another file"])
def test_a_stroke_freezes_the_scene_and_closes_it(recipe, way):
    session = recipe("strokes.py", "curve.draw_on_surfaces", NOTED)
    try:
        assert session.py("made") == []
        spot = drag(session, 0, 1)
        assert session.py("[*map(repr, made)]") == ["<FrozenScene 1 objects and instances>"]
        if way == "release":
            session.event("LEFTMOUSE", "RELEASE", *spot)
        elif way == "escape":
            session.key("ESC", *spot)
        else:
            set_up(session, "perspective")
        assert session.py(RUNNING) == []
        assert session.py("[*map(repr, made)]") == ["<FrozenScene closed>"]
    finally:
        session.py("api.frozen = frozen\nresult = None")


SLOTS = """
for name in ("Red", "Blue"):
    mesh.materials.append(bpy.data.materials.new(name))
target.active_material_index = 2
target.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
"""
MATERIALS = "[f.material_index for f in bpy.data.meshes['Target'].polygons]"


def test_faces_of_the_mesh_below_a_subdivision_are_painted_and_undo_takes_it_back(recipe):
    session = recipe("face_painter.py", "mesh.paint_faces", SLOTS)
    session.event("LEFTMOUSE", "RELEASE", *drag(session, 0, 0))
    assert session.py(RUNNING) == []
    assert session.py(MATERIALS) == [2, 0, 0]
    undo(session)
    assert session.py(MATERIALS) == [0, 0, 0]


def test_escape_gives_the_faces_their_materials_back(recipe):
    session = recipe("face_painter.py", "mesh.paint_faces", SLOTS)
    spot = drag(session, 0, 1)
    assert session.py(MATERIALS)[:2] == [2, 2]
    session.key("ESC", *spot)
    assert session.py(RUNNING) == []
    assert session.py(MATERIALS) == [0, 0, 0]


def test_a_release_over_the_object_paints_nothing(recipe):
    session = recipe("face_painter.py", "mesh.paint_faces", SLOTS)
    beside_it = session.position_of((2.5, 0.0, 0.0))
    spot = session.position_of(middle_of(0))
    session.event("LEFTMOUSE", "RELEASE", *spot)  # that of the click on a menu
    assert session.py(MATERIALS) == [0, 0, 0]
    session.event("LEFTMOUSE", "PRESS", *beside_it)
    session.event("LEFTMOUSE", "RELEASE", *spot)
    session.move(*session.position_of(middle_of(1)))
    assert session.py(RUNNING) == []
    assert session.py(MATERIALS) == [0, 0, 0]


LINKED = """
path = bpy.app.tempdir + "linked.blend"
bpy.data.libraries.write(path, {target})
with bpy.data.libraries.load(path, link=True) as (_, linked):
    linked.objects = ["Target"]
made = bpy.data.objects.new("Nearer", None)
made.instance_type, made.instance_collection = "COLLECTION", bpy.data.collections.new("Linked")
made.instance_collection.objects.link(linked.objects[0])
made.location = view.view_rotation @ Vector((0, 0, 0.5))
bpy.context.scene.collection.objects.link(made)
"""


def test_a_linked_object_of_the_same_name_is_not_taken_for_the_active_one(recipe):
    session = recipe("face_painter.py", "mesh.paint_faces", SLOTS + LINKED)
    assert session.py("[o.name for o in bpy.data.objects]").count("Target") == 2
    session.event("LEFTMOUSE", "RELEASE", *drag(session, 0, 0))
    assert session.py(RUNNING) == []
    assert session.py(MATERIALS) == [0, 0, 0]
