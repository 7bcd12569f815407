"""Dates as feeds write them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.warning_log import WarningLog
from headwater.text.written_dates import parse_feed_date

MOMENT = "2026-11-13T08:41:00+00:00"


def read(text: str) -> tuple[str | None, str]:
    warnings = WarningLog()
    date = parse_feed_date(text, warnings)
    return (date.isoformat() if date else None), " ".join(line.partition(":")[0] for line in warnings.lines())


@pytest.mark.parametrize(
    "text",
    [
        "Fri, 13 Nov 2026 08:41:00 GMT",
        "Fri, 13 Nov 2026 08:41:00 +0000",
        "Fri, 13 Nov 2026 08:41:00 -0000",
        "Fri, 13 Nov 2026 08:41:00 Z",
        "Fri,13 Nov 2026 08:41:00 GMT",
        "Fri, 13 Nov 2026 08:41 GMT",
        "13 Nov 2026 08:41:00 GMT",
        "Friday, 13 November 2026 08:41:00 GMT",
        "Fri, 13 Nov 26 08:41:00 UT",
        "Wed, 13 Nov 2026 08:41:00 GMT",
        "Fri, 13 Nov 2026 03:41:00 EST",
        "Fri, 13 Nov 2026 00:41:00 PST",
        "Fri, 13 Nov 2026 09:41:00 CET",
        "Fri, 13 Nov 2026 14:11:00 IST",
        "2026년 11월 13일 17:41:00",
        "2026-11-13 오후 05:41:00",
        "Fri, 13 Nov 2026 09:41:00 GMT+1",
        "Fri, 13 Nov 2026 09:41:00 GMT+01:00",
        "Fri, 13 Nov 2026 03:41:00 -05:00",
        "Fri, 13 Nov 2026 08:41:00 +0000 (UTC)",
        "Fri, 13 Nov 2026 8:41:00 AM GMT",
        "Fri, Nov 13 2026 08:41:00 GMT",
        "November 13, 2026 08:41 UTC",
        "Fri Nov 13 08:41:00 UTC 2026",
        "2026-11-13T08:41:00Z",
        "2026-11-13T08:41:00+00:00",
        "2026-11-13T08:41:00+0000",
        "2026-11-13T09:41:00+01:00",
        "2026-11-13T08:41Z",
        "2026-11-13 08:41:00 +0000",
        "2026-11-13 08:41:00 UTC",
        "20261113T084100Z",
        "2026-11-13T08:41:00 Z",
        "2026-11-13 03:41:00 EST",
        "vie, 13 nov 2026 08:41:00 GMT",
        "viernes, 13 de noviembre de 2026 08:41:00 +0000",
        "ven., 13 nov. 2026 08:41:00 +0000",
        "Fr, 13 Nov 2026 08:41:00 GMT",
        "Пт, 13 ноя 2026 11:41:00 +0300",
        "  Fri,  13  Nov  2026  08:41:00  GMT ",
        "Fri, 13-Nov-2026 08:41:00 GMT",
        "1794559260",
        "1794559260000",
    ],
)
def test_many_spellings_of_a_date_are_read_alike(text):
    assert read(text)[0] == MOMENT


@pytest.mark.parametrize(
    ("text", "expected", "code"),
    [
        ("2026-11-13T08:41:00", MOMENT, "date_without_zone"),
        ("Fri, 13 Nov 2026 08:41:00", MOMENT, "date_without_zone"),
        ("Fri Nov 13 08:41:00 2026", MOMENT, "date_without_zone"),
        ("2026-11-13", "2026-11-13T00:00:00+00:00", "date_without_zone"),
        ("13 Nov 2026", "2026-11-13T00:00:00+00:00", "date_without_zone"),
        ("2026/11/13 08:41", MOMENT, "date_without_zone"),
        ("13/11/2026 08:41", MOMENT, "date_without_zone"),
        ("11/13/2026 08:41", MOMENT, "date_without_zone"),
        ("13.11.2026 08:41", MOMENT, "date_without_zone"),
        ("2026年11月13日 08:41", MOMENT, "date_without_zone"),
        ("20261113084100", MOMENT, "date_without_zone"),
        ("Fri, 13 Nov 2026 08:41:00 XYZ", MOMENT, "odd_zone"),
        ("Fri, 13 Nov 2026 08:41:00 +9900", MOMENT, "odd_zone"),
        ("2026-11", "2026-11-01T00:00:00+00:00", "date_without_zone"),
        ("Fri, 13 Nov 2026 24:00:00 GMT", "2026-11-14T00:00:00+00:00", ""),
        ("Fri, 13 Nov 2026 23:59:60 GMT", "2026-11-14T00:00:00+00:00", ""),
        ("Sun, 06 Nov 94 08:49:37 GMT", "1994-11-06T08:49:37+00:00", ""),
    ],
)
def test_uncertain_dates_cause_a_warning(text, expected, code):
    assert read(text) == (expected, code)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Fri, 31 Feb 2026 08:41:00 GMT", "unreadable_date"),
        ("2026-02-30T00:00:00Z", "unreadable_date"),
        ("2026-13-45", "unreadable_date"),
        ("Fri, 13 Nov 2026 25:00:00 GMT", "unreadable_date"),
        ("0000-00-00T00:00:00Z", "unreadable_date"),
        ("0001-01-01T00:00:00Z", "impossible_date"),
        ("02/03/2026", "ambiguous_date unreadable_date"),
        ("yesterday", "unreadable_date"),
        ("Fri, 13 Foo 2026 08:41:00 GMT", "unreadable_date"),
        ("9" * 400, "unreadable_date"),
        ("", ""),
        ("   ", ""),
    ],
)
def test_an_impossible_date_is_none_with_a_warning(text, code):
    assert read(text) == (None, code)


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_rfc_822_and_iso_round_trip(moment):
    moment = moment.replace(microsecond=0)
    assert parse_feed_date(moment.strftime("%a, %d %b %Y %H:%M:%S GMT"), WarningLog()) == moment
    assert parse_feed_date(moment.isoformat(), WarningLog()) == moment


@given(st.text(max_size=60))
def test_any_text_is_a_date_in_utc_or_none(text):
    date = parse_feed_date(text, WarningLog())
    assert date is None or (date.tzinfo is UTC and 1000 <= date.year <= 9000)
