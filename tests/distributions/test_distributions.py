# SPDX-License-Identifier: GPL-3.0-or-later
"""What is released holds the core, is described as it should be, and runs on each Python."""

import json
import os
import re
import shutil
import subprocess
import tomllib
import zipfile

import pytest
from packaging.metadata import Metadata

import standalone_core as sc
from build_extension import manifest
from checkout import ROOT
from environment import environment, find_python

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


def of(requirement, extra):
    """Whether an extra alone brings a requirement."""
    return requirement.marker is not None and requirement.marker.evaluate({"extra": extra})


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
    extras = {"dask", "fast", "frames", "meshes", "parquet", "trimesh"}
    assert set(metadata.provides_extra) == {"all", *extras}
    brought = {
        extra: {str(r).partition(";")[0] for r in metadata.requires_dist if of(r, extra)}
        for extra in ("all", *extras)
    }
    assert brought["all"] == set().union(*(brought[extra] for extra in extras))
    assert min(map(len, brought.values())) > 0


def test_pages_about_it_are_linked(metadata):
    urls = metadata.project_urls
    assert set(urls) == {"Homepage", "Issues", "Changelog"}
    stated = tomllib.loads(manifest())
    assert urls["Homepage"] == stated["website"]
    assert urls["Issues"] in stated["maintainer"]
    assert all(url.startswith("https://") for url in urls.values())


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


def test_the_source_distribution_has_the_core_alone_under_its_licence(sources, wheel):
    metadata = Metadata.from_email((sources / "PKG-INFO").read_bytes(), validate=True)
    files = {path.relative_to(sources).as_posix(): path for path in sources.rglob("*.*")}
    assert licences(path.read_bytes() for path in files.values()) == {metadata.license_expression}
    with zipfile.ZipFile(wheel) as archive:
        of_wheel = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = {path.relative_to(sources).as_posix() for path in sources.rglob("*") if path.is_file()}
    assert files == of_wheel | {".gitignore", "PKG-INFO", "pyproject.toml"}


def test_pip_builds_the_same_bytes_from_a_checkout_and_from_the_source_distribution(
    sources, wheel, tmp_path
):
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT / "standalone_core", checkout / "standalone_core")
    for name in (".gitignore", "pyproject.toml"):
        shutil.copyfile(ROOT / name, checkout / name)
    (checkout / "standalone_core" / "notes.txt").touch()
    for path in checkout.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (1e9, 1e9))
    for number, folder in enumerate((checkout, sources)):
        output = tmp_path / str(number)
        pip = [environment("package"), "-m", "pip", "wheel", "--quiet", "--wheel-dir", output]
        command = [*pip, "--no-build-isolation", "--no-deps", folder]
        subprocess.run(command, check=True, umask=0o077 >> 3 * number)
        assert (output / wheel.name).read_bytes() == wheel.read_bytes()


def test_each_python_that_is_tried_is_named_and_allowed(metadata):
    prefix = "Programming Language :: Python :: "
    named = [c.removeprefix(prefix) for c in metadata.classifiers if c.startswith(prefix)]
    assert [version for version in named if "." in version] == list(VERSIONS)
    assert all(metadata.requires_python.contains(f"{version}.0") for version in VERSIONS)


def test_its_description_stands_alone(metadata):
    assert metadata.description_content_type == "text/markdown"
    assert metadata.description.strip() == README.read_text(encoding="utf-8").strip()
    links = re.findall(r"\]\(([^)]*)\)", metadata.description)
    assert links
    assert all(link.startswith(("https://", "#")) for link in links)


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
