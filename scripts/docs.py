# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the site of the core: front page, recipes, reference and changes. A warning is an error.

What it is made of is in ``docs/core`` and in the docstrings; what it comes to, in ``dist/site``.

    python scripts/docs.py
"""

import re
import tempfile
from pathlib import Path

from checkout import ROOT, SetupError, remove_tree, run_script, say
from environment import run_in

SOURCES = ROOT / "docs" / "core"
SITE = ROOT / "dist" / "site"

# What a browser fetches by itself, from another host: scripts, pictures, styles and fonts.
_FETCHED = re.compile(
    r"""<(?:script|img|iframe)\b[^>]*\bsrc="(?:https?:)?//"""
    r"""|<link\b[^>]*\bhref="(?:https?:)?//"""
    r"""|(?:@import|url\()\s*["'(]*(?:https?:)?//"""
)


def main() -> int:
    remove_tree(SITE)
    with tempfile.TemporaryDirectory() as state:
        sphinx = ("-m", "sphinx", "--fail-on-warning", "--quiet", "--doctree-dir", state)
        status = run_in("docs", *sphinx, SOURCES, SITE)
    if status == 0:
        check_offline(SITE)
        say(f"the site begins at {SITE / 'index.html'}")
    return status


def check_offline(site: Path) -> None:
    """Stop if a page or a style needs another host when it is viewed."""
    for path in (*site.rglob("*.html"), *site.rglob("*.css")):
        if found := _FETCHED.search(path.read_text(encoding="utf-8")):
            raise SetupError(f"{path.relative_to(site)} needs another host: {found[0]}")


if __name__ == "__main__":
    run_script(main)
