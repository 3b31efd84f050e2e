# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks on Blender's objects: storing, editing, locating and measuring them."""
