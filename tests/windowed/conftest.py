# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for tests in a window: each test runs once for each Blender that can be had."""

import re

import pytest

import windowed
from build_extension import build as build_extension
from checkout import SetupError
from tests.windowed.hand import middle_of, set_up_inspection
from tests.windowed.session import NoPrivateScreenError, Session
from tests.windowed.views import WHOLE


def pytest_addoption(parser):
    parser.addoption("--blender", choices=windowed.labels(), help="test in this Blender alone")


def pytest_generate_tests(metafunc):
    """Run what needs a windowed Blender once for each; with none, skip it and say why."""
    if "blender_build" in metafunc.fixturenames:
        only = metafunc.config.getoption("--blender")
        builds = [only] if only else windowed.labels()
        if not builds:
            skip = pytest.mark.skip(reason=f"no windowed Blender: {windowed.why_none()}")
            builds = [pytest.param(None, id="none", marks=skip)]
        metafunc.parametrize("blender_build", builds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def extension_zip():
    """Return the zip that users install, built from the checkout as it is."""
    return build_extension()


@pytest.fixture(scope="session")
def blender_build(request):
    """Return a Blender that can open a window, prepared for use."""
    try:
        return windowed.prepare(request.param)
    except SetupError as error:
        pytest.fail(f"the windowed Blender '{request.param}' cannot be had: {error}")


@pytest.fixture(scope="session")
def narrow_blender(blender_build, extension_zip):
    """Return a running session whose viewport is narrow, and drawn sooner."""
    with Session(blender_build, extension_zip, size=(640, 480)) as session:
        yield session


@pytest.fixture(scope="session")
def wide_blender(blender_build, extension_zip):
    """Return a running session whose viewport has room for the scene beside the sidebar."""
    with Session(blender_build, extension_zip) as session:
        yield session


@pytest.fixture(scope="module")
def blender(blender_build, request):
    """Return a running session that takes simulated events, shared by all tests of its width.

    In modules marked ``beside``, headers and sidebar lie beside the viewport, which is then drawn
    in two thirds of the time. Else they lie over it, as they do by default.
    """
    is_wide, is_beside = map(request.node.get_closest_marker, ("wide", "beside"))
    session = request.getfixturevalue("wide_blender" if is_wide else "narrow_blender")
    session.overlap_regions(is_beside is None)
    return session


@pytest.fixture
def at(blender):
    """Return where the window shows a face of the strip, with two more strips behind it."""
    set_up_inspection(blender)
    return lambda face: blender.position_of(middle_of(face))


@pytest.fixture
def whole_at(blender):
    """Return the same in a window with other editors and a status bar."""
    set_up_inspection(blender, home=WHOLE)
    return lambda face: blender.position_of(middle_of(face))


@pytest.fixture
def ended(blender):
    """End the inspector after the test."""
    yield
    if blender.is_running:
        blender.py(
            "from bl_ext.user_default.raypick.operators import inspect\n"
            "inspect.stop()\nresult = None"
        )
        blender.move(5, 5)


@pytest.fixture(autouse=True)
def _running(request):
    """Start a shared Blender again that ended in an earlier test, which alone is to fail."""
    for name in {"blender", "blender_real_input"} & set(request.fixturenames):
        session = request.getfixturevalue(name)
        if not session.is_running:
            session.restart()


@pytest.fixture
def fresh_blender(blender_build, extension_zip):
    """Return a session of a test's own, in which nothing was done before."""
    with Session(blender_build, extension_zip) as session:
        yield session


@pytest.fixture
def tall_blender(blender_build, extension_zip):
    """Return a fresh session whose window is a person's, with all editors."""
    with Session(blender_build, extension_zip, size=(1280, 800), whole=True) as session:
        yield session


@pytest.fixture(scope="session")
def blender_real_input(blender_build, extension_zip):
    """Return a running session that takes real X input; it is shared by all tests."""
    with Session(blender_build, extension_zip, simulate=False) as session:
        yield session


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a test in which Blender printed a traceback, and show that.

    Skip what needs a virtual screen where Blender runs on the person's own.
    """
    try:
        result = yield
    except NoPrivateScreenError as error:
        pytest.skip(str(error))
    if traceback := _new_traceback(item):
        pytest.fail(f"Blender printed:\n{traceback}", pytrace=False)
    return result


def _new_traceback(item):
    """What the sessions of a test have printed from a traceback on; empty if there is none."""
    sessions = (each for each in item.funcargs.values() if isinstance(each, Session))
    return "\n".join(filter(None, (session.new_traceback() for session in sessions)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Keep a picture of what a failed test left on the screen, and what else Blender printed."""
    report = yield
    if report.when == "call" and report.failed:
        if traceback := _new_traceback(item):
            report.sections.append(("Traceback in Blender", traceback))
        for session in item.funcargs.values():
            if isinstance(session, Session):
                name = re.sub(r"\W+", "-", item.name).strip("-")
                try:
                    picture = session.shot(f"failed-{name}.png")
                    report.sections.append(("Picture", str(picture)))
                except Exception as error:
                    report.sections.append(("Picture", f"could not be taken: {error}"))
    return report
