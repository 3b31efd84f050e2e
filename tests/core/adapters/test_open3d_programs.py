# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs written for Open3D run with ours by another import, or with install() as they are."""

import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import standalone_core as sc
from checkout import ROOT
from standalone_core.adapters import open3d as adapter
from standalone_core.adapters.open3d import RaycastingScene

from .open3d_programs import PROGRAMS, filled


@pytest.fixture
def installed(open3d):
    """Return the class of Open3D, in whose place is ours for now."""
    own = open3d.t.geometry.RaycastingScene
    adapter.install()
    yield own
    adapter.uninstall()
    assert open3d.t.geometry.RaycastingScene is own


def ours_by_import(open3d, request):
    return RaycastingScene


def ours_in_place(open3d, request):
    request.getfixturevalue("installed")
    return open3d.t.geometry.RaycastingScene


@pytest.mark.parametrize("ours", [ours_by_import, ours_in_place])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_a_program_gives_what_it_gives_with_open3d(open3d, request, program, ours):
    wanted = program(open3d, open3d.t.geometry.RaycastingScene)
    found = program(open3d, ours(open3d, request))
    for mine, theirs in zip(found, wanted, strict=True):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        if theirs.dtype.kind == "f":
            assert np.isfinite(theirs).any()
            np.testing.assert_allclose(mine, theirs, rtol=2e-3, atol=2e-4)
        else:
            np.testing.assert_array_equal(mine, theirs)


def test_all_answers_of_a_class_in_place_are_tensors_of_open3d(open3d, installed):
    scene_class = open3d.t.geometry.RaycastingScene
    assert scene_class is RaycastingScene is not installed
    rays = scene_class.create_rays_pinhole(60, [0, 0, 0], [0, 0, 5], [0, 1, 0], 4, 3)
    scene = scene_class()
    scene.add_triangles([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    answers = [rays, scene.compute_distance([[0, 0, 1]]), *scene.cast_rays(rays.numpy()).values()]
    assert {type(answer) for answer in answers} == {open3d.core.Tensor}
    assert rays.dtype == open3d.core.float32


def test_a_second_install_and_a_second_uninstall_do_nothing(open3d, installed):
    in_place = open3d.t.geometry.RaycastingScene
    adapter.install()
    assert open3d.t.geometry.RaycastingScene is in_place
    for _ in range(2):
        adapter.uninstall()
        assert open3d.t.geometry.RaycastingScene is installed
    adapter.install()
    assert open3d.t.geometry.RaycastingScene is in_place


def test_scenes_made_before_stay_as_they_are(open3d):
    theirs, _ = filled(open3d, open3d.t.geometry.RaycastingScene)
    adapter.install()
    try:
        ours, _ = filled(open3d, open3d.t.geometry.RaycastingScene)
    finally:
        adapter.uninstall()
    ray = np.float32([[-9, 0.7, 0.3, 1, 0.01, 0.02]])
    assert not isinstance(theirs, RaycastingScene)
    assert isinstance(ours, RaycastingScene)
    for scene in (theirs, ours):
        answer = scene.count_intersections(ray)
        assert type(answer) is open3d.core.Tensor
        assert answer.numpy().tolist() == [2]


@pytest.fixture
def _no_open3d(monkeypatch):
    """Make imports of Open3D fail."""
    for name in ("open3d", "open3d.t.geometry"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("_no_open3d")
def test_to_install_without_open3d_is_a_named_error():
    with pytest.raises(sc.errors.MissingPackageError, match="needs Open3D"):
        adapter.install()


@pytest.mark.usefixtures("_no_open3d")
def test_to_uninstall_without_open3d_does_nothing():
    adapter.uninstall()


def test_to_uninstall_what_is_not_installed_changes_nothing(open3d):
    own = vars(open3d.t.geometry).copy()
    adapter.uninstall()
    assert vars(open3d.t.geometry) == own


def test_threads_that_install_and_uninstall_leave_the_class_of_open3d(open3d):
    own = open3d.t.geometry.RaycastingScene
    seen = set()

    def again_and_again():
        for _ in range(200):
            adapter.install()
            seen.add(open3d.t.geometry.RaycastingScene)
            adapter.uninstall()

    threads = [threading.Thread(target=again_and_again) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert open3d.t.geometry.RaycastingScene is own
    assert RaycastingScene in seen <= {own, RaycastingScene}


@pytest.mark.usefixtures("open3d")
def test_a_program_has_tensors_of_ours_until_it_imports_open3d():
    program = """
        import sys
        import numpy as np
        from standalone_core.adapters import open3d as adapter

        adapter.uninstall()
        scene = adapter.RaycastingScene()
        scene.add_triangles([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        rays = scene.create_rays_pinhole(9, [0.2, 0.2, 0], [0.2, 0.2, 1], [0, 1, 0], 1, 1)
        ours = [rays, scene.count_intersections(rays), *scene.cast_rays(rays).values()]
        assert {type(each) for each in ours} == {adapter.Tensor}
        assert ours[1].tolist() == [[1]]
        assert "open3d" not in sys.modules

        import open3d

        answers = [*scene.cast_rays(rays).values(), scene.count_intersections(rays)]
        answers += [scene.create_rays_pinhole(np.eye(3), np.eye(4), 1, 1)]
        assert {type(each) for each in answers} == {open3d.core.Tensor}
        for one, other in zip(ours[2:], answers):
            np.testing.assert_array_equal(one.numpy(), other.numpy(), strict=True)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
