# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain data: hits, records and their values; nothing of Blender."""
