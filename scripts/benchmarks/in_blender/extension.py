# SPDX-License-Identifier: GPL-3.0-or-later
"""The measured extension: install it as users do, reset it, count what it reads."""

import importlib
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from unittest import mock

import bpy

PACKAGE = "bl_ext.user_default.raypick"


def install(extension: str) -> None:
    """Install the zip, without importing any of it yet."""
    bpy.ops.extensions.package_install_files(
        repo="user_default", filepath=extension, enable_on_install=False
    )


def enable() -> None:
    bpy.ops.preferences.addon_enable(module=PACKAGE)


def disable() -> None:
    """Disable it, and remove its modules, so that enabling it imports all of them again."""
    bpy.ops.preferences.addon_disable(module=PACKAGE)
    for name in [name for name in sys.modules if name.split(".")[:3] == PACKAGE.split(".")]:
        del sys.modules[name]


def part(name: str) -> ModuleType:
    return importlib.import_module(f"{PACKAGE}.{name}")


def forget() -> None:
    """Empty the extension's caches, as after enabling it, and wait for its threads to end."""
    bridge = part("bridge")
    bridge.unregister()
    bridge.register()
    while any(thread.name == "tree build" for thread in threading.enumerate()):
        time.sleep(0.005)


def wait_for_index(seconds: float = 60.0) -> None:
    """Wait until no tree is being built; without a window, no timer goes on with the work."""
    snapshot = part("bridge.scene.snapshot")
    end = time.perf_counter() + seconds
    while snapshot.indexing() is not None and time.perf_counter() < end:
        snapshot.go_on()
        time.sleep(0.01)


def held_bytes() -> int:
    return int(part("api").memory().bytes)


def limit_memory(mebibytes: int) -> None:
    bpy.context.preferences.addons[PACKAGE].preferences.cache_size = mebibytes


@contextmanager
def counted_reads() -> Iterator[tuple[mock.Mock, mock.Mock]]:
    """Count, as `call_count`, how often positions and faces of a mesh are read from Blender."""
    arrays = part("bridge.mesh.arrays")
    positions, faces = mock.Mock(wraps=arrays.positions), mock.Mock(wraps=arrays.faces)
    with mock.patch.multiple(arrays, positions=positions, faces=faces):
        yield positions, faces
