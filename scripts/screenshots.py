# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the pictures of the manual again: real screenshots of a Blender with a window.

    python scripts/screenshots.py
    python scripts/screenshots.py --only film

Writes them to ``docs/images``, with the moving picture of the README, or just one part of them.
Needs a windowed Blender, as the windowed tests do.
"""

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path

import windowed
from build_extension import build
from checkout import ARTEFACTS, ROOT, SetupError, run_script, say
from environment import run_inside

IMAGES = ROOT / "docs" / "images"
FILM = IMAGES / "film.webp"


def newest_build() -> windowed.Build:
    if not windowed.labels():
        raise SetupError(f"there is no windowed Blender: {windowed.why_none()}")
    builds = [windowed.prepare(label) for label in windowed.labels()]
    return max(builds, key=lambda candidate: candidate.version_tuple)


def take_manual(newest: windowed.Build, package: Path) -> Iterator[Path]:
    from tests.windowed.manual import Manual
    from tests.windowed.session import Session

    with Session(newest, package, size=(1280, 1080), whole=True) as session:
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
            yield step()


def take_landmarks(newest: windowed.Build, package: Path) -> Iterator[Path]:
    from tests.windowed.landmark_manual import SIZE, LandmarkManual
    from tests.windowed.session import Session

    with Session(newest, package, size=SIZE, whole=True) as session:
        session.smooth()
        chapters = LandmarkManual(session, IMAGES)
        for step in (chapters.place, chapters.measure, chapters.edit_the_mesh, chapters.carry_over):
            yield step()


def take_render(newest: windowed.Build, package: Path) -> Iterator[Path]:
    from tests.windowed.render_manual import SIZE, RenderManual
    from tests.windowed.session import Session

    with Session(newest, package, size=SIZE) as session:
        session.smooth()
        yield RenderManual(session, IMAGES).render()


def take_film(newest: windowed.Build, package: Path) -> Iterator[Path]:
    from moving_picture import write
    from tests.windowed.film import SIZE, Film
    from tests.windowed.session import Session

    shots = ARTEFACTS / "film"
    shutil.rmtree(shots, ignore_errors=True)
    with Session(newest, package, size=SIZE) as session:
        session.smooth()
        film = Film(session, shots)
        for step in (film.hover, film.keep, film.walk, film.place, film.follow):
            step()
    yield write(film.frames, FILM)


PARTS = {
    "manual": take_manual,
    "landmarks": take_landmarks,
    "render": take_render,
    "film": take_film,
}


def take_pictures() -> None:
    """Take the parts that are asked for; one that fails does not keep the others from it."""
    parser = argparse.ArgumentParser(description="Take the pictures of the manual again.")
    parser.add_argument("--only", action="append", choices=PARTS, help="take this part alone")
    asked = parser.parse_args().only or [*PARTS]
    newest, package = newest_build(), build()
    failed = []
    for name in asked:
        try:
            for path in PARTS[name](newest, package):
                say(f"wrote {path}")
        except Exception as error:
            say(f"{name}: {error}")
            failed.append(name)
    if failed:
        raise SetupError(f"not all pictures were taken: {', '.join(failed)}")


if __name__ == "__main__":
    run_script(lambda: run_inside("core", __file__, take_pictures))
