# SPDX-License-Identifier: MIT
"""Places on a mesh that stay where they are as it deforms, and the thickness there."""
