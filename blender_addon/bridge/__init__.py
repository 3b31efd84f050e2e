# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender's data and the core: views, evaluated geometry, scene snapshots, reports."""

from .scene import snapshot

register, unregister = snapshot.register, snapshot.unregister
