# SPDX-License-Identifier: MIT
"""Meshes placed by matrices, and which of them a ray meets."""
