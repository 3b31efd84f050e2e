# SPDX-License-Identifier: MIT
"""Places on a mesh that follow it as it deforms, and the thickness there."""
