# SPDX-License-Identifier: GPL-3.0-or-later
"""What renders show: the scene of a render's depsgraph, its cameras, its passes."""
