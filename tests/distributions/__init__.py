# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of what is released: the core's wheel and sources, a whole release, the page for it."""
