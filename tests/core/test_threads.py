# SPDX-License-Identifier: GPL-3.0-or-later
import threading

import pytest

from standalone_core import threads


@pytest.mark.parametrize("length", [0, 1, threads._WORTH_IT, 10**9])
def test_the_results_come_in_the_order_of_what_is_given(length):
    assert threads.on_all_cores(lambda x: x * x, range(50), length) == [x * x for x in range(50)]
    assert threads.on_all_cores(len, [], length) == []


def test_what_is_short_stays_in_the_thread_that_asks():
    asked = threads.on_all_cores(lambda _: threading.current_thread(), range(5), 100)
    assert set(asked) == {threading.current_thread()}


def test_what_is_long_is_done_elsewhere():
    asked = threads.on_all_cores(lambda _: threading.current_thread(), range(5), 10**9)
    assert threading.current_thread() not in asked


@pytest.mark.parametrize("length", [0, 10**9])
def test_what_is_raised_comes_out(length):
    def fail(x):
        raise ArithmeticError(x)

    with pytest.raises(ArithmeticError):
        threads.on_all_cores(fail, range(5), length)
