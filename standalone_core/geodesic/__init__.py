# SPDX-License-Identifier: MIT
"""The shortest way along a surface, from a place to a place."""
