# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the commands, as they are called within Blender's process."""
