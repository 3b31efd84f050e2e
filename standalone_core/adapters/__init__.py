# SPDX-License-Identifier: MIT
"""The interfaces of other libraries, answered by :class:`.Mesh`; none of them is imported."""
