# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a Blender session: the current pick, the hover, the history."""
