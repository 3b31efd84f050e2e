# SPDX-License-Identifier: MIT
"""Readers of mesh files, which may be damaged or forged, and atomic writing."""
