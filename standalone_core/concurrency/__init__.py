# SPDX-License-Identifier: MIT
"""Threads for long calls, and locks and values that work in a forked child."""
