# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes asked for by names that nothing has: an error, or NaN where that is wanted."""

import re

import bpy
import numpy as np
import pytest

from ..scenes import mesh_object


@pytest.fixture
def api(raypick):
    return raypick.api


@pytest.fixture
def painted(api):
    """Two triangles; only the first has an attribute and a vertex group."""
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    obj = mesh_object("Painted", corners, [(0, 1, 2)])
    obj.data.attributes.new("Height", "FLOAT", "POINT")
    obj.data.attributes.new("Crease", "FLOAT", "EDGE")
    obj.vertex_groups.new(name="Skin").add([0, 1, 2], 1.0, "REPLACE")
    plain = mesh_object("Plain", corners, [(0, 1, 2)])
    plain.location = (5, 0, 0)
    return obj


RAYS = {"origins": [(0.2, 0.2, 1), (5.2, 0.2, 1)], "directions": (0, 0, -1)}
WHAT_IS_ASKED = {
    "cast_rays": lambda _: RAYS,
    "cast_rays_all": lambda _: RAYS,
    "survey": lambda api: {"camera": api.Camera.look_at((0.2, 0.3, 9), (0.2, 0.2, 0), 9, 9, 0.5)},
    "closest_points": lambda _: {"points": RAYS["origins"]},
    "places": lambda api: {
        "hits": [api.ray_cast(bpy.context, at, (0, 0, -1))[0] for at in RAYS["origins"]]
    },
}


@pytest.mark.parametrize("name", WHAT_IS_ASKED)
def test_an_attribute_that_nothing_has_is_an_error_before_any_ray(api, painted, name):
    def ask(*attributes, **options):
        given = {**WHAT_IS_ASKED[name](api), **options}
        given |= {"attributes": attributes}
        if name != "places":  # it casts no rays
            given["progress"] = lambda done, _: calls.append(done)
        return getattr(api, name)(bpy.context, **given)

    calls = []
    with pytest.raises(api.RaypickError, match=r"has an attribute 'Heigth': there are 'Height', "):
        ask("Skin", "Heigth")
    assert calls == []
    found = ask("Skin", "Heigth", missing="nan")
    assert found.hit.any()
    assert np.isnan(found["attribute:Heigth"]).all()
    assert (found["attribute:Skin"][found.hit] == 1.0).any()


def test_the_error_names_what_there_is_and_no_more_than_a_few(api, painted):
    def text(attribute):
        with pytest.raises(api.RaypickError) as error:
            api.cast_rays(bpy.context, **RAYS, attributes=[attribute])
        return str(error.value)

    start, end = "nothing that can be hit has an attribute 'Skim': there are ", "makes it NaN"
    assert text("Skim").startswith(f"{start}'Skin', 'Height', 'position'")
    assert text("Skim").endswith(f'; missing="nan" {end}')
    assert "attribute 'Crease'" in text("Crease"), "edges have no value inside a face"
    for number in range(20):
        painted.data.attributes.new(f"Extra {number:02}", "FLOAT", "POINT")
    bpy.context.view_layer.update()
    assert "there are 'Extra 07'" in text("Extra 077")
    assert text("Something else").count("'") == 2 * (1 + 8)
    assert re.search(r" and 1[5-9] more; ", text("Something else"))


def test_what_some_have_and_others_lack_is_nan_on_those(api, painted):
    found = api.cast_rays(bpy.context, **RAYS, attributes=["Height", "Skin"])
    assert found["attribute:Height"].tolist() == pytest.approx([0.0, np.nan], nan_ok=True)
    assert found["attribute:Skin"].tolist() == pytest.approx([1.0, np.nan], nan_ok=True)


def test_only_what_can_be_hit_counts(api, painted):
    for options in ({"exclude": "Painted"}, {"only": "Plain"}):
        with pytest.raises(api.RaypickError, match="attribute 'Height': there are 'position'"):
            api.cast_rays(bpy.context, **RAYS, attributes=["Height"], **options)
    found = api.cast_rays(bpy.context, **RAYS, attributes=["Height"], only=[])
    assert np.isnan(found["attribute:Height"]).all(), "nothing can be hit at all"


def test_missing_is_one_of_two_words(api, painted):
    with pytest.raises(api.RaypickError, match='missing must be "error" or "nan", not '):
        api.cast_rays(bpy.context, **RAYS, missing="NaN")


@pytest.mark.parametrize("attributes", [(), ("Height",)])
def test_meshes_are_not_opened_to_look_for_attributes_that_are_found(
    raypick, api, painted, monkeypatch, attributes
):
    opened = []
    kind = raypick.bridge.mesh.scene_mesh.SceneMesh
    lent = kind.opened
    monkeypatch.setattr(
        kind, "opened", lambda self, *given: opened.append(self) or lent(self, *given)
    )
    origins = np.array([(9.0, 9.0, 1.0)])
    api.cast_rays(bpy.context, origins, (0, 0, -1), attributes=attributes)
    assert len(opened) == len(attributes)
