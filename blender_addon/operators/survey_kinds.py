# SPDX-License-Identifier: GPL-3.0-or-later
"""What the image of a survey can show, and through what can be looked: names and tooltips."""

KIND_ITEMS = (
    ("OBJECT", "Object", "A color for each object"),
    ("INSTANCE", "Instance", "A color for each object and each instance"),
    ("MATERIAL", "Material", "A color for each material; gray where there is none"),
    ("FACE", "Face", "A color for each face, by its index"),
    ("TRIANGLE", "Triangle", "A color for each triangle, by its index"),
    (
        "ORIGINAL_FACE",
        "Original Face",
        "A color for each face without modifiers, by its index; gray where it is not known",
    ),
    ("SIDE", "Side Hit", "Blue where the front of a face is seen, red where its back is"),
    ("DEPTH", "Depth", "Depth along the view, from black at the nearest to white at the farthest"),
    (
        "DISTANCE",
        "Distance",
        "Distance along the ray, from black at the nearest to white at the farthest",
    ),
    ("UV", "UV", "The active UV map as red and green; gray where there is none"),
    (
        "BARYCENTRIC",
        "Barycentric Weights",
        "The weights of the triangle's vertices as red, green and blue",
    ),
    ("NORMAL", "Normal", "The triangle's normal in world space: -1 to 1 as 0 to 1"),
    ("SMOOTH_NORMAL", "Shading Normal", "The normal as shaded, in world space: -1 to 1 as 0 to 1"),
)
"""Identifiers as :mod:`.survey_colors` knows them."""

SOURCE_ITEMS = (
    ("VIEW", "Viewport", "All pixels of the 3D viewport, and what it shows there"),
    ("CAMERA", "Render Camera", "All pixels of a render through the scene's camera"),
)

TITLES = {identifier: label for identifier, label, _ in KIND_ITEMS}
