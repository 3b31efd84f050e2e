# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the add-on's landmarks as plain data, which need nothing of Blender."""
