# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of landmarks on Blender's objects."""
