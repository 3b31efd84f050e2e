# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of pages in Markdown: blocks of Python with its prompt, and what it answers."""

import re

_BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def examples(text):
    """Yield each block with the heading above it, and the line where it begins."""
    for block in _BLOCK.finditer(text):
        above = text[: block.start()]
        heading = re.findall(r"^#+ (.*)$", above, re.MULTILINE)[-1]
        yield heading, above.count("\n") + 2, block[1]
