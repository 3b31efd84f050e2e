# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives whose bytes come from their contents alone: sorted, without dates, owners and modes.

What builds an archive notes when each file was written and by whom. Packed again by this module,
the same files give the same bytes, wherever and whenever they were built (with the same zlib).
"""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

_NO_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold
_NO_TIME = 315532800  # the same, as seconds since 1970


def repack_zip(source: Path, target: Path) -> None:
    """Pack the files of a zip or wheel again; what describes a wheel comes last, as is usual."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in sorted(old.namelist(), key=lambda name: (".dist-info/" in name, name)):
            entry = zipfile.ZipInfo(name, _NO_DATE)
            is_compressed = name.endswith(".whl")
            entry.compress_type = zipfile.ZIP_STORED if is_compressed else zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whatever the system
            entry.external_attr = 0o644 << 16
            new.writestr(entry, old.read(name))


def repack_tar(
    source: Path,
    target: Path,
    changed: Callable[[str, bytes], bytes] = lambda _name, content: content,
) -> None:
    """Pack the files and folders of a ``.tar.gz`` again; a function may change what a file has."""
    with (
        tarfile.open(source) as old,
        open(target, "wb") as written,
        gzip.GzipFile("", "wb", fileobj=written, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            entry = tarfile.TarInfo(member.name)
            entry.type, entry.mtime = member.type, _NO_TIME
            entry.mode = 0o755 if member.isdir() else 0o644
            file = old.extractfile(member)
            content = b"" if file is None else changed(member.name, file.read())
            entry.size = len(content)
            new.addfile(entry, io.BytesIO(content))
