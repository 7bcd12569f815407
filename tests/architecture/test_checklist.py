"""The checklist page matches the tests."""

import pytest
from tests.checklist import ROOT, ROWS, collect, page, read_name


def test_the_page_is_up_to_date():
    page_text = (ROOT / "tests" / "CHECKLIST.md").read_text(encoding="utf-8")
    assert page_text == page(), "run `python -m tests.checklist tests/CHECKLIST.md`"


def test_every_row_that_a_test_names_exists():
    unknown = [row for row in collect() if not 1 <= row[1] <= ROWS[row[0]]]
    assert unknown == []


@pytest.mark.parametrize(
    ("name", "rows", "sentence"),
    [
        ("test_r8_r9_filings_are_read", [("R", 8), ("R", 9)], "filings are read"),
        ("test_r65_and_r66_boilerplate_goes", [("R", 65), ("R", 66)], "boilerplate goes"),
        ("test_r32_5_3_one_key_has_one_budget", [("R", 32)], "one key has one budget"),
        ("test_bars_of_p3_are_kept", [], ""),
        ("test_5_10_observations_are_kept", [], ""),
    ],
)
def test_a_name_is_read_for_its_rows(name, rows, sentence):
    assert read_name(name) == (rows, sentence)
