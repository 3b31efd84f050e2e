# SPDX-License-Identifier: GPL-3.0-or-later
"""Deprecated names work as the new ones do, and say what these are."""

import pickle
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest

from standalone_core.numerics.values import deprecated_alias


class Base:
    @property
    def hit(self):
        return "hit"

    def casts(self, *rays, cull=None):
        return rays, cull

    found = deprecated_alias("found", "hit", since="0.2")
    cast = deprecated_alias("cast", "casts", since="1.3")


class Derived(Base):
    @property
    def hit(self):
        return "derived"


@dataclass(frozen=True, slots=True)
class Record:
    distance: float
    length = deprecated_alias("length", "distance", since="0.2")


def test_an_old_attribute_has_the_value_of_the_new_one():
    with pytest.warns(DeprecationWarning, match=r"^Base.found is deprecated since 0.2: use Base"):
        assert Base().found == "hit"


def test_an_old_method_takes_the_arguments_of_the_new_one():
    with pytest.warns(DeprecationWarning, match=r"since 1.3: use Base.casts$"):
        assert Base().cast(1, 2, cull="back") == ((1, 2), "back")


def test_a_subclass_answers_with_its_own_and_is_named():
    with pytest.warns(DeprecationWarning, match=r"^Derived.found .* Derived.hit$"):
        assert Derived().found == "derived"


def test_the_warning_points_to_the_line_that_used_the_old_name():
    with pytest.warns(DeprecationWarning, match="found") as caught:
        Base().found  # noqa: B018
    assert Path(caught[0].filename) == Path(__file__)


def test_a_record_keeps_its_fields_and_can_be_pickled():
    record = pickle.loads(pickle.dumps(Record(2.0)))
    assert list(Record.__dataclass_fields__) == ["distance"]
    with pytest.warns(DeprecationWarning, match="length"):
        assert record.length == 2.0


def test_looking_at_the_class_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        documentation = [getattr(Base, name).__doc__ for name in ("found", "cast")]
    assert documentation == [
        "The old name of ``hit``.\n\n.. deprecated:: 0.2",
        "The old name of ``casts``.\n\n.. deprecated:: 1.3",
    ]
