# SPDX-License-Identifier: GPL-3.0-or-later

import numpy as np
import pytest

from standalone_core.files import plain_text


def digits(rng, most):
    return "".join(map(str, rng.integers(0, 10, rng.integers(0, most + 1))))


def word(rng):
    """A word that may spell a number, mostly a short decimal."""
    sign = rng.choice(["", "", "-", "+", "--"], p=[0.5, 0.2, 0.25, 0.04, 0.01])
    point = rng.choice([".", "", "..", ".-"], p=[0.8, 0.17, 0.02, 0.01])
    end = rng.choice(["", "e-05", "E+3", "e", "x", "_0"], p=[0.9, 0.04, 0.03, 0.01, 0.01, 0.01])
    most = rng.choice([2, 4, 9, 12])
    return sign + digits(rng, most) + point + digits(rng, most) + end


def by_python(read, words):
    """The bits of the numbers as Python reads them one by one; None if a word is wrong."""
    try:
        if any("_" in each for each in words):
            return None
        kind = np.float64 if read is float else np.int64
        return np.array([read(each) for each in words], kind).tobytes()
    except (ValueError, OverflowError):
        return None


def read(function, words):
    try:
        return function(" ".join(words).encode()).tobytes()
    except (ValueError, OverflowError):
        return None


def test_each_decimal_has_the_bits_that_python_gives_it(rng):
    read_at_all = set()
    for _ in range(600):
        words = [each for _ in range(rng.integers(1, 30)) if (each := word(rng))]
        wanted = by_python(float, words)
        assert read(plain_text.floats, words) == wanted, words
        read_at_all.add(wanted is not None)
    assert read_at_all == {True, False}


def test_many_decimals_of_every_length_are_rounded_as_python_does(rng):
    whole = rng.integers(-(2**63), 2**63 - 1, 50_000) >> rng.integers(0, 60, 50_000)
    places = rng.integers(0, 19, 50_000)
    words = [f"{m // 10**k}.{m % 10**k:0{k}d}" for m, k in zip(abs(whole), places, strict=True)]
    assert read(plain_text.floats, words) == by_python(float, words)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["0", "-0", "-0.0", "-.0", "0.", "-0000"],
        ["9007199254740992", "9007199254740993", "900719925474.0993", "-9007199254740993"],
        ["999999999999999999", "1000000000000000000", "9" * 30, "0." + "0" * 40 + "1"],
        ["1"] * 30 + ["1e-05", "nan", "inf", "-Infinity"],
        ["1"] * 30 + ["nan(7)"],
        ["1"] * 30 + ["."],
        ["1"] * 30 + ["-"],
        ["1"] * 30 + ["1.#INF"],
        ["1"] * 30 + ["0x10"],
        ["1"] * 30 + ["1_0"],
    ],
    ids=lambda words: words[-1] if words else "none",
)
def test_unusual_words_are_read_as_python_reads_them(words):
    assert read(plain_text.floats, words) == by_python(float, words)


def test_integers_are_those_of_python(rng):
    for _ in range(500):
        most = int(rng.choice([5, 18, 19, 25]))
        words = [digits(rng, most) or "0" for _ in range(rng.integers(0, 20))]
        words = [
            str(rng.choice(["", "-", "+", "+-"], p=[0.7, 0.27, 0.02, 0.01])) + w for w in words
        ]
        assert read(plain_text.integers, words) == by_python(int, words), words
