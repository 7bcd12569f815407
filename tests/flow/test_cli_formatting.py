"""How times, sizes, counts and control characters are printed."""

import errno
import os
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.render.console import format_count, format_due, format_relative, format_size
from headwater.cli.render.messages import error_message, system_error_message
from headwater.cli.render.run_progress import counts_line
from headwater.cli.render.run_summary import RecipeCounts, recipe_counts
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.text.printable import printable_text

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "now"),
        (5, "in 5 s"),
        (-90, "90 s ago"),
        (7200, "in 2 h"),
        (-600, "10 min ago"),
        (864000, "in 10 d"),
    ],
)
def test_a_distance_in_time_has_one_unit(seconds: int, expected: str):
    assert format_relative(NOW + timedelta(seconds=seconds), NOW) == expected


def test_what_is_due_is_due_now():
    assert format_due(NOW - timedelta(days=3), NOW) == "now"
    assert format_due(None, NOW) == ""


@pytest.mark.parametrize(
    ("size", "expected"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (2**40, "1099.5 GB")]
)
def test_sizes_are_printed_in_powers_of_a_thousand(size: int, expected: str):
    assert format_size(size) == expected


def test_a_count_of_one_is_singular():
    assert [format_count(n, "source") for n in (0, 1, 2)] == ["0 sources", "1 source", "2 sources"]


@given(st.text())
def test_printable_text_cannot_control_a_terminal(text: str):
    printable = printable_text(text)
    assert len(printable) == len(text)
    assert printable_text(printable) == printable
    assert not any(ord(letter) < 0x20 and letter not in "\n\t" for letter in printable)
    assert not {"\x7f", "\x9b", "\u202e", "\u2066"} & set(printable)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Refused("x", "do this instead"), "do this instead."),
        (Refused("x", "do this instead."), "do this instead."),
        (Permanent("odd", "it is"), "odd: it is."),
        (Temporary("disk_full", "no space left on device"), "no space left on device"),
        (Temporary("database_unavailable", "database is locked"), "database is locked"),
    ],
)
def test_an_error_is_a_sentence(error, expected: str):
    assert expected in error_message(error)
    assert error_message(error).endswith(".")


@pytest.mark.parametrize(
    ("detail", "remedy"),
    [
        ("database is locked", "Another process is using it"),
        ("attempt to write a readonly database", "It is read-only"),
        ("unable to open database file", "your user may read and write"),
        ("connection failed: Connection refused", "Check that the server runs"),
        ('FATAL: password authentication failed for user "me"', "the password in the setting `database`"),
        ('FATAL: database "news" does not exist', "Create it on the server"),
        ("disk I/O error", "free space"),
        ("something else", "Check the setting `database`"),
    ],
)
def test_a_database_that_is_unavailable_names_the_cause(detail: str, remedy: str):
    message = error_message(Temporary("database_unavailable", detail))
    assert remedy in message
    assert ("Another process" in message) == ("locked" in detail)


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.EACCES, "permissions"),
        (errno.EROFS, "read-only"),
        (errno.ENOSPC, "Free some space"),
        (errno.EADDRINUSE, "--port"),
        (errno.EIO, "Input/output error (a.db)."),
    ],
)
def test_an_error_of_the_system_names_the_path_and_what_helps(number: int, remedy: str):
    message = system_error_message(OSError(number, os.strerror(number), "a.db"))
    assert "(a.db)" in message
    assert remedy in message


STATUS = {
    "leads": {"done": 8, "duplicate": 2, "waiting": 1, "quarantined": 1},
    "refetched": {"quarantined": 1},
    "documents": {"kept": 4, "duplicate": 1, "dropped": 1, "aside": 1, "waiting": 1},
    "unfinished": {
        "poll": {"due": 5, "later": 5},
        "fetch": {"due": 1, "later": 0},
        "refine": {"due": 0, "later": 2},
        "gather": {"due": 1, "later": 0},
        "deliver": {"due": 1, "later": 1},
    },
    "stories": 3,
    "deliveries": {"done": 4},
}


def test_counts_divide_what_came_in():
    """A lead whose page failed when it was fetched again counts once, as the document that it has."""
    counts = recipe_counts(STATUS)
    assert (counts.came_in, counts.kept, counts.duplicate, counts.waiting) == (12, 4, 3, 3)
    parts = (
        counts.kept,
        counts.duplicate,
        counts.dropped,
        counts.quarantined,
        counts.waiting,
    )
    assert sum(parts) == counts.came_in
    # What a step set aside is in the quarantine, too: one word and one count.
    assert (counts.quarantined, counts.to_deliver) == (1, 2)
    assert "1 quarantined" in counts_line(counts)
    assert "aside" not in counts_line(counts)
    assert counts.since(counts).nothing_new


def test_what_is_left_to_do_is_a_state_and_never_negative():
    this_run = recipe_counts(STATUS).since(RecipeCounts(waiting=300, to_deliver=9, kept=1))
    assert (this_run.waiting, this_run.to_deliver, this_run.kept) == (3, 2, 3)


def test_counts_since_nothing():
    counts = recipe_counts(STATUS)
    assert not counts.since(RecipeCounts()).nothing_new
