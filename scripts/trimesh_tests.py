# SPDX-License-Identifier: GPL-3.0-or-later
"""Run trimesh's own tests of rays, proximity and contains on our drop-ins.

They come from trimesh's source distribution, which pip fetches into ``.cache`` and checks by its
hash. It lacks the model files: ``tests/core/adapters/upstream`` has meshes of ours in their place,
and the plugin that installs the drop-in for all meshes.

    python scripts/environment.py peers scripts/trimesh_tests.py

With a checkout of trimesh's repository, which has the models, all its tests run twice, without the
drop-in and with it, and those that end differently are printed. That takes many minutes.

    python scripts/environment.py peers scripts/trimesh_tests.py --beside ../trimesh
"""

import argparse
import os
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from checkout import (
    CACHE,
    ROOT,
    SetupError,
    command_environment,
    locked,
    run_captured,
    run_quietly,
    run_script,
    say,
)
from environment import REQUIREMENTS
from wheels import pinned_packages

UPSTREAM = ROOT / "tests" / "core" / "adapters" / "upstream"

# Whole files, and single tests of others that use rays, proximity or contains.
SELECTION = (
    "test_ray.py",
    "test_ray_upstream.py",
    "test_proximity.py",
    "test_thickness.py",
    "test_extrude.py::test_extrusion",
    "test_mutate.py",
    "test_primitives.py::test_cyl_buffer",
    "test_primitives.py::test_sample",
    "test_registration.py::RegistrationTest::test_icp_mesh",
    "test_registration.py::RegistrationTest::test_mesh",
    "test_registration.py::RegistrationTest::test_mesh_other_no_reflection",
    "test_remesh.py::SubDivideTest::test_loop_correct",
    "test_sample.py::SampleTest::test_sample",
    "test_sample.py::SampleTest::test_sample_volume",
    "test_util.py::test_inside",
    "test_voxel.py::VoxelGridTest::test_local",
)


_DROP_IN = ("-p", "drop_in")


@dataclass(frozen=True)
class Outcome:
    """How one of trimesh's tests went.

    `asked` is how often it called a drop-in, `stand_ins` are the model files replaced by meshes of
    ours. `problem` is how it failed or why it was skipped, None where it passed.
    """

    name: str
    asked: int
    stand_ins: tuple[str, ...]
    problem: str | None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT")
    checkout = parser.parse_args().beside
    return _beside(checkout / "tests") if checkout else _selection()


def _selection() -> int:
    outcomes = run()
    for outcome in outcomes:
        print(outcome.name, *outcome.stand_ins, outcome.problem or "passed", sep=", ")
    passed = [outcome for outcome in outcomes if outcome.problem is None]
    say(f"{len(passed)} of {len(outcomes)} pass")
    return 0 if len(passed) == len(outcomes) > 0 else 1


def _beside(folder: Path) -> int:
    """Run all tests of a folder without and with the drop-in; return 1 if fewer pass with it."""
    plain, ours = (
        {outcome.name: outcome for outcome in run(folder, (".",), plugin)}
        for plugin in ((), _DROP_IN)
    )
    for name in sorted(plain.keys() | ours.keys()):
        ends = [each[name].problem if name in each else "not run" for each in (plain, ours)]
        if (ends[0] is None) != (ends[1] is None):
            print(name, *(end or "passed" for end in ends), sep=" | ")
    passed = [sum(outcome.problem is None for outcome in each.values()) for each in (plain, ours)]
    asked = sum(outcome.asked > 0 for outcome in ours.values())
    say(f"{passed[0]} of {len(plain)} pass without, {passed[1]} of {len(ours)} with the drop-in,")
    say(f"which {asked} ask")
    return 0 if len(plain) > 0 and passed[1] >= passed[0] else 1


def run(
    folder: Path | None = None, tests: Sequence[str] = SELECTION, plugin: Sequence[str] = _DROP_IN
) -> list[Outcome]:
    """Run trimesh's tests with this interpreter, that of the environment ``peers``."""
    folder = (folder or source() / "tests").resolve()
    report = CACHE / "artefacts" / f"trimesh-{os.getpid()}.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", folder.parent, "-q"]
    command += ["-p", "no:cacheprovider", *plugin, f"--junit-xml={report}"]
    command += ["--continue-on-collection-errors"]
    path = os.pathsep.join(map(str, (ROOT, ROOT / "scripts", UPSTREAM)))
    printed = run_captured(
        [*command, *(folder / test for test in tests)],
        cwd=folder,
        env=command_environment(PYTHONPATH=path, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"),
    ).stdout
    if not report.exists():
        raise SetupError(f"trimesh's tests did not run: {printed[-2000:]}")
    try:
        return [_outcome(case) for case in ElementTree.parse(report).iter("testcase")]
    finally:
        report.unlink()


def source() -> Path:
    """Fetch and unpack trimesh's source distribution, unless it is there; return its folder."""
    pinned = pinned_packages((REQUIREMENTS / "peers.txt").read_text(), ("trimesh",))
    name = pinned.split()[0].replace("==", "-")
    folder = CACHE / "sources" / name
    with locked("trimesh-source"):
        if not folder.exists():
            unfinished = folder.with_name(f"{name}.unfinished")
            unfinished.mkdir(parents=True, exist_ok=True)
            requirements = unfinished / "requirements.txt"
            requirements.write_text(pinned)
            pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check"]
            pip += ["--no-deps", "--no-build-isolation", "--no-binary", ":all:"]
            pip += ["--require-hashes", "-r", requirements, "-d", unfinished]
            run_quietly(pip, f"could not fetch the source of {name}")
            with tarfile.open(unfinished / f"{name}.tar.gz") as archive:
                archive.extractall(unfinished, filter="data")
            (unfinished / name).rename(folder)
    return folder


def _outcome(case: ElementTree.Element) -> Outcome:
    properties = {p.get("name"): p.get("value", "") for p in case.iter("property")}
    problem = next((each for each in case if each.tag in ("failure", "error", "skipped")), None)
    return Outcome(
        f"{case.get('classname', '').removeprefix('tests.')}.{case.get('name')}",
        int(properties.get("asked", 0)),
        tuple(properties.get("stand-ins", "").split()),
        None if problem is None else f"{problem.tag}: {problem.get('message')}",
    )


if __name__ == "__main__":
    run_script(main)
