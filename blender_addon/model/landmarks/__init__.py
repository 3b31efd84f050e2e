# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks as plain data: a landmark, a set, and a document of all that an object has."""
