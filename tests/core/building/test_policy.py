# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from standalone_core.building import buildable
from standalone_core.building.buildable import RentOrBuy


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves by hand."""
    now = [0.0]
    monkeypatch.setattr(buildable.time, "perf_counter", lambda: now[0])

    def run(activity, seconds):
        with activity():
            now[0] += seconds

    return run


def scans_until_build(account, clock, seconds):
    spent = 0
    while not account.should_build(1):
        clock(account.scanning, seconds)
        spent += 1
        assert spent < 10**6
    return spent


@pytest.mark.parametrize("seconds", [1e-3, 0.05, 10.0])
def test_a_tree_is_built_once_the_scans_have_cost_as_much(clock, seconds):
    price = buildable._BUILD_SECONDS * 1_000_000
    account = RentOrBuy(1_000_000)
    scans = scans_until_build(account, clock, seconds)
    assert account.scan_seconds == pytest.approx(scans * seconds)
    assert (scans - 1) * seconds < price * (1 + 1e-9)
    assert scans * seconds >= price * (1 - 1e-9)


def test_the_dearer_a_scan_the_sooner_the_build(clock):
    counts = [scans_until_build(RentOrBuy(100_000), clock, s) for s in (1e-4, 1e-3, 1e-2)]
    assert counts[0] > counts[1] > counts[2] >= 1


def test_the_first_ray_never_builds():
    for triangles in (1, 1000, 10**8):
        assert not RentOrBuy(triangles).should_build(1)


def test_a_batch_that_would_cost_more_than_a_build_builds_at_once():
    account = RentOrBuy(10_000)
    assert not account.should_build(2)
    assert account.should_build(10_000)


def test_scans_and_seconds_are_counted(clock):
    account = RentOrBuy(100)
    for _ in range(3):
        clock(account.scanning, 0.25)
    clock(account.building, 2.0)
    assert (account.scans, account.scan_seconds, account.build_seconds) == (3, 0.75, 2.0)


def test_an_empty_mesh_has_an_account_too():
    assert isinstance(RentOrBuy(0).should_build(1), bool)
