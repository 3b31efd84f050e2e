# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that tells how long a pick took, and what it needed."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface

from .. import api, settings
from ..session import current
from .rows import draw_line
from .sidebar import SubPanel


class RAYPICK_PT_performance(SubPanel):
    """Time and memory."""

    bl_label = "Performance"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, _context: bpy.types.Context) -> None:
        column = self.layout.column(align=True)
        record, share = current.shown(), api.indexing()
        time = "-" if record is None else f"{record.seconds * 1e3:.2f} ms"
        indexed = pgettext_iface("None" if share is None else "{:.0%}").format(share)
        memory, limit = api.memory(), settings.cache_bytes()
        for label, shown in (
            ("Time", time),
            ("Engine", settings.engine_name()),
            ("Indexing", indexed),
            ("Cached Meshes", str(memory.meshes)),
            ("Cache Memory", f"{memory.bytes / 2**20:.1f} / {limit / 2**20:.0f} MiB"),
        ):
            draw_line(column, pgettext_iface(label), shown)
