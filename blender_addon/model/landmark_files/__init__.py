# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmark files of other tools, read to plain values and written from them.

The caller knows where a place is on a surface, and in which units and axes.
"""
