# SPDX-License-Identifier: GPL-3.0-or-later
"""Change what meshes hold besides their shape: UV maps, attributes, and the marks of faces."""

import numpy as np

from .common import action, objects, one

MARK = "own_face"
"""The attribute that the judge knows original faces by."""

LAYERS = (
    ("height", "FLOAT", "POINT", "value", 1),
    ("paint", "FLOAT_COLOR", "CORNER", "color", 4),
    ("dye", "BYTE_COLOR", "POINT", "color", 4),
    ("flow", "FLOAT_VECTOR", "FACE", "vector", 3),
    ("chosen", "BOOLEAN", "POINT", "value", 1),
)


@action()
def mark_faces_and_attributes(rng):
    mark(one(rng, objects("MESH")).data, rng)


@action()
def change_a_uv_map(rng):
    mesh = one(rng, objects("MESH")).data
    if len(mesh.uv_layers) < 3:
        mesh.uv_layers.new()
    layer = one(rng, mesh.uv_layers)
    values = np.random.default_rng(rng.randrange(2**32)).random(2 * len(layer.uv))
    layer.uv.foreach_set("vector", values.astype(np.float32))
    mesh.uv_layers.active = layer
    mesh.update()


@action()
def remove_an_attribute(rng):
    mesh = one(rng, objects("MESH")).data
    names = [layer[0] for layer in LAYERS if layer[0] in mesh.attributes]
    mesh.attributes.remove(mesh.attributes[one(rng, names)])
    mesh.update()


def mark(mesh, rng):
    """Give each face a number of its own, and one more attribute random values."""
    start = rng.randrange(1000)
    faces = np.arange(start, start + len(mesh.polygons), dtype=np.int32)
    _layer(mesh, MARK, "INT", "FACE").data.foreach_set("value", faces)
    name, kind, domain, member, width = rng.choice(LAYERS)
    layer = _layer(mesh, name, kind, domain)
    values = np.random.default_rng(rng.randrange(2**32)).random(width * len(layer.data))
    chosen = values < 0.5 if kind == "BOOLEAN" else values.astype(np.float32)
    layer.data.foreach_set(member, chosen)
    mesh.update()


def _layer(mesh, name, kind, domain):
    found = mesh.attributes.get(name)
    if found is not None and (found.data_type, found.domain) != (kind, domain):
        mesh.attributes.remove(found)
        found = None
    return found or mesh.attributes.new(name, kind, domain)
