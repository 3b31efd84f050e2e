# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of kernels compiled by numba, and of what brings them up."""
