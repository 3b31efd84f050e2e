# SPDX-License-Identifier: MIT
"""Kernels compiled by numba, and what brings them up."""
