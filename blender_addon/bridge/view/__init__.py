# SPDX-License-Identifier: GPL-3.0-or-later
"""The camera and the clip planes of a 3D viewport."""
