# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the core, of the add-on without a window, and of the add-on in a window."""
