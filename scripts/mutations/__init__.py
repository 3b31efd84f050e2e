# SPDX-License-Identifier: GPL-3.0-or-later
"""Small changes of meaning to the sources, and the tests that must notice each of them.

The tables beside this file have a paragraph for each change. Its heading is the file that changes
and the tests that fail then; lines that begin with - are replaced by those that begin with +. A
line ``@ A B options`` says in which folders the files and the tests below it are, and with what
options of pytest these run.
"""

from pathlib import Path

from .mutant import Mutant, read

MUTANTS = tuple(
    mutant
    for name in ("core", "kernels", "blender")
    for mutant in read(Path(__file__).with_name(f"{name}.txt"))
)

__all__ = ["MUTANTS", "Mutant"]
