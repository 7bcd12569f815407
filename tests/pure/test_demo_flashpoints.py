"""The flashpoints of the full demo: two weeks of news in six languages, and two weeks that follow."""

from collections import Counter

import pytest

from headwater_demo.flashpoints.coverage import coverage
from headwater_demo.flashpoints.flashpoint_list import TITLES, flashpoints, reports_of
from headwater_demo.flashpoints.papers import NAMES
from headwater_demo.flashpoints.reports import REPORTS
from headwater_demo.flashpoints.timeline import EVENTS, LANGUAGES, event_texts

FIRST = [report for report in reports_of("full") if report.hours <= 0]


def test_the_full_demo_has_two_weeks_of_three_flashpoints_in_six_languages():
    assert 580 <= len(FIRST) <= 640
    assert {report.flashpoint for report in FIRST} == set(TITLES)
    assert min(Counter(report.language for report in FIRST).values()) >= 80
    assert {report.language for report in FIRST} == set(LANGUAGES)
    assert min(report.hours for report in FIRST) >= -14 * 24
    assert max(report.hours for report in reports_of("full")) > 12 * 24


def test_the_full_demo_has_copies_updates_follow_ups_and_round_ups():
    kinds = Counter(report.kind for report in FIRST)
    assert set(kinds) == {"report", "copy", "update", "edited_copy", "follow_up", "round_up"}
    assert min(kinds.values()) >= 30
    texts = {(report.title, report.text) for report in FIRST if report.kind == "report"}
    assert all((copy.title, copy.text) in texts for copy in FIRST if copy.kind == "copy")
    assert {report.story for report in FIRST if report.kind == "round_up"} == {""}


def test_reports_have_their_own_address_and_a_known_newspaper():
    reports = reports_of("full")
    assert len({report.url for report in reports}) == len(reports)
    assert {report.host for report in reports} == set(NAMES)


def test_a_false_alarm_is_corrected_within_hours_and_the_flood_grows_slowly():
    hours = {event.name: event.hours for event in EVENTS}
    assert 0 < hours["alarm.false"] - hours["alarm.missile"] < 4
    days = Counter(int(report.hours // 24) for report in FIRST if report.story == "flood")
    counts = [sum(days[day] for day in days if start <= day < start + 4) for start in (-14, -10, -5, -1)]
    assert counts == sorted(counts)
    assert counts[0] < 6
    assert counts[-1] > 30


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("flashpoint", TITLES)
def test_every_text_is_complete_and_belongs_to_an_event(flashpoint: str, language: str):
    texts = dict(event_texts(flashpoint, language))
    assert len(texts.pop("background").details) >= 4
    assert set(texts) <= {event.name for event in EVENTS if event.flashpoint == flashpoint}
    for name, text in texts.items():
        assert (len(text.headlines), len(text.leads), len(text.details) >= 3) == (3, 2, True), name
        assert len({*text.headlines, *text.leads, *text.details}) == 5 + len(text.details)


def test_every_event_is_reported_in_english_and_the_result_is_always_the_same():
    for event in EVENTS:
        assert event.name in event_texts(event.flashpoint, "en")
    coverage.cache_clear()
    assert reports_of("full")[len(REPORTS) :] == coverage()


def test_every_report_of_the_start_is_listed_in_a_feed_or_as_an_entry():
    listed = {
        (flashpoint["id"], feed.split("/")[2])
        for flashpoint in flashpoints("full")["flashpoints"]
        for feed in flashpoint.get("feeds", ())
    }
    entries = {
        entry["url"]
        for flashpoint in flashpoints("full")["flashpoints"]
        for entry in flashpoint.get("entries", ())
    }
    assert all((report.flashpoint, report.host) in listed or report.url in entries for report in FIRST)
