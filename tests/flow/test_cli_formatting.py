"""How moments, sizes, figures and strange letters are put into words."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.render.console import format_count, format_due, format_relative, format_size
from headwater.cli.render.messages import error_message, printable_text
from headwater.cli.render.progress import REPEAT_UNCHANGED_AFTER, ChangePrinter
from headwater.cli.render.run_summary import RecipeCounts, recipe_counts
from headwater.model.errors import Permanent, Refused, Temporary

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "now"),
        (5, "in 5 s"),
        (-90, "90 s ago"),
        (7200, "in 2 h"),
        (-600, "10 min ago"),
        (864000, "in 10 d"),
    ],
)
def test_a_distance_in_time_has_one_unit(seconds: int, told: str):
    assert format_relative(NOW + timedelta(seconds=seconds), NOW) == told


def test_what_is_due_is_due_now():
    assert format_due(NOW - timedelta(days=3), NOW) == "now"
    assert format_due(None, NOW) == ""


@pytest.mark.parametrize(
    ("size", "told"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (2**40, "1099.5 GB")]
)
def test_sizes_are_told_in_thousands(size: int, told: str):
    assert format_size(size) == told


def test_one_is_not_many():
    assert [format_count(n, "source") for n in (0, 1, 2)] == ["0 sources", "1 source", "2 sources"]


@given(st.text())
def test_nothing_printable_steers_a_terminal(text: str):
    told = printable_text(text)
    assert len(told) == len(text)
    assert printable_text(told) == told
    assert not any(ord(letter) < 0x20 and letter not in "\n\t" for letter in told)
    assert not {"\x7f", "\x9b", "\u202e", "\u2066"} & set(told)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Refused("x", "do this instead"), "do this instead."),
        (Refused("x", "do this instead."), "do this instead."),
        (Permanent("odd", "it is"), "odd: it is."),
        (Temporary("disk_full", "no space left on device"), "no space left on device"),
        (Temporary("database_unavailable", "database is locked"), "database is locked"),
    ],
)
def test_an_error_is_a_sentence(error, told: str):
    assert told in error_message(error)
    assert error_message(error).endswith(".")


STATUS = {
    "leads": {"done": 7, "duplicate": 2, "waiting": 1},
    "documents": {"kept": 4, "duplicate": 1, "dropped": 1, "aside": 1},
    "unfinished": {
        "poll": {"due": 5, "later": 5},
        "fetch": {"due": 1, "later": 0},
        "refine": {"due": 0, "later": 2},
    },
    "stories": 3,
    "deliveries": {"done": 4},
}


def test_figures_add_up_documents_and_leads_and_leave_polling_out_of_what_waits():
    seen = recipe_counts(STATUS)
    assert (seen.came_in, seen.kept, seen.duplicate, seen.waiting) == (10, 4, 3, 3)
    assert seen.since(seen).nothing_new
    assert not seen.since(RecipeCounts()).nothing_new


def test_progress_repeats_itself_only_now_and_then():
    lines, told = iter(["a", "a", "b", *"b" * REPEAT_UNCHANGED_AFTER]), []
    progress = ChangePrinter(lambda: next(lines), told.append)
    for _ in range(3 + REPEAT_UNCHANGED_AFTER):
        progress()
    assert told == ["a", "b", "b"]
