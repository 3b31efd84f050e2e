# SPDX-License-Identifier: MIT
"""Mesh files, read with distrust and written whole."""
