# SPDX-License-Identifier: GPL-3.0-or-later
"""Each zip with compiled code is for one Python, and says what it needs and what it brings."""

import re
import tomllib
import zipfile

import pytest

import build_extension
from build_extension import build, build_compiled, compiled_manifest
from checkout import SetupError
from wheels import LICENSES, LICENSES_ON_WINDOWS, TARGETS, wheels

# The first one for each operating system.
NAMES = ("linux-x64-py311", "macos-x64-py311", "windows-x64-py311")

# Of its own parts, a wheel tells in the licence's own file; of others, under headings in this one.
_OTHERS = "/LICENSES.third-party"
_HEADING = re.compile(r"^(\S.*?)(?: \(http.*\))? *\r?\n-{4,}\r?$", re.MULTILINE)


@pytest.fixture(scope="module", params=NAMES)
def target(request):
    return TARGETS[request.param]


def members(target):
    """Each wheel of a target, and the names of its files."""
    for wheel in wheels(target):
        with zipfile.ZipFile(wheel) as archive:
            yield archive, archive.namelist()


def test_the_licence_of_each_part_of_its_wheels_is_known(target):
    parts = set()
    for archive, names in members(target):
        for name in names:
            if name.endswith(_OTHERS):
                parts |= {*_HEADING.findall(archive.read(name).decode())}
            if name.endswith("/LICENSE.thirdparty"):
                assert "Apache License v2.0 with LLVM Exceptions" in archive.read(name).decode()
    own = {"numba", "llvmlite", "LLVM"}
    assert {part for part in parts if not part.isupper()} <= LICENSES.keys() - own
    assert {"CPython", "NumPy", "cloudpickle"} <= parts


def test_no_library_is_bundled_but_known_ones(target):
    bundled = {
        name.partition(".libs/")[2].partition("-")[0]
        for _, names in members(target)
        for name in names
        if ".libs/" in name or ".dylibs/" in name
    }
    windows = target.platform.startswith("windows")
    assert bundled - {""} == (LICENSES_ON_WINDOWS.keys() if windows else set())


def test_its_manifest_asks_for_the_blenders_that_have_its_python(target):
    names = [wheel.name for wheel in wheels(target)]
    stated = tomllib.loads(compiled_manifest(target, names))
    assert [stated["blender_version_min"], stated["blender_version_max"]] == ["4.2.0", "5.1.0"]
    assert stated["platforms"] == [target.platform]
    assert stated["wheels"] == [f"./wheels/{name}" for name in names]
    assert [name.partition("-")[0] for name in names] == ["llvmlite", "numba"]
    assert all("-cp311-cp311-" in name for name in names)
    licences = {"GPL-3.0-or-later", "MIT", "BSD-2-Clause", "Apache-2.0 WITH LLVM-exception"}
    assert {f"SPDX:{each}" for each in licences} < {*stated["license"]}
    assert len({*stated["license"]}) == len(stated["license"])
    assert all(re.match(r"\d{4}(-\d{4})? \w", each) for each in stated["copyright"])


def test_wheels_come_only_to_blenders_that_look_at_their_python():
    """Blender 4.2.0 installs wheels for any Python, and its own is 3.11."""
    for target in TARGETS.values():
        least = tuple(map(int, target.blenders[0].split(".")))
        assert least == (4, 2, 0) if target.abi == "cp311" else least >= (4, 3, 0)


def test_a_zip_holds_the_wheels_of_one_python_and_its_size_has_a_limit(tmp_path, monkeypatch):
    (built,) = build_compiled(["macos-x64-py311"], tmp_path)
    with zipfile.ZipFile(built) as archive:
        held = {name for name in archive.namelist() if name.endswith(".whl")}
        stated = tomllib.loads(archive.read("blender_manifest.toml").decode())
    assert held == {name.removeprefix("./") for name in stated["wheels"]}
    assert built.stat().st_size < 150_000_000
    before = built.read_bytes()
    monkeypatch.setattr(build_extension, "_LARGEST", 1_000_000)
    with pytest.raises(
        SetupError, match=r"^raypick-.*\.zip has [\d,]+ bytes, more than 1,000,000$"
    ):
        build(tmp_path)
    assert [*tmp_path.iterdir()] == [built]
    assert built.read_bytes() == before
