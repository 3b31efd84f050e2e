# SPDX-License-Identifier: MIT
"""Kernels compiled by numba, and the thread that loads them."""
