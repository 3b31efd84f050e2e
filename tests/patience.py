# SPDX-License-Identifier: GPL-3.0-or-later
"""What Raypick leaves for later where it takes long, it does at once on busy machines too."""

PATIENT = """
from bl_ext.user_default.raypick.operators import framing
from bl_ext.user_default.raypick.session import following, hover, measures
hover._QUICK_SECONDS = framing._SECONDS = 60.0
following._LONG_SECONDS = measures._LONG_SECONDS = 60.0
"""
"""Code for a Blender in which Raypick is enabled."""
