# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the site of the core: front page, recipes, reference and changes. A warning is an error.

It is made from ``docs/core`` and the docstrings, and written to ``dist/site``.

    python scripts/docs.py
"""

import re
import tempfile

from checkout import ROOT, SetupError, remove_tree, run_script, say
from environment import run_in

SOURCES = ROOT / "docs" / "core"
SITE = ROOT / "dist" / "site"

# Tags by which a browser fetches scripts, pictures, styles or fonts from another host.
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
    if status:
        return status
    for path in (*SITE.rglob("*.html"), *SITE.rglob("*.css")):
        if found := _FETCHED.search(path.read_text(encoding="utf-8")):
            raise SetupError(f"{path.relative_to(SITE)} loads from another host: {found[0]}")
    say(f"the site begins at {SITE / 'index.html'}")
    return 0


if __name__ == "__main__":
    run_script(main)
