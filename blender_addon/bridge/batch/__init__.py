# SPDX-License-Identifier: GPL-3.0-or-later
"""Casting many rays at the scene: queries, casts in chunks, and columns of hits."""
