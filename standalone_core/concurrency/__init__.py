# SPDX-License-Identifier: MIT
"""Threads for long calls, and locks that hold up a fork."""
