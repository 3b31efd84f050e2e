# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain data without Blender: hits, records and their values."""
