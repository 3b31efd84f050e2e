# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the pictures of the manual again: real screenshots of a Blender with a window.

    python scripts/screenshots.py

Writes them to ``docs/images``. Needs a windowed Blender, as the windowed tests do.
"""

import windowed
from build_extension import build
from checkout import ROOT, SetupError, run_script, say
from environment import run_inside

IMAGES = ROOT / "docs" / "images"


def newest_build() -> windowed.Build:
    if not windowed.labels():
        raise SetupError(f"there is no windowed Blender: {windowed.why_none()}")
    builds = [windowed.prepare(label) for label in windowed.labels()]
    return max(builds, key=lambda candidate: candidate.version_tuple)


def take_pictures() -> None:
    from tests.windowed.landmark_manual import SIZE, LandmarkManual
    from tests.windowed.manual import Manual
    from tests.windowed.session import Session

    newest = newest_build()
    with Session(newest, build(), size=(1280, 1080), whole=True) as session:
        session.smooth()
        manual = Manual(session, IMAGES)
        for step in (
            manual.take_the_tool,
            manual.read_a_face,
            manual.look_from_aside,
            manual.inspect,
            manual.walk_the_stack,
            manual.open_the_history,
            manual.open_the_preferences,
            manual.survey_the_view,
        ):
            say(f"wrote {step()}")
    with Session(newest, build(), size=SIZE, whole=True) as session:
        session.smooth()
        chapters = LandmarkManual(session, IMAGES)
        for step in (chapters.place, chapters.measure, chapters.edit_the_mesh, chapters.carry_over):
            say(f"wrote {step()}")


if __name__ == "__main__":
    run_script(lambda: run_inside("core", __file__, take_pictures))
