"""Patterns that users write are matched in linear time, or refused."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.text.linear_patterns import BadPattern, LinearPattern


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*a){20}$", "a?" * 60 + "a" * 60])
def test_a_pattern_with_exponentially_many_ways_ends(pattern: str):
    assert LinearPattern(pattern).is_in("a" * 5_000 + "!") is pattern.endswith("aa")


@pytest.mark.parametrize("pattern", ["(", "[", "a(?=b)", r"(a)\1", "a{1000}{1000}", "\ud800"])
def test_what_cannot_be_matched_in_linear_time_is_refused(pattern: str):
    with pytest.raises(BadPattern):
        LinearPattern(pattern)


PATTERNS = [r"/\d{4}/\d\d/", r"/news-(?:a|b)$", "^https://", r"\bport\b", "(?i)HARBOUR", "[^/]+/$", "ñ"]


@given(st.sampled_from(PATTERNS), st.text(alphabet="/0123456789abñport-HARBOUR. \ud800", max_size=30))
def test_a_pattern_means_the_same_as_in_python(pattern: str, text: str):
    assert LinearPattern(pattern).is_in(text) == (re.search(pattern, text, re.ASCII) is not None)
