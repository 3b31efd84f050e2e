# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are nearly those of saved meshes: wrong bytes, wrong fields, or wrong arrays.

The last have the digest and the checksums that belong to them, so that nothing but the checks of
their numbers stands between them and the tree.
"""

import hashlib
import io
import tracemalloc
import zipfile
import zlib
from collections import Counter

import numpy as np

import standalone_core as sc
from standalone_core import errors

from .. import meshes

NUMBERS = (0, 1, 2, 3, 79, 80, 255, 65535, 2**31 - 1, 2**31, 2**32 - 1)
FLOATS = (0.0, -0.0, 5e-324, 1.0, -2.0, 3.0, 1e300, 1.7e308, np.inf, -np.inf, np.nan, 2.0**1023)
SHAPES = ((), (0,), (1,), (3,), (80,), (0, 3), (1, 3), (3, 0), (80, 3), (2, 3, 4), (0, 10**6))
TYPES = ("<f8", ">f8", "<f4", "<f2", "<i8", ">i4", "<i4", "|u1", "<u8", "|b1", "<c16", "<U3", "|S5")
TOKENS = (
    *(b"(", b")" * 40, b"[" * 300, b"'|O'", b"'<V9'", b"('<f8', (2,))", b"[('a', '<f8')]", b"-1"),
    *(b"999999999999999999", b"10**9", b"1e9", b"True", b"None", b"\n  x", b"\\", b"'''", b"0x7f"),
    *(b"{'a': {}}", b"1_0", b"lambda: 0", b"\x00", b"\xff\xfe", b"#", b"", b"'descr'", b"3L"),
)
METHODS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def saved(mesh):
    file = io.BytesIO()
    mesh.save(file)
    return file.getvalue()


def originals():
    """Files of meshes with and without faces and tree."""
    for level, faces, is_built in ((1, np.arange(80), True), (1, None, True), (0, None, False)):
        mesh = sc.Mesh(*meshes.icosphere(level), faces)
        if is_built:
            mesh.build()
        yield saved(mesh)
    yield saved(sc.Mesh(np.empty((0, 3)), np.empty((0, 3), int)))


def members(content):
    """The members of an archive, by their names without the ending."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}


def archive(stored, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name, content in stored.items():
            made.writestr(f"{name}.npy", content)
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def with_digest(arrays):
    """The archive of arrays, with the digest that belongs to them as the format has it."""
    stored = {name: npy(array) for name, array in arrays.items() if name != "digest"}
    sums = (f"{name}.npy {len(stored[name])} {zlib.crc32(stored[name])};" for name in stored)
    text = hashlib.blake2b("".join(sorted(sums)).encode(), digest_size=32)
    return archive({**stored, "digest": npy(np.frombuffer(text.digest(), np.uint8))})


def with_wrong_bytes(rng, content):
    wrong = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        start, end = sorted(rng.integers(0, len(wrong) + 1, 2).tolist())
        kind = rng.integers(5)
        if kind == 0:
            del wrong[start : min(end, start + 40)]
        elif kind == 1:
            wrong[start:start] = wrong[start:end][:200]
        elif kind == 2:
            del wrong[end:]
        elif wrong:
            wrong[start % len(wrong)] = rng.integers(256)
    return bytes(wrong)


def with_wrong_fields(rng, content):
    """Wrong numbers in the records of the archive, near their signatures."""
    wrong = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        signature = (b"PK\1\2", b"PK\3\4", b"PK\5\6")[rng.integers(3)]
        places = [at for at in range(len(wrong)) if wrong.startswith(signature, at)]
        at = int(rng.choice(places)) + 4 + int(rng.integers(0, 44)) if places else 0
        size = int(rng.choice((2, 4, 8)))
        number = int(rng.choice(NUMBERS)) + int(rng.integers(-1, 2))
        wrong[at : at + size] = (number % 256**size).to_bytes(size, "little")
    return bytes(wrong)


def with_wrong_headers(rng, content):
    """Other texts in the headers of the arrays, in an archive that is right."""
    stored = members(content)
    name = rng.choice(list(stored))
    magic, header, data = stored[name][:10], stored[name][10:128], stored[name][128:]
    for _ in range(rng.integers(1, 4)):
        start = int(rng.integers(0, 70))
        token = TOKENS[rng.integers(len(TOKENS))]
        header = header[:start] + token + header[start + int(rng.integers(0, 12)) :]
    if rng.integers(2):
        magic = magic[:8] + len(header).to_bytes(2, "little")
    stored[name] = magic + header + data
    return archive(stored)


def with_wrong_members(rng, content):
    """Members that are missing, renamed, doubled, or packed in other ways."""
    stored = members(content)
    first, second = rng.choice(list(stored), 2)
    kind = rng.integers(5)
    if kind == 0:
        del stored[first]
    elif kind == 1:
        stored[first] = stored[second]
    elif kind == 2:
        stored["another" * int(rng.integers(1, 30))] = stored[first]
    elif kind == 3:
        return archive(stored, METHODS[rng.integers(3)])
    made = archive(stored)
    times = int(rng.integers(1, 3))  # in the member's own header alone, or in the directory too
    return made.replace(first.encode(), second.encode(), times) if kind == 4 else made


@np.errstate(all="ignore")
def with_wrong_arrays(rng, content):
    """Other numbers, types and shapes, with the digest that belongs to them."""
    arrays = {name: np.load(io.BytesIO(data)) for name, data in members(content).items()}
    for _ in range(rng.integers(1, 4)):
        name = rng.choice([name for name in arrays if name != "digest"])
        array = arrays[name]
        kind = rng.integers(4)
        if kind == 0:
            shape = SHAPES[rng.integers(len(SHAPES))]
            arrays[name] = np.zeros(shape, TYPES[rng.integers(len(TYPES))])
        elif kind == 1 and array.size:
            array = array.copy()
            at = rng.integers(0, array.size, rng.integers(1, 4))
            other = FLOATS if array.dtype.kind == "f" else (-(2**31), -1, 0, 1, 79, 80, 2**31 - 1)
            array.reshape(-1)[at] = rng.choice(np.array(other), len(at)).astype(array.dtype)
            arrays[name] = array
        elif kind == 2:
            arrays[name] = np.array(array.reshape(-1)[: rng.integers(0, array.size + 1)])
        elif array.dtype.kind in "iuf":
            arrays[name] = array.astype(rng.choice([">f8", ">i4", "<i4", "<i8", "<f8"]))
    return with_digest(arrays)


ORIGINAL, ANOTHER = "loaded the original", "loaded another mesh"
KINDS = (with_wrong_bytes, with_wrong_fields, with_wrong_headers, with_wrong_members)
ALL_KINDS = (*KINDS, with_wrong_arrays)


def outcome(content, original):
    """What comes of loading a file; whatever is no MeshFileError, nor a mesh that is right, raises.

    A mesh is right if rays at its tree hit what they hit without one.
    """
    try:
        mesh = sc.Mesh.load(io.BytesIO(content), engine="numpy")
    except errors.MeshFileError as error:
        return " ".join(word for word in str(error).split()[:8] if word.isalpha())
    mesh.validate()
    if mesh.tree is not None:
        alone = sc.Mesh(mesh.vertices, mesh.triangles, mesh.faces, "numpy", "never")
        rays = aimed(mesh)
        told, right = mesh.cast_rays(*rays), alone.cast_rays(*rays)
        np.testing.assert_array_equal(told.triangle, right.triangle)
        np.testing.assert_array_equal(told.distance, right.distance)
    return ORIGINAL if saved(mesh) == original else ANOTHER


def aimed(mesh):
    """Rays that cross the middles of some triangles whose corners are finite."""
    with np.errstate(all="ignore"):
        middles = mesh.vertices[mesh.triangles].mean(axis=1)
    middles = middles[np.isfinite(middles).all(axis=1)][:12]
    ways = np.random.default_rng(len(middles)).normal(size=middles.shape)
    reach = np.abs(middles).max(initial=1.0) / 4
    return middles / 4 - ways * reach, 3 * middles / 4 + ways * reach


def peak(content):
    """How many bytes it takes to load a file, or to refuse it."""
    tracemalloc.start()
    try:
        outcome(content, b"")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def outcomes(rng, count, measured=50):
    """How often so many mutants of each kind end in what; the memory of one in `measured` is told.

    Returns a Counter of outcomes for each kind, and the most bytes by which one was beyond twenty
    times the size of its file.
    """
    found = {kind.__name__: Counter() for kind in ALL_KINDS}
    files, most = list(originals()), 0
    for number in range(count):
        for kind in ALL_KINDS:
            original = files[rng.integers(len(files))]
            mutant = kind(rng, original)
            found[kind.__name__][outcome(mutant, original)] += 1
            if number % measured == 0:
                most = max(most, peak(mutant) - 20 * len(mutant))
    return found, most
