"""Times on the command line."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from headwater.cli.render.console import format_time, time_column
from headwater.model.errors import Refused
from headwater.settings.times import parse_time

NOW = datetime(2026, 11, 14, 9, 30, tzinfo=UTC)


@pytest.fixture
def vienna(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Vienna")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2h", "2026-11-14T07:30"),
        ("today", "2026-11-14T00:00"),
        ("Yesterday", "2026-11-13T00:00"),
        ("2026-11-01", "2026-11-01T00:00"),
        ("2026-11-01T06:30", "2026-11-01T06:30"),
        ("2026-11-01T06:30+02:00", "2026-11-01T04:30"),
    ],
)
def test_a_time_is_a_duration_a_day_or_a_date(text: str, expected: str):
    assert parse_time(text, NOW, "--since") == datetime.fromisoformat(expected).replace(tzinfo=UTC)


@pytest.mark.parametrize("text", ["someday", "14.11.2026", "", "2026-13-01", "2026-11-01" * 20])
def test_anything_else_is_refused_with_examples(text: str):
    with pytest.raises(Refused, match="yesterday"):
        parse_time(text, NOW, "--since")


@pytest.mark.usefixtures("vienna")
def test_local_times_follow_summer_time():
    assert parse_time("2026-11-01", NOW, "--since", zone=None) == datetime(2026, 10, 31, 23, tzinfo=UTC)
    assert parse_time("2026-07-01", NOW, "--since", zone=None) == datetime(2026, 6, 30, 22, tzinfo=UTC)
    late = datetime(2026, 11, 14, 23, 30, tzinfo=UTC)
    assert parse_time("today", late, "--since", zone=None) == datetime(2026, 11, 14, 23, tzinfo=UTC)


@pytest.mark.usefixtures("vienna")
def test_a_table_names_the_zone_once_unless_it_differs():
    winter, summer = datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)
    assert format_time(winter) == "2026-11-01 01:00 CET"
    assert time_column("seen", [winter, None]) == ("seen (CET)", ["2026-11-01 01:00", ""])
    assert time_column("seen", [winter, summer]) == (
        "seen",
        ["2026-11-01 01:00 CET", "2026-07-01 02:00 CEST"],
    )
    assert time_column("seen", [None]) == ("seen", [""])
