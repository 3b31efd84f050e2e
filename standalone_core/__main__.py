# SPDX-License-Identifier: MIT
"""The command ``python -m standalone_core``; see :mod:`.command`."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
