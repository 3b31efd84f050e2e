# SPDX-License-Identifier: GPL-3.0-or-later
"""The built extension, installed in the bpy module and enabled; an empty scene for each test."""

import atexit
import importlib
import os
import secrets
import shutil
import signal
import sys

import pytest

from build_extension import build as build_extension
from checkout import CACHE
from standalone_core import console
from tests.patience import PATIENT

# Blender reads where its user files are when it is first imported: not the developer's own.
_profile = os.fspath(CACHE / f"profile-{secrets.token_hex(8)}")
atexit.register(shutil.rmtree, _profile, ignore_errors=True)
os.environ["BLENDER_USER_RESOURCES"] = _profile


def _end(number, _frame):
    """End at once: Blender crashes if an exception comes while it is imported."""
    shutil.rmtree(_profile, ignore_errors=True)
    os._exit(128 + number)


with console.answered([signal.SIGTERM], _end):
    os.makedirs(_profile)
    try:
        import bpy
    except ModuleNotFoundError:
        bpy = None
        collect_ignore_glob = ["*"]

PACKAGE = "bl_ext.user_default.raypick"


def pytest_report_header():
    """Name the Blender that is tested."""
    return f"bpy {bpy.app.version_string}" if bpy else "tests/blender left out: there is no bpy"


@pytest.fixture(scope="session")
def extension_zip():
    """Return the zip that users install, built from the checkout as it is."""
    return build_extension()


@pytest.fixture(scope="session")
def raypick(extension_zip):
    """Return the package of the extension, installed from the zip and enabled as by a user."""
    bpy.ops.extensions.package_install_files(
        repo="user_default", filepath=str(extension_zip), enable_on_install=True
    )
    assert PACKAGE in bpy.context.preferences.addons, "the extension was not enabled"
    exec(PATIENT, {})
    return importlib.import_module(PACKAGE)


@pytest.fixture(autouse=True)
def _empty_scene():
    """Start with an empty factory scene; reading it leaves preferences and extensions alone."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    # Before Blender 4.5 what a context returns belongs to the scene whose settings it last gave.
    _ = bpy.context.tool_settings


_exit_status = None


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(exitstatus):
    """Remember how the tests went."""
    global _exit_status
    _exit_status = int(exitstatus)


@atexit.register
def _leave():
    """End the process at once before Blender 5.0; later ones clean up, and may fail the run by it.

    As modules, Blender 4.2 crashes while it cleans up once anybody registered a class or a handler,
    and 4.5 may wait forever for one of its own threads after a file was saved.
    """
    shutil.rmtree(_profile, ignore_errors=True)
    if bpy is not None and bpy.app.version < (5, 0) and _exit_status is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_exit_status)
