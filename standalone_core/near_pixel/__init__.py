# SPDX-License-Identifier: MIT
"""What a view shows near a pixel."""
