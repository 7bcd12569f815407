"""Saved searches as values: dates that move, the order of rules, digests as messages, and feeds."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.outcomes import Drop, SetAside
from headwater.model.recipe import Envelope
from headwater.model.saved_search import (
    Digest,
    MatchEntry,
    SavedSearch,
    SearchAction,
    SearchDelivery,
    SearchState,
    digest_period,
)
from headwater.search.match_feed import MatchFeed, write_match_feed
from headwater.search.matching import searched_document
from headwater.search.saved_searches import SavedSearchSet, check_query, rule_outcome
from headwater.sinks.message import message_of
from headwater.sources.feeds.parser import parse_feed

NOW = datetime(2026, 11, 14, 12, 34, tzinfo=UTC)
DOCUMENT = Document(
    id="d", recipe="news", source="s", lead="l", url="https://wire.example/a", title="Grain ships", language="en",
    published=NOW,
)  # fmt: skip


def search(name: str, query: str, **fields: object) -> SavedSearch:
    return SavedSearch(id=name, name=name, query=query, created_at=NOW, **fields)


def names(searches: SavedSearchSet, document: Document, now: datetime, **options: str) -> list[str]:
    return [match.name for match in searches.matching(searched_document(document), now, **options)]


def test_a_date_such_as_yesterday_moves_with_the_time() -> None:
    searches = SavedSearchSet(
        (search("fresh", "grain since:24h"), search("fixed", "grain since:2026-11-01")), 1, NOW
    )
    assert names(searches, DOCUMENT, NOW) == ["fresh", "fixed"]
    assert names(searches, DOCUMENT, NOW + timedelta(days=3)) == ["fixed"]
    later = DOCUMENT.with_changes(published=NOW + timedelta(days=3))
    assert names(searches, later, NOW + timedelta(days=3)) == ["fresh", "fixed"]


def test_paused_searches_other_recipes_and_other_kinds_do_not_match() -> None:
    searches = SavedSearchSet(
        (
            search("paused", "grain", state=SearchState.PAUSED),
            search("elsewhere", "grain", recipe="markets"),
            search("stories", "grain", record_kind="story"),
            search("filtered", "grain", filters={"publisher": ["The Wire"]}),
            search("here", "grain", recipe="news"),
        ),
        1,
        NOW,
    )
    assert names(searches, DOCUMENT, NOW) == ["here"]
    assert names(searches, DOCUMENT, NOW, record_kind="story") == ["stories", "here"]
    assert names(searches, DOCUMENT.with_changes(publisher="the wire"), NOW) == ["filtered", "here"]


def test_a_query_that_cannot_be_read_matches_nothing_and_stops_nothing() -> None:
    broken = (
        search("broken", "grain since:someday"),
        *(search(str(value), "grain", filters={"quality": value}) for value in ("abc", 7, True)),
        *(
            search(f"{name}", "grain", filters={name: value})
            for name, value in (("colour", ["x"]), ("topic", "x"))
        ),
    )
    searches = SavedSearchSet((*broken, search("sound", "grain")), 1, NOW)
    assert names(searches, DOCUMENT, NOW) == ["sound"]


@pytest.mark.parametrize("query", ["", "-grain", "recipe:news", "*"])
def test_a_search_for_everything_is_refused(query: str) -> None:
    with pytest.raises(Refused, match="every document"):
        check_query(search("all", query), NOW)


def test_drop_goes_before_quarantine_and_quarantine_before_tag() -> None:
    drop, quarantine, tag = (
        search(action, "x", action=SearchAction(action)) for action in ("drop", "quarantine", "tag")
    )
    assert rule_outcome(DOCUMENT, [tag, quarantine, drop]) == Drop(
        "search:drop", evidence={"searches": ["drop"]}
    )
    assert rule_outcome(DOCUMENT, [tag, quarantine]) == SetAside(
        "search:quarantine", evidence={"searches": ["quarantine"]}
    )
    tagged = rule_outcome(DOCUMENT.with_changes(attributes={"tags": ["old"]}), [tag])
    assert isinstance(tagged, Document)
    assert tagged.attributes["tags"] == ["old", "tag"]
    assert rule_outcome(DOCUMENT, []) is DOCUMENT


def test_an_hour_and_a_day_are_those_of_utc() -> None:
    moment = NOW.astimezone()
    assert digest_period(SearchDelivery.HOURLY, moment)[1] == datetime(2026, 11, 14, 13, tzinfo=UTC)
    assert digest_period(SearchDelivery.DAILY, moment)[1] == datetime(2026, 11, 15, tzinfo=UTC)


def entry(number: int, **fields: object) -> MatchEntry:
    defaults = {"title": f"Title {number}", "url": f"https://wire.example/{number}", "matched_at": NOW}
    return MatchEntry(record_id=f"d{number}", record_kind="document", recipe="news", **(defaults | fields))


def test_messages_name_the_search_and_a_digest_lists_its_entries() -> None:
    single = message_of(Envelope(key="k", route="search:ships", record=DOCUMENT, revision=1))
    assert (single.title, single.url) == ("[ships] Grain ships", DOCUMENT.url)
    digest = Digest(
        id="g", recipe="news", search="ships", since=NOW, until=NOW, entries=tuple(map(entry, range(30)))
    )
    message = message_of(Envelope(key="k", route="search:ships", record=digest, revision=1))
    assert message.title == "ships: 30 matches until 2026-11-14 12:34 UTC"
    assert message.text.startswith("Title 0\nhttps://wire.example/0\nTitle 1")
    assert message.text.endswith("and 10 more")
    assert "1 match until" in replace(digest, entries=digest.entries[:1]).title


def test_a_feed_without_entries_was_updated_when_its_search_was_saved() -> None:
    feed = MatchFeed(search_id="s", name="ships", query="ships", entries=[], created=NOW)
    assert feed.page().updated == NOW


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=20))
def test_a_feed_is_well_formed_whatever_the_entries_contain(title: str, text: str, query: str) -> None:
    entries = [entry(1, title=title, text=text, publisher=title), entry(2)]
    feed = MatchFeed(search_id="s", name="ships", query=query, entries=entries, url="https://feeds.example/s")
    parsed = parse_feed(write_match_feed(feed, "atom").encode())
    assert [item.id for item in parsed.entries] == [
        "urn:headwater:document:d1:s",
        "urn:headwater:document:d2:s",
    ]
    assert not [warning for warning in parsed.warnings if "xml" in warning]
    items = json.loads(write_match_feed(feed, "json").encode("utf-8", "replace"))["items"]
    assert [item["id"] for item in items] == [item.id for item in parsed.entries]
