# SPDX-License-Identifier: GPL-3.0-or-later
import importlib
from pathlib import Path

import bpy


def test_compiled_code_is_kept_in_the_extensions_folder_of_the_user(raypick, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    cache_folder = importlib.import_module(
        f"{raypick.__name__}.standalone_core.engines.cache_folder"
    )
    own = Path(bpy.utils.extension_path_user(raypick.__name__))
    parent = cache_folder.parent_folder()
    assert parent.is_relative_to(own)
    assert not parent.is_relative_to(Path(raypick.__file__).parent)
    digest = cache_folder.digest()
    assert digest
    folder = cache_folder.folder(digest)
    assert folder.is_relative_to(own.resolve())
    assert folder.stat().st_mode & 0o777 == 0o700
