# SPDX-License-Identifier: MIT
"""When trees are built, the thread that builds them, and what that cost."""
