# SPDX-License-Identifier: GPL-3.0-or-later
"""From the meshes of Blender to meshes of the core."""
