# SPDX-License-Identifier: MIT
"""Where the surface of an open mesh ends."""
