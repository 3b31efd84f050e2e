# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's example without Blender runs as it stands there."""

import re

import pytest

from checkout import ROOT


def test_from_a_pixel_to_the_hit_runs_as_the_readme_has_it(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"without Blender:\n\n```python\n(.*?)```", text, flags=re.DOTALL)
    names = {}
    exec(found[1], names)
    face, *_ = capsys.readouterr().out.split()
    hit = names["hit"]
    assert face == "0"
    # x / 5 = 1 / 640 / 1.5 and y / 5 = -1 / 480 / 2, by similar triangles.
    assert hit.point.tolist() == pytest.approx([5 / 960, -5 / 960, 5], rel=1e-12)
    assert names["camera"].project(hit.point)[:2] == pytest.approx((320.5, 240.5))
