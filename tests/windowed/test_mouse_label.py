# SPDX-License-Identifier: GPL-3.0-or-later
"""The label at the mouse in a window: little at once, more at rest, the next name to mark."""

import numpy as np
import pytest

from tests.windowed.hand import choose_tool, middle_of, set_up_inspection, start
from tests.windowed.views import VERTICES

pytestmark = pytest.mark.wide

SPY = """
from bl_ext.user_default.raypick.overlay import mouse_label, text_images
from bl_ext.user_default.raypick.session import redraw
from bl_ext.user_default.raypick.overlay import faces, landmarks as marks
space.show_region_ui = False
texts, boxes, letters = [], [], []

class Recorded:
    def __init__(self, module, drawn): self.module, self.drawn, self.widths = module, drawn, []
    def __getattr__(self, name): return getattr(self.module, name)
    def draw(self, font, text):
        self.drawn.append(text)
        self.widths.append(self.module.dimensions(font, text)[0])
        self.module.draw(font, text)

def fill_pixels(triangles, color):
    texts.clear()  # the label of this redraw follows
    boxes[:] = [[*triangles.min(axis=0), *triangles.max(axis=0)]]
    plain_fill(triangles, color)

plain_blf, plain_fill = mouse_label.blf, mouse_label.fill_pixels
mouse_label.blf, text_images.blf = Recorded(plain_blf, texts), Recorded(plain_blf, letters)
mouse_label.fill_pixels = fill_pixels

def hovered(*given):
    done.append("face")
    plain_hovered(*given)

def draw_marks(context, looks, pixels, opacities, radius):
    if radius > settings.preferences().landmark_size:  # wider than a mark
        done.append("disc")
    plain_marks(context, looks, pixels, opacities, radius)

done, plain_hovered, plain_marks = [], faces._draw_hovered, marks.draw_marks
faces._draw_hovered, marks.draw_marks = hovered, draw_marks
result = None
"""

ASKING = """
from bl_ext.user_default.raypick.bridge.landmarks import storage
from bl_ext.user_default.raypick.model.landmarks.document import Document
from bl_ext.user_default.raypick.model.landmarks.landmark import Landmark
from bl_ext.user_default.raypick.model.landmarks.landmark_set import LandmarkSet
rows = Landmark(None, "nasion", id="1", description="The deepest place " + 12 * "of the bridge ")
asking = LandmarkSet("Face", id="0", asks=True, landmarks=(rows,))
storage.write(target, Document(sets=(asking,)))
bpy.context.view_layer.objects.active = bpy.data.objects["Below 1"]
result = None
"""


@pytest.fixture
def spied(blender, ended):
    """The strip, with what the overlay writes recorded."""
    set_up_inspection(blender)
    blender.py(SPY)
    yield lambda face: blender.position_of(middle_of(face))
    choose_tool(blender, "builtin.select_box")
    blender.py(
        "mouse_label.blf = text_images.blf = plain_blf\n"
        "mouse_label.fill_pixels = plain_fill\n"
        "faces._draw_hovered, marks.draw_marks = plain_hovered, plain_marks\nresult = None"
    )


def lines(blender):
    """The lines of the label in the next redraw, from above."""
    blender.draw_after("texts.clear()\nletters.clear()\nboxes.clear()")
    return blender.py("texts")[::-1]


def test_one_line_at_once_and_more_when_the_mouse_rests_until_it_moves(blender, spied):
    choose_tool(blender)
    x, y = spied(1)
    blender.move(x, y)
    assert lines(blender) == ["Target · Face 1 · 1 of 3"]
    blender.wait("hover.is_resting()")
    at_rest = lines(blender)
    assert at_rest[0] == "Target · Face 1 · 1 of 3"
    assert [line[0] for line in at_rest[1:]] == ["A"]
    blender.move(x + 2, y)
    assert len(lines(blender)) == 1
    blender.move(5, 5)
    assert blender.py("[hover.is_resting(), bpy.app.timers.is_registered(hover._rest)]") == [
        *(False, False)
    ]


def test_its_text_is_as_large_as_the_interface(blender, spied):
    """Panels measure texts with the same font, at a size of their own."""
    scale = "bpy.context.preferences.view.ui_scale = {}\nresult = None"
    blender.py("settings.preferences().label = {'OBJECT', 'FACE', 'POINT'}\nresult = None")
    blender.py(scale.format(2.0))
    try:
        blender.redraw(2)
        choose_tool(blender)
        x, y = spied(1)
        blender.move(x, y)
        blender.wait("hover.is_resting()")
        blender.py("sidebar.tag_redraw()\nresult = None")
        count = len(lines(blender))
        drawn = blender.py(f"[*zip(texts, mouse_label.blf.widths[-{count}:])]")
        large = "plain_blf.size(0, 11.0 * settings.ui_scale())\nplain_blf.dimensions(0, {!r})[0]"
        assert [width for _, width in drawn] == [blender.py(large.format(t)) for t, _ in drawn]
        assert len(drawn) == 2
    finally:
        blender.py(scale.format(1.0))
        blender.py("settings.preferences().property_unset('label')\nresult = None")
        blender.redraw(2)


def test_the_landmark_tool_shows_the_next_name_of_the_object_under_the_mouse(blender, spied):
    blender.py(ASKING)
    choose_tool(blender, "raypick.landmark_tool")
    x, y = spied(1)
    blender.move(x, y)
    name, *description = lines(blender)
    assert name == "nasion"
    assert len(description) > 1
    assert " ".join(description).startswith("The deepest place of the bridge")
    assert blender.py("letters") == []
    (box,) = blender.py("boxes")
    assert box[3] < y - blender.py("region.y") - 10, "below the mouse"
    blender.click(x, y)
    blender.move(x + 30, y)
    assert lines(blender) == ["+ Landmark · Face"], "no template asks for it"
    blender.py("asking = storage.read(target).sets[0]")
    blender.py(
        "import dataclasses\n"
        "storage.write(target, Document(sets=(dataclasses.replace(asking, locked=True),)))\n"
        "result = None"
    )
    assert lines(blender) == ["Target · Face", "The set is locked"]


def drawn(blender):
    """What the next redraw marks at the mouse: a face, or a landmark by a disc around it."""
    blender.draw_after("done.clear()")
    return set(blender.py("done"))


def test_over_a_landmark_it_has_that_name_and_no_face_is_outlined(blender, spied):
    blender.py(ASKING)
    choose_tool(blender, "raypick.landmark_tool")
    x, y = spied(1)
    blender.move(x, y)
    assert (lines(blender)[0], drawn(blender)) == ("nasion", {"face"})
    blender.click(x, y)
    assert (lines(blender), drawn(blender)) == (["nasion"], {"disc"}), "before the mouse moves"
    blender.move(x + 4, y)
    assert (lines(blender), drawn(blender)) == (["nasion"], {"disc"})
    blender.shot(f"touched-{blender.build.label}.png")
    blender.move(x + 30, y)
    assert drawn(blender) == {"face"}
    blender.move(x, y)
    blender.py("api.landmarks.remove(target)\nresult = None")
    assert lines(blender) == ["+ Landmark · Landmarks"], "as soon as it is gone"


def test_with_another_tool_it_is_that_of_a_pick_over_landmarks_too(blender, spied):
    choose_tool(blender, "raypick.landmark_tool")
    x, y = spied(1)
    blender.click(x, y)
    choose_tool(blender)
    blender.move(x + 2, y)
    assert lines(blender)[0].startswith("Target · Face 1")
    assert drawn(blender) == {"face"}


def test_beside_the_surface_it_names_the_landmark_that_a_click_would_select(blender, spied):
    blender.py(
        "for number in (1, 2): bpy.data.objects[f'Below {number}'].hide_set(True)\nresult = None"
    )
    choose_tool(blender, "raypick.landmark_tool")
    corner = np.array(VERTICES[0], dtype=float)
    blender.click(
        *blender.position_of(tuple((0.97 * corner + 0.03 * np.array(middle_of(0))).tolist())),
        ctrl=True,
    )
    x, y = blender.position_of(VERTICES[0])
    for beside in ((x + a, y + b) for a in (-5, 5) for b in (-5, 5)):
        blender.move(*beside)
        assert lines(blender) == ["Landmark.001"]
        if blender.py("not current.hovered().hits"):
            return
    pytest.fail("the surface is all around")


def test_with_the_inspector_it_is_that_of_a_pick_whatever_the_tool_is(blender, spied):
    choose_tool(blender, "raypick.landmark_tool")
    start(blender, *spied(1))
    assert lines(blender)[0].startswith("Target · Face 1")
    assert any(text.startswith("A") for text in blender.py("letters"))


def test_near_the_lower_border_it_stands_above_the_mouse(blender, spied):
    choose_tool(blender)
    x, y = spied(1)
    blender.py("view.view_distance = 1.0\nresult = None")
    blender.redraw()
    y = blender.py("region.y") + 8
    blender.move(x, y)
    assert lines(blender)
    assert blender.py("boxes")[0][1] > 8 + 10


def test_its_letters_have_the_scale_of_the_interface(blender, spied):
    choose_tool(blender)
    heights = []
    for scale in (1.0, 2.0):
        blender.py(f"bpy.context.preferences.view.ui_scale = {scale}\nresult = None")
        blender.redraw(2)
        blender.move(*spied(1))
        assert len(lines(blender)) == 1
        ((_, low, _, top),) = blender.py("boxes")
        heights.append((top - low) / blender.py("settings.ui_scale()"))
    blender.py("bpy.context.preferences.view.ui_scale = 1.0\nresult = None")
    blender.redraw(2)
    assert heights[1] == pytest.approx(heights[0], rel=0.1)
