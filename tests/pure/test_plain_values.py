"""Values of notes as people write them."""

from typing import Any

import pytest

from headwater.web.pages.plain_values import plain_value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (None, "–"),
        (0.3333333333333333, "0.333"),
        (1.0, "1"),
        (0.0004, "0.0004"),
        (0.0, "0"),
        ({"en": 1.0, "es": 0.25}, "en 1, es 0.25"),
        (["a", False], "a, no"),
        ("PT16620S", "5 h"),
        ("P3DT1H", "3 days"),
        ("PT45S", "45 s"),
        ("P", "P"),
        pytest.param("P" + "9" * 400 + "D", "P" + "9" * 400 + "D", id="endless"),
        ("no rule for *", "no rule for *"),
        (7, "7"),
    ],
)
def test_a_value_is_written_for_people(value: Any, text: str):
    assert plain_value(value, lambda words, **values: words.format(**values)) == text
