# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the core as it is released: the wheel and the source distribution."""
