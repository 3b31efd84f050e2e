# SPDX-License-Identifier: GPL-3.0-or-later
"""The measurements of ``scripts/benchmark.py --blender``, taken inside Blender's module."""
