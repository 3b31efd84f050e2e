# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators to pick, inspect, use and keep hits, and for landmarks and measures."""

from ..registration import Classes, OnLoad, classes_in, functions
from . import (
    history,
    inspect,
    landmark_files,
    landmark_places,
    landmark_sets,
    landmark_template,
    landmarks,
    measures,
    pick,
    render,
    survey_view,
    under_mouse,
    use_hit,
)

_MODULES = (
    *(pick, inspect, use_hit, under_mouse, history, measures),
    *(landmark_files, survey_view, render),
    *(landmarks, landmark_sets, landmark_places, landmark_template),
)
_PARTS = (
    Classes(*classes_in(*_MODULES)),
    OnLoad(inspect.stop, handlers="load_pre"),
    OnLoad(survey_view.stop, handlers="load_pre"),
)
register, unregister = functions(_PARTS)
