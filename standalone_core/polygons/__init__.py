# SPDX-License-Identifier: MIT
"""Meshes of polygons: how they are numbered, split and scanned."""
