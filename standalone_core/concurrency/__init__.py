# SPDX-License-Identifier: MIT
"""Threads for long calls, and what a forked child goes on with."""
