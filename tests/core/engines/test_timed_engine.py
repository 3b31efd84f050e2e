# SPDX-License-Identifier: GPL-3.0-or-later
from types import SimpleNamespace

import pytest

from standalone_core.engines import timed_engine
from standalone_core.engines.timed_engine import TimedEngine


@pytest.fixture
def work(monkeypatch):
    """Work that takes as many seconds as it is told, by a clock of its own."""
    now, bought = [0.0], []
    monkeypatch.setattr(timed_engine.time, "perf_counter", lambda: now[0])

    def cast(seconds):
        now[0] += seconds
        if seconds > 100:
            raise ArithmeticError
        return seconds

    return TimedEngine(SimpleNamespace(cast=cast), lambda: bought.append(now[0])), bought


def test_the_better_engine_is_sent_for_when_this_one_has_cost_as_much(work):
    engine, bought = work
    for _ in range(7):
        assert engine.cast(timed_engine._PRICE / 8) == timed_engine._PRICE / 8
    assert bought == []
    engine.cast(timed_engine._PRICE / 8)
    assert bought == [timed_engine._PRICE]


def test_work_that_fails_costs_too(work):
    engine, bought = work
    with pytest.raises(ArithmeticError):
        engine.cast(101)
    assert len(bought) == 1


def test_what_the_engine_cannot_do_it_cannot_do_here(work):
    with pytest.raises(AttributeError):
        _ = work[0].dance
