# SPDX-License-Identifier: MIT
"""The interfaces of other libraries on top of :class:`.Mesh`; only ``install`` imports these."""
