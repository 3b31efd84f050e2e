# SPDX-License-Identifier: GPL-3.0-or-later
"""From the depsgraph to a scene of the core."""
