# SPDX-License-Identifier: GPL-3.0-or-later
"""Many rays through the scene: what is asked of them, chunk after chunk, and what they hit."""
