# SPDX-License-Identifier: GPL-3.0-or-later
"""Every text of the interface is translated, and nothing else."""

import json
import re

import pytest

from tests.interface_texts import ADDON, texts, texts_of

LOCALES = ["fr_FR", "zh_HANS"]


@pytest.fixture(params=LOCALES)
def translated(request):
    """From English to a language."""
    path = ADDON / "translations" / f"{request.param}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_translations_are_sorted(translated):
    assert list(translated) == sorted(translated)


def test_every_text_is_translated(translated):
    assert sorted(texts() - translated.keys()) == []


def test_no_translation_is_left_over(translated):
    assert sorted(translated.keys() - texts()) == []


def test_translations_have_the_same_places_for_values(translated):
    for english, other in translated.items():
        places = re.findall(r"\{[^}]*\}", english)
        assert re.findall(r"\{[^}]*\}", other) == places, english


def test_translations_are_not_empty_and_end_as_the_english(translated):
    for english, other in translated.items():
        assert other.strip() == other
        assert other
        assert english.endswith(".") == other.endswith((".", "。")), english


def test_texts_are_found_in_source_code():
    source = '''
"""A docstring."""
TOOLTIP = "What it does"
class A:
    """Another docstring."""
    name: StringProperty(name="Name", description="Whose " "name", default="some_name")
    def poll(cls) -> "bool":
        cls.poll_message_set("It cannot be done")
        return f"{cls} is no text"
    items = (("AN_ITEM", "Item", "Tooltip of it"),)
'''
    assert texts_of(source) == {
        *("What it does", "Name", "Whose name", "It cannot be done", "Item", "Tooltip of it")
    }
