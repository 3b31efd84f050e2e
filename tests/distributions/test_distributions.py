# SPDX-License-Identifier: GPL-3.0-or-later
"""What is released holds the core, is described as it should be, and runs on each Python."""

import json
import re
import subprocess
import sys
import zipfile

import pytest
from packaging.metadata import Metadata

import standalone_core as sc
from checkout import ROOT
from environment import find_python

from ..pages import examples
from .installation import Installation

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
FOUND = {version: find_python(version) for version in VERSIONS}
README = ROOT / "standalone_core" / "README.md"

# Run where the wheel is installed: what is there, a first hit, and examples from the input.
_FIRST_USE = """
import doctest, json, sys
from importlib.metadata import distributions
import standalone_core as sc

assert {d.name for d in distributions()} == {"numpy", "raypick-core"}
mesh = sc.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
assert mesh.ray_cast((0.25, 0.25, 1), (0, 0, -1)).distance == 1.0
for heading, line, source in json.load(sys.stdin):
    test = doctest.DocTestParser().get_doctest(source, {}, heading, "README.md", line)
    failed, tried = doctest.DocTestRunner().run(test)
    assert tried and not failed, heading
print(*sys.version_info[:2], sc.__version__, sc.compiled.state().status)
"""


@pytest.fixture(scope="session")
def metadata(wheel):
    """Read what the wheel says about itself; an ExceptionGroup if an index would refuse it."""
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"raypick_core-{sc.__version__}.dist-info/METADATA")
    return Metadata.from_email(text, validate=True)


def test_the_wheel_has_the_core_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    core = ROOT / "standalone_core"
    modules = {path.relative_to(ROOT).as_posix() for path in core.rglob("*.py")}
    texts = {"CHANGELOG.md", "LICENSE", "README.md", "py.typed"}
    assert len(modules) > 100
    assert names == modules | {f"standalone_core/{name}" for name in texts}


def test_it_runs_on_any_system(wheel):
    assert wheel.name == f"raypick_core-{sc.__version__}-py3-none-any.whl"


def test_it_says_what_it_needs_and_who_may_use_it(metadata):
    assert (str(metadata.version), metadata.license_expression) == (sc.__version__, "MIT")
    assert metadata.license_files == ["standalone_core/LICENSE"]
    required = {str(r) for r in metadata.requires_dist if r.marker is None}
    assert required == {"numpy>=1.26"}
    extras = {"dask", "dev", "docs", "fast", "frames", "meshes", "parquet", "trimesh"}
    assert set(metadata.provides_extra) == extras


_LICENCE = re.compile(rb"^(?:#|//|;|<!--|/\*|\.\.)? ?SPDX-License-Identifier: (\S+)", re.MULTILINE)


def licences(contents):
    """The licences that files name in their first lines."""
    found = (_LICENCE.search(content[:400]) for content in contents)
    return {licence[1].decode() for licence in found if licence is not None}


def test_the_wheel_names_the_licence_of_each_of_its_files(wheel, metadata):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert licences(map(archive.read, names)) == {metadata.license_expression}
    (licence,) = metadata.license_files
    assert f"raypick_core-{sc.__version__}.dist-info/licenses/{licence}" in names


def test_the_source_distribution_names_the_licences_of_all_of_its_files(sources):
    (egg,) = sources.glob("*.egg-info")
    said = {(folder / "PKG-INFO").read_bytes() for folder in (sources, egg)}
    assert len(said) == 1
    metadata = Metadata.from_email(said.pop(), validate=True)
    files = [path.read_bytes() for path in sources.rglob("*") if path.is_file()]
    assert licences(files) == set(metadata.license_expression.split(" AND "))
    assert set(metadata.license_files) == {
        path.relative_to(sources).as_posix() for path in sources.rglob("LICENSE")
    }
    # So that a wheel that is built of it, which holds less, may say less.
    assert {"license-expression", "license-file"} <= set(metadata.dynamic)


def test_each_python_that_is_tried_is_named_and_allowed(metadata):
    prefix = "Programming Language :: Python :: "
    named = [c.removeprefix(prefix) for c in metadata.classifiers if c.startswith(prefix)]
    assert [version for version in named if "." in version] == list(VERSIONS)
    assert all(metadata.requires_python.contains(f"{version}.0") for version in VERSIONS)


def test_its_description_stands_alone(metadata):
    assert metadata.description_content_type == "text/markdown"
    assert metadata.description.strip() == README.read_text(encoding="utf-8").strip()
    assert re.findall(r"\]\((?!https://|#)", metadata.description) == []


def test_the_source_distribution_has_the_core_alone_with_its_tests_and_pages(sources):
    top = {path.name for path in sources.iterdir() if not path.name.endswith(".egg-info")}
    texts = {"CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md"}
    folders = {"blender_addon", "docs", "scripts", "standalone_core", "tests"}
    assert top == texts | folders | {"pyproject.toml", "setup.cfg"}
    assert [path.name for path in (sources / "blender_addon").iterdir()] == ["LICENSE"]
    for name in ("docs/core/conf.py", "tests/core/conftest.py", "scripts/requirements/core.txt"):
        assert (sources / name).is_file()
    assert not list(sources.rglob("*.pyc"))


def test_the_tests_in_the_source_distribution_run_there(sources):
    """All are collected, and some of them run."""
    pytest = (sys.executable, "-m", "pytest", "-q", "--without-numba", "tests/core")
    chosen = "test_docs.py or test_hit.py or test_ray.py"
    run = subprocess.run(
        [*pytest, "-k", chosen], cwd=sources, check=True, stdout=subprocess.PIPE, text=True
    )
    passed, left = re.search(r"(\d+) passed.* (\d+) deselected", run.stdout).groups()
    assert int(passed) > 30
    assert int(left) > 5000


def test_there_is_a_python_to_try():
    assert any(FOUND.values())


@pytest.mark.parametrize("version", VERSIONS)
def test_the_wheel_runs_with_numpy_alone_on_python(version, wheel, tmp_path):
    if FOUND[version] is None:
        pytest.skip(f"there is no Python {version} here")
    installation = Installation.of(wheel, FOUND[version], tmp_path / "packages")
    blocks = list(examples(README.read_text(encoding="utf-8")))
    assert len(blocks) >= 3
    said = installation.run("-W", "error", "-c", _FIRST_USE, input=json.dumps(blocks), cwd=tmp_path)
    assert said.split() == [*version.split("."), sc.__version__, "missing"]
