# SPDX-License-Identifier: MIT
"""Compile all kernels in another process, for this one to load.

A compiler cannot be interrupted: in a thread it would hold up the end of the process, and slow
down what runs beside it. This file is also run as a program.
"""

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType


def kernel_count(source: Path) -> int:
    """How many kernels there are in the sources of the core, which are in that folder."""
    texts = (file.read_text(encoding="utf-8") for file in (source / "engines").glob("*.py"))
    return sum(len(re.findall(r"^@kernel\(", text, re.MULTILINE)) for text in texts)


def run(package: str, source: Path, folder: Path, begun: Callable[[], None]) -> bool:
    """Have all kernels compiled and kept; whether that was done.

    It takes some 20 seconds. The other process ends soon after this one does. `package` is the name
    of the core in this process, and in what is kept; `source` is its folder. `begun` is called for
    each kernel.
    """
    # Where Python is part of an application, this may be the application.
    if not Path(sys.executable).name.lower().startswith("python"):
        return False
    given = json.dumps([package, str(source), str(folder), os.getpid(), sys.path])
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", __file__, given],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is not meant for it, and no window is to open for it.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError:
        return False
    with process as compiling:
        for line in compiling.stdout or ():
            if line == _BEGUN:
                begun()
    return process.returncode == 0


_BEGUN = b"kernel\n"


def _main() -> None:
    package, source, folder, parent, path = json.loads(sys.argv[1])
    sys.path[:] = path
    _stand_in_for_parents(package, source)
    engines = f"{package}.engines"
    cache_folder = importlib.import_module(f"{engines}.cache_folder")
    kernel_cache = importlib.import_module(f"{engines}.kernel_cache")
    if cache_folder.digest() != Path(folder).name:
        sys.exit("the sources were changed")

    def go_on() -> None:
        # Windows does not say.
        if sys.platform != "win32" and os.getppid() != parent:
            sys.exit("nobody waits for this")
        sys.stdout.buffer.write(_BEGUN)
        sys.stdout.buffer.flush()

    kernel_cache.keep_in(Path(folder), go_on)
    importlib.import_module(f"{engines}.scene_engine")  # and numba_engine with it
    kernel_cache.set_complete(Path(folder))


def _stand_in_for_parents(package: str, source: str) -> None:
    """Let the core be imported alone, whatever packages it is part of."""
    names = package.split(".")
    for depth in range(1, len(names)):
        name = ".".join(names[:depth])
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [str(Path(source).parent)] if depth == len(names) - 1 else []
    if len(names) == 1:
        sys.path.insert(0, str(Path(source).parent))


if __name__ == "__main__":
    _main()
