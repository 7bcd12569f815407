"""Every feed parses, or is broken in the way its entry in the catalogue says."""

import gzip
import json
from io import BytesIO
from xml.etree import ElementTree as ET

import feedparser
import pytest

from headwater_demo.feeds.catalogue import feeds, odd_feeds
from headwater_demo.internet import running

FEEDS_BY_URL = {item["url"]: item for item in feeds("full") + odd_feeds()}
VERSIONS = {
    "rss091": "rss091u",
    "rss092": "rss092",
    "rss1": "rss10",
    "rss2": "rss20",
    "rss2-teaser": "rss20",
    "atom03": "atom03",
}


@pytest.fixture(scope="module")
def internet():
    with running(size="full") as started:
        yield started


def urls(expect, *, json_feeds=False):
    return [
        url
        for url, item in FEEDS_BY_URL.items()
        if item["expect"] == expect and (item["format"] == "json") == json_feeds
    ]


def parse(answer):
    body = gzip.decompress(answer.body) if answer.body.startswith(b"\x1f\x8b") else answer.body
    return feedparser.parse(BytesIO(body), response_headers={"content-type": answer.headers["content-type"]})


@pytest.mark.parametrize("url", urls("ok"))
def test_a_sound_feed_is_well_formed_and_complete(internet, url):
    answer = internet.get(url)
    ET.fromstring(answer.body)
    parsed = parse(answer)
    assert parsed.version == VERSIONS.get(FEEDS_BY_URL[url]["format"], "atom10")
    assert parsed.entries
    assert all(entry.title for entry in parsed.entries)
    assert all(entry.link for entry in parsed.entries)


@pytest.mark.parametrize("url", urls("ok", json_feeds=True))
def test_a_json_feed_has_what_the_format_asks_for(internet, url):
    feed = json.loads(internet.get(url).body)
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert all(isinstance(item["id"], str) and item["content_html"] and item["url"] for item in feed["items"])


@pytest.mark.parametrize("url", urls("broken"))
def test_a_broken_feed_stops_a_strict_reader_but_not_a_tolerant_one(internet, url):
    answer = internet.get(url)
    with pytest.raises(ET.ParseError):
        ET.fromstring(answer.body)
    assert len(parse(answer).entries) >= 3


@pytest.mark.parametrize("url", urls("unreadable"))
def test_an_unreadable_feed_has_no_entries(internet, url):
    answer = internet.get(url)
    assert answer.status == 200
    assert parse(answer).entries == []


@pytest.mark.parametrize("url", urls("refused"))
def test_a_hostile_feed_is_small_until_it_is_expanded(internet, url):
    body = internet.get(url).body
    assert body.count(b"<!ENTITY") == 10
    assert len(body) < 2000


@pytest.mark.parametrize("url", urls("gone"))
def test_a_closed_feed_answers_410(internet, url):
    assert internet.get(url).status == 410


@pytest.mark.parametrize("url", urls("moved"))
def test_a_moved_feed_leads_to_a_sound_one(internet, url):
    answer = internet.get(url)
    assert answer.status in (301, 308)
    assert FEEDS_BY_URL[answer.headers["location"]]["expect"] == "ok"


def test_a_flaky_feed_fails_twice():
    with running(size="full") as fresh:
        for url in urls("flaky"):
            assert [fresh.get(url).status for _ in range(3)] == [500, 500, 200]


def test_feeds_list_what_the_truth_says(internet):
    truth = internet.truth()
    for url in set(urls("ok")) & {item["url"] for item in internet.feeds()}:
        entries = parse(internet.get(url)).entries
        listed = [item for item in truth if url in item["feeds"]]
        assert {entry.title for entry in entries} == {item["title"] for item in listed}, url
        assert {entry.link for entry in entries} <= {
            address for item in listed for address in item["urls"]
        }, url
        if FEEDS_BY_URL[url]["format"].startswith(("rss2", "atom")):
            assert {entry.id for entry in entries} == {item["guid"] for item in listed}, url


def test_the_small_internet_too_lists_one_address_in_two_feeds():
    with running() as small:
        twice = [item for item in small.truth() if len(item["feeds"]) == 2]
    assert len(twice) == 3
    assert all(item["urls"][1].startswith(item["urls"][0] + "?utm_source=rss&") for item in twice)


def test_the_list_has_the_agreed_size_and_share_of_trouble():
    full = feeds("full")
    assert (len(full), len(feeds("small"))) == (50, 6)
    assert sum(item["expect"] in ("broken", "unreadable", "refused", "gone") for item in full) == 10
    assert {item["format"] for item in full} == {
        "rss091",
        "rss092",
        "rss1",
        "rss2",
        "rss2-teaser",
        "atom-html",
        "atom-xhtml",
        "atom-text",
        "atom03",
        "json",
    }


def test_relative_links_of_the_xhtml_feed_resolve_against_its_base(internet):
    parsed = parse(internet.get("http://stakesignal.example/atom.xml"))
    assert all(entry.link.startswith("http://stakesignal.example/4") for entry in parsed.entries)
    assert 'href="4' in internet.get("http://stakesignal.example/atom.xml").body.decode()


def test_dates_carry_the_zone_of_their_publisher(internet):
    assert b"-05:00</published>" in internet.get("http://blockharbour.example/atom.xml").body
    assert b"+0800</pubDate>" in internet.get("http://liquiditylens.example/rss.xml").body
