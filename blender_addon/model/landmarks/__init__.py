# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks as plain data: one, a set, and all that an object has, as its file holds them."""
