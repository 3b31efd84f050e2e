# SPDX-License-Identifier: GPL-3.0-or-later
"""From a 3D viewport to a camera, and what of a ray it shows."""
