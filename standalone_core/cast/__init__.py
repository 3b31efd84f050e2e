# SPDX-License-Identifier: MIT
"""Rays against triangles: one ray or many, by a scan or at the candidates of a tree."""
