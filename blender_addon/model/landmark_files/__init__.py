# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmark files of other tools, read to plain values and written from them.

It is the caller that finds places on a surface, and converts units and axes.
"""
