"""Every fixture in `feeds/` is a document with its expectation beside it; only named fields are compared."""

import dataclasses
import json
from datetime import datetime
from pathlib import Path

import pytest

from headwater.sources.feeds.feed import Feed, NotAFeed
from headwater.sources.feeds.parser import parse_feed

FOLDER = Path(__file__).parent / "feeds"
FIXTURES = sorted(FOLDER.glob("*.feed"))


def plain(value):
    if isinstance(value, datetime):
        return value.isoformat()
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [plain(entry) for entry in value]
    return value


def codes(feed: Feed) -> set[str]:
    return {line.partition(":")[0].partition(" ")[0] for line in feed.warnings}


def select_fields(record: dict, expected: dict) -> dict:
    return {key: record[key] for key in expected}


def test_there_are_fixtures_of_every_kind():
    names = {path.name.partition("_")[0].partition(".")[0] for path in FIXTURES}
    assert {
        "rss20",
        "rss10",
        "rss090",
        "rss091",
        "atom10",
        "atom03",
        "json11",
        "json1",
        "broken",
        "refused",
    } <= names


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_c4_c15_each_fixture_parses_to_its_expected_fields(path):
    expected = json.loads(path.with_suffix(".expect.json").read_text())
    arguments = {key: expected[key] for key in ("url", "media_type") if key in expected}
    if "refused" in expected:
        with pytest.raises(NotAFeed) as caught:
            parse_feed(path.read_bytes(), **arguments)
        assert caught.value.reason == expected["refused"]
        assert list(caught.value.alternates) == expected.get("alternates", [])
        return
    feed = parse_feed(path.read_bytes(), **arguments)
    record = plain(feed)
    assert select_fields(record, expected.get("feed", {})) == expected.get("feed", {})
    if "entries" in expected:
        entries = [
            select_fields(entry, fields)
            for entry, fields in zip(record["entries"], expected["entries"], strict=False)
        ]
        assert entries == expected["entries"]
        assert len(record["entries"]) == len(expected["entries"])
    if "warnings" in expected:
        assert codes(feed) == set(expected["warnings"]) | (codes(feed) & {"malformed"})
