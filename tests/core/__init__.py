# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the core: a specification in exact arithmetic. No Blender is needed."""
