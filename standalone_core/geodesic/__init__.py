# SPDX-License-Identifier: MIT
"""The shortest path along a surface, from one place to another."""
