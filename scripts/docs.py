# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the site of the core: front page, recipes, reference and changes. A warning is an error.

python scripts/docs.py
"""

import tempfile

from checkout import ROOT, remove_tree, run_script, say
from environment import run_in

SOURCES = ROOT / "docs" / "core"
SITE = ROOT / "dist" / "site"


def main() -> int:
    """Build all pages anew; return 0 if there was no warning."""
    remove_tree(SITE)
    with tempfile.TemporaryDirectory() as state:
        sphinx = ("-m", "sphinx", "--fail-on-warning", "--quiet", "--doctree-dir", state)
        status = run_in("docs", *sphinx, SOURCES, SITE)
    if status == 0:
        say(f"the site begins at {SITE / 'index.html'}")
    return status


if __name__ == "__main__":
    run_script(main)
