# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the add-on's landmark files, which need nothing of Blender."""
