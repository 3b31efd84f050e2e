# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: picking, looking, acting on what was found, and keeping it."""

from ..registration import Classes, OnLoad, classes_in, functions
from . import (
    cast,
    copy,
    exclude,
    export_landmarks,
    history,
    hover,
    import_landmarks,
    inspect,
    landmark_empties,
    landmarks,
    measures,
    pick,
    place,
    survey_view,
    use_hit,
)

_MODULES = (
    *(pick, cast, inspect, hover, place, use_hit, copy, history, exclude, measures),
    *(export_landmarks, import_landmarks, landmark_empties, survey_view),
    *landmarks.MODULES,
)
_PARTS = (
    Classes(*classes_in(*_MODULES)),
    OnLoad(inspect.stop, handlers="load_pre"),
    OnLoad(survey_view.stop, handlers="load_pre"),
)
register, unregister = functions(_PARTS)
