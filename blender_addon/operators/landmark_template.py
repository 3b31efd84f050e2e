# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on templates: lists of names that are asked for one after the other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import bpy
from bpy.app.translations import pgettext_rpt
from bpy.props import StringProperty
from bpy_extras.io_utils import ImportHelper

from .. import idnames
from ..bridge.landmarks import editing, storage
from ..model.landmarks import template
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Names
from ..model.landmarks.landmark_set import LandmarkSet
from ..model.landmarks.template import Template, TemplateError
from ..session import active_landmarks, viewports
from ..settings import present
from ..standalone_core import RaypickError
from ..translations import reasons
from .base import UNSAVED, Result, a_choice, a_number, a_text
from .landmarks import NONE_SELECTED, LandmarkOperator, Needs, OfLandmark, SetOperator

NO_TEMPLATE = "The set has no template"
NOTHING_MISSING = "No landmark of the template is missing"


class _TemplateOperator(LandmarkOperator):
    """Base of operators that start a template in the active set or, if it is locked, a new one."""

    is_asked = False
    """Whether a person has chosen the template, whose next click is to place the first landmark."""

    def template(self) -> Template:
        """The template; TemplateError where there is none."""
        raise NotImplementedError

    def run(self, context: bpy.types.Context) -> str:
        try:
            found = self.template()
        except TemplateError as error:
            form = reasons.translated(error.form)
            raise RaypickError(form.format(error.name)) from None
        obj, document = active_landmarks.editable(context)
        group = document.set
        if group is None or group.locked:
            group = editing.new_set(document, found.name)
        changed = group.asking_for(found.notes)
        storage.write(obj, document.with_set(changed))
        if self.is_asked:
            take_tool(context)
        return pgettext_rpt("{} landmarks to place").format(len(changed.missing))


def take_tool(context: bpy.types.Context) -> None:
    """Take the tool that places landmarks, if this is a viewport."""
    is_viewport = context.area is not None and context.area.type == "VIEW_3D"
    if is_viewport and viewports.active_tool(context) != idnames.LANDMARK_TOOL:
        bpy.ops.wm.tool_set_by_id(name=idnames.LANDMARK_TOOL, space_type="VIEW_3D")


class RAYPICK_OT_load_template(ImportHelper, _TemplateOperator):
    bl_idname = idnames.LOAD_TEMPLATE_OPERATOR
    bl_label = "Load Template"
    bl_description = (
        "Ask for the landmarks that a file names, one after the other: JSON with a list of names "
        "or of objects with name and description, or a text with a name in each line"
    )
    bl_options = {"REGISTER"}
    pushes_step = True

    _last = ""
    """The file of the last template: Blender forgets it when it opens the next scan."""

    if TYPE_CHECKING:
        filepath: str
    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json;*.txt", options={"HIDDEN"})

    def invoke(  # type: ignore[override] # what it returns has a narrower type in Blender's stubs
        self, context: bpy.types.Context, event: bpy.types.Event
    ) -> Result:
        """Propose a file, so that Enter accepts it: most people have one template for all scans."""
        self.is_asked = True
        proposed = self._last or template_beside()
        if proposed and not self.properties.is_property_set("filepath"):
            self.filepath = proposed
        return cast(Result, ImportHelper.invoke(self, context, event))

    def run(self, context: bpy.types.Context) -> str:
        report = super().run(context)
        if self.is_asked:
            type(self)._last = bpy.path.abspath(self.filepath)
        return report

    def template(self) -> Template:
        path = bpy.path.abspath(self.filepath)
        try:
            with open(path, "rb") as file:
                data = file.read(template.MOST_BYTES + 1)
        except IsADirectoryError:
            raise RaypickError("Choose a file") from None
        except (OSError, ValueError) as error:
            raise RaypickError(str(error)) from None
        is_text = path.lower().endswith(".txt")
        found = template.from_bytes(data) if is_text else template.from_json(data)
        return found if found.name else replace(found, name=Path(path).stem)


def template_beside() -> str:
    """The only JSON file in the folder of the .blend file; empty if there is none, or several."""
    folder = Path(bpy.data.filepath).parent if bpy.data.filepath else None
    found = [each for each in folder.glob("*.json") if each.suffixes == [".json"]] if folder else []
    return str(found[0]) if len(found) == 1 else ""


class RAYPICK_OT_type_template(_TemplateOperator):
    bl_idname = idnames.TYPE_TEMPLATE_OPERATOR
    bl_label = "Type Template"
    bl_description = "Ask for landmarks of these names, one after the other"

    names: a_text(
        "Names",
        "Names of the landmarks in their order, separated by commas, semicolons or lines",
        options=UNSAVED,
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Show the field for the names, which is done with Enter; a dialog would take two."""
        if self.names:
            return self.execute(context)
        bpy.ops.wm.call_panel("INVOKE_DEFAULT", name=idnames.TYPE_TEMPLATE_PANEL, keep_open=False)
        return {"INTERFACE"}

    def template(self) -> Template:
        return template.from_text(self.names)


class RAYPICK_OT_template_from_set(_TemplateOperator):
    bl_idname = idnames.TEMPLATE_FROM_SET_OPERATOR
    bl_label = "Template from Set"
    bl_description = "Ask for the landmarks that a set of any object has, in the active set"

    object: a_text("Object", "The object that has the set")
    set: a_text("Set", "Name of the set; by default its active one")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        self.is_asked = True
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        self.layout.prop_search(self, "object", bpy.data, "objects")
        self.layout.prop(self, "set")

    def template(self) -> Template:
        obj = bpy.data.objects.get(self.object)
        document = storage.read(obj) if obj else Document()
        group = document.find_set(self.set) if self.set else document.set
        if group is None:
            raise RaypickError("There is no such set")
        notes = {each.name: each.description for each in group.landmarks}
        if not notes:
            raise TemplateError(template.NO_NAMES)
        return Template(notes, group.name)


class _OfTemplate(SetOperator):
    """Base of operators on the template of the active set."""

    needs: Needs = {
        **SetOperator.needs,
        NO_TEMPLATE: lambda document: document.set and document.set.asks,
    }


class RAYPICK_OT_step_template(_OfTemplate):
    bl_idname = idnames.STEP_TEMPLATE_OPERATOR
    bl_label = "Skip Landmark"
    bl_description = "Ask for the next landmark that is missing, or for the previous one"

    step: a_number("Step", "1 for the next one, -1 for the previous one", default=1)

    needs: Needs = {
        **_OfTemplate.needs,
        NOTHING_MISSING: lambda document: document.set and document.set.missing,
    }

    def run(self, context: bpy.types.Context) -> None:
        obj, document, group = self.of(context)
        storage.write(obj, document.with_set(template.stepped(group, -1 if self.step < 0 else 1)))


class RAYPICK_OT_ask_landmark(OfLandmark, SetOperator):
    bl_idname = idnames.ASK_LANDMARK_OPERATOR
    bl_label = "Place Next"
    bl_description = "Missing: click to ask for this landmark next"
    bl_options = {"UNDO", "INTERNAL"}

    def run(self, context: bpy.types.Context) -> None:
        obj, document, landmark = self.found(context)
        group, _ = present(document.find(landmark.id))
        row = group.landmarks.index(landmark)
        storage.write(obj, document.with_set(replace(group, asks=True, asked=row)))


class RAYPICK_OT_clear_template(_OfTemplate):
    bl_idname = idnames.CLEAR_TEMPLATE_OPERATOR
    bl_label = "Clear Template"
    bl_description = "Ask for no more names; the landmarks stay"

    def run(self, context: bpy.types.Context) -> None:
        obj, document, group = self.of(context)
        storage.write(obj, document.with_set(replace(group, asks=False, asked=0)))


class RAYPICK_OT_mirror_names(SetOperator):
    bl_idname = idnames.MIRROR_NAMES_OPERATOR
    bl_label = "Flip Names"
    bl_description = "Swap left and right in names, as Blender does for bones"

    of_what: a_choice(
        "Names",
        "Which names are flipped",
        ("SELECTED", "Selected Landmarks", "Rename the selected landmarks of the active set"),
        ("TEMPLATE", "Template", "Ask for the landmarks of the other side too"),
    )

    def run(self, context: bpy.types.Context) -> str:
        obj, document, group = self.of(context)
        if self.of_what == "TEMPLATE":
            if not group.asks:
                raise RaypickError(NO_TEMPLATE)
            names = template.with_mirrored(group.names, bpy.utils.flip_name)
            changed = group.asking_for(dict.fromkeys(names, ""))
            storage.write(obj, document.with_set(changed))
            return pgettext_rpt("Added {} names").format(len(changed.names) - len(group.names))
        changed, count = _renamed(group)
        storage.write(obj, document.with_set(changed))
        return pgettext_rpt("Renamed {} landmarks").format(count)


def _renamed(group: LandmarkSet) -> tuple[LandmarkSet, int]:
    """The set with the names of its selected landmarks mirrored, and how many have changed."""
    if not any(each.selected for each in group.landmarks):
        raise RaypickError(NONE_SELECTED)
    flipped = [bpy.utils.flip_name(each.name) for each in group.landmarks]
    rows = [
        (each, name, each.selected and not each.locked and name != each.name)
        for each, name in zip(group.landmarks, flipped, strict=True)
    ]
    names = Names(each.name for each, _, mirrored in rows if not mirrored)
    renamed = tuple(
        replace(each, name=names.free(name)) if mirrored else each for each, name, mirrored in rows
    )
    return replace(group, landmarks=renamed), sum(mirrored for *_, mirrored in rows)
