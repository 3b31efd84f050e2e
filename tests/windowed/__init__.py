# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the installed extension in a Blender with a window, driven from outside."""
