# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras of 3D viewports and renders, and the planes that limit their views."""
