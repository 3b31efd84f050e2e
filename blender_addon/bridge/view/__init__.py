# SPDX-License-Identifier: GPL-3.0-or-later
"""From a 3D viewport to its camera and its clip planes."""
