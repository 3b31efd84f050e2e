# SPDX-License-Identifier: GPL-3.0-or-later
import importlib
from pathlib import Path

import bpy


def test_compiled_code_is_kept_in_the_extensions_folder_of_the_user(raypick, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    kernel_cache = importlib.import_module(
        f"{raypick.__name__}.standalone_core.engines.numba.kernel_cache"
    )
    own = Path(bpy.utils.extension_path_user(raypick.__name__))
    parent = kernel_cache.parent_folder()
    assert parent.is_relative_to(own)
    assert not parent.is_relative_to(Path(raypick.__file__).parent)
    digest = kernel_cache.digest()
    assert digest
    folder = kernel_cache.folder(digest)
    assert folder.is_relative_to(own.resolve())
    assert folder.stat().st_mode & 0o777 == 0o700
