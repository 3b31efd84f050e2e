# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of JSON are read value by value: what they mean, and how much of them is parsed."""

import json
import random

import pytest

from tests.core.landmark_files.model import model_module

json_text = model_module("json_text")
Reader, TooLargeError = json_text.Reader, json_text.TooLargeError
UnreadableError = json_text.UnreadableError


def whole(reader):
    """All that comes next, gone through to its leaves."""
    if reader.is_next("["):
        return [whole(reader) for _ in reader.items()]
    if reader.is_next("{"):
        return {key: whole(reader) for key in reader.members()}
    return reader.value()


def read(text, **limits):
    reader = Reader(text, **limits)
    found = whole(reader)
    reader.end()
    return found


def any_value(drawn, depth=4):
    if depth and drawn.random() < 0.6:
        inside = [any_value(drawn, depth - 1) for _ in range(drawn.randrange(4))]
        return (
            inside if drawn.random() < 0.5 else {f'"{i}\n\u00e9': v for i, v in enumerate(inside)}
        )
    return drawn.choice([None, True, 12, -3.25e-7, 1 << 70, "", 'a]}",\\', "\U0001f600", "12"])


@pytest.mark.parametrize("most", [90, 1 << 20], ids=["cut", "whole"])
@pytest.mark.parametrize("indent", [None, 2])
def test_texts_mean_what_another_parser_of_json_says(rng, indent, most):
    """Also where a part that is parsed at once ends in the middle of a value."""
    drawn = random.Random(int(rng.integers(2**31)))
    for _ in range(500):
        value = any_value(drawn)
        text = f" {json.dumps(value, indent=indent, ensure_ascii=drawn.random() < 0.5)}\n"
        assert read(text, most=most) == value


def test_mutated_texts_are_read_as_another_parser_does_or_refused(rng):
    drawn = random.Random(int(rng.integers(2**31)))
    read_at_all = 0
    for _ in range(3_000):
        letters = list(json.dumps(any_value(drawn)))
        for _ in range(drawn.randint(1, 3)):
            place = drawn.randrange(len(letters))
            letters[place : place + drawn.randint(0, 2)] = drawn.choice('{}[]",:0-.eEn\\u ')
        text = "".join(letters)
        try:
            found = read(text)
        except (UnreadableError, TooLargeError):
            continue
        assert found == json.loads(text)
        read_at_all += 1
    assert read_at_all > 100


@pytest.mark.parametrize(
    "text", ["", " ", "[", "[1 2]", "[1,]", "{", '{"a"}', '{"a": 1,}', "{1: 2}", "[1] 2"]
)
def test_what_is_no_json_is_refused(text):
    with pytest.raises(UnreadableError):
        read(text)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"b": [{}], "a": 1, "b": 3}'])
def test_a_key_that_is_there_twice_is_refused_as_one_of_the_values_would_be_lost(text):
    with pytest.raises(UnreadableError):
        read(text)
    assert not isinstance(Reader(text).value(), dict)


def test_what_is_nested_too_deep_is_no_value():
    with pytest.raises(UnreadableError):
        Reader("[" * 100_000).value()


def test_a_value_that_is_too_long_is_not_parsed(monkeypatch):
    parts = []
    decoder = json_text._DECODER
    monkeypatch.setattr(
        json_text,
        "_DECODER",
        type(
            "Counted",
            (),
            {
                "raw_decode": lambda _, part, at: (
                    parts.append(len(part)) or decoder.raw_decode(part, at)
                )
            },
        )(),
    )
    with pytest.raises(TooLargeError):
        Reader("[" + "0," * 5_000 + "0]", most=1_000).value()
    assert max(parts) <= 1_000


def test_what_is_of_no_use_is_counted_and_kept_to_the_letter():
    reader = Reader('[ {"a" : 1.50} , NaN]', most_left_out=1_000)
    texts = []
    for _ in reader.items():
        begin = reader.place
        reader.value()
        texts.append(reader.leave_out(begin))
    assert texts == ['{"a" : 1.50}', "NaN"]
    with pytest.raises(TooLargeError):
        reader.leave_out(0)
