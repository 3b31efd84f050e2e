# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's example without Blender runs as it stands, and links of pages lead somewhere."""

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


def headings(page):
    """The headings of a page, as links name them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    found = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in found}


def test_each_link_between_pages_leads_to_a_file_and_a_heading():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    followed = 0
    for page in pages:
        for link in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            if "://" in link:
                continue
            name, _, heading = link.partition("#")
            target = page.parent / name if name else page
            assert target.exists(), (page.name, link)
            assert not heading or heading in headings(target), (page.name, link)
            followed += 1
    assert followed > 40
