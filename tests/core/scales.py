# SPDX-License-Identifier: GPL-3.0-or-later
"""The sizes at which the same query must have the same answer."""

import pytest

SCALES = (1e-30, 1e-6, 1.0, 1e6, 1e30)

at_every_scale = pytest.mark.parametrize("scale", SCALES, ids="{:g}".format)

EXACT_SCALES = (2.0**-100, 2.0**-20, 1.0, 2.0**20, 2.0**100)
"""Powers of two: scaling by them rounds nothing, so that borders stay borders."""

at_every_exact_scale = pytest.mark.parametrize("scale", EXACT_SCALES, ids="{:.0e}".format)
