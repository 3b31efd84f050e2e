# SPDX-License-Identifier: MIT
"""The nearest point of a mesh."""
