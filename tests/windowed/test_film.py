# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of the README's moving picture lead where its captions say."""

import numpy as np
import pytest

from checkout import ARTEFACTS
from tests.windowed.film import NAMES, SIZE, Film
from tests.windowed.hand import look
from tests.windowed.session import Session

WHERE = "[list(each.point) for each in api.landmarks.where(bpy.context, 'Head')]"


@pytest.fixture
def film(blender_build, extension_zip):
    """The film in a window of its own, before its first step."""
    with Session(blender_build, extension_zip, size=SIZE) as session:
        yield Film(session, ARTEFACTS / f"film-{blender_build.label}")


def test_it_picks_what_is_behind_and_its_landmarks_follow_a_moving_mesh(film):
    blender = film.session
    assert look(blender, "shown") is None
    film.hover()
    assert look(blender, "hovered")[::2] == ["Head", 0]
    assert look(blender, "kept") is None
    film.keep()
    assert look(blender, "kept") == look(blender, "hovered")
    film.walk()
    assert look(blender, "kept")[::2] == ["Globe", 2]

    film.place()
    assert blender.py("[each.name for each in api.landmarks.of('Head')]") == [*NAMES]
    at_rest = np.array(blender.py(WHERE))
    film.follow()
    assert blender.py(WHERE) == pytest.approx(at_rest)
    blender.py("bpy.context.scene.frame_set(6)")
    moved = np.linalg.norm(np.array(blender.py(WHERE)) - at_rest, axis=1)
    assert (moved > 0.1).all()

    captions = [frame.caption for frame in film.frames]
    assert len({*captions}) == 5
    assert 6.0 < sum(frame.milliseconds for frame in film.frames) / 1000 < 10.0
    assert not blender.new_traceback()
