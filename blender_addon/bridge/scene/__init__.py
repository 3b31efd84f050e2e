# SPDX-License-Identifier: GPL-3.0-or-later
"""Make scenes of the core from the depsgraph."""
