# SPDX-License-Identifier: MIT
"""The interfaces of other libraries on top of :class:`.Mesh`; none of these is imported."""
