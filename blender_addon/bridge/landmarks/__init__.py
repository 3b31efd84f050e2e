# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks on Blender's objects: where they are kept, and where they are."""
