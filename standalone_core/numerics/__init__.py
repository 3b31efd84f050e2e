# SPDX-License-Identifier: MIT
"""Exact and accurate arithmetic: vectors, double-double, rationals, the ray-triangle formulas."""
