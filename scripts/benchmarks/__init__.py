# SPDX-License-Identifier: GPL-3.0-or-later
"""The measurements of ``scripts/benchmark.py``, which sets up the environment they run in."""
