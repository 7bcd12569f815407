"""`headwater feed`: files, folders, lists and addresses in; one line for each out."""

import io
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.flow.command_line import CommandResult, call

from headwater.cli.standalone.feed import result_record
from headwater.cli.standalone.feed_json import extract_feed
from headwater.extract.sandbox.batch import BatchExtractor
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.outcomes import ExtractHints, Reading
from headwater_demo.internet import running

ReadFeeds = Callable[..., CommandResult]
FIELDS = {"id", "title", "link", "published", "author", "summary", "content"}


def rss(number: int) -> str:
    return (
        f'<rss version="2.0"><channel><title>Wire {number}</title><item><title>Tide {number}</title>'
        f"<link>https://wire.example/{number}</link><guid>w-{number}</guid><author>j@x.example (Jo Roe)</author>"
        "<pubDate>Fri, 13 Nov 2026 08:41:00 GMT</pubDate><description>Short.</description></item></channel></rss>"
    )


@pytest.fixture
def read_feeds(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> ReadFeeds:
    return lambda *words: call(capsys, monkeypatch, "feed", *words)


def test_c4_one_file_is_one_line_with_all_its_fields(read_feeds: ReadFeeds, tmp_path: Path):
    path = tmp_path / "a.xml"
    path.write_text(rss(1))
    line = read_feeds(str(path), "--json").record
    assert (line["path"], line["ok"], line["format"], line["title"]) == (str(path), True, "rss20", "Wire 1")
    assert set(line["entries"][0]) >= FIELDS
    assert line["entries"][0] | {"updated": None} == line["entries"][0]
    assert line["entries"][0]["published"] == "2026-11-13T08:41:00Z"
    assert line["entries"][0]["author"] == "Jo Roe"
    assert line["warnings"] == []
    assert "rss20 'Wire 1', 1 entry" in read_feeds(str(path)).out


def test_c15_many_files_keep_their_order_even_when_some_are_broken(
    read_feeds: ReadFeeds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for number in range(40):
        (tmp_path / f"{number:02}.xml").write_text(rss(number))
    (tmp_path / "20.xml").write_text("<html><body>no feed</body></html>")
    (tmp_path / "21.xml").write_text(rss(21)[:-60])
    names = [str(tmp_path / f"{number:02}.xml") for number in range(40)]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*names, str(tmp_path / "missing.xml")])))
    out = tmp_path / "out.jsonl"
    answer = read_feeds("-", "--out", str(out), "--workers", "2")
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert answer.code == 0
    assert [line["path"] for line in lines] == [*names, str(tmp_path / "missing.xml")]
    assert [line["reason"] for line in lines if not line["ok"]] == ["html", "cannot_open"]
    assert lines[21]["entries"][0]["title"] == "Tide 21"
    assert lines[21]["warnings"]
    assert "41 done, 39 read, 2 failed" in answer.err


def test_folders_and_patterns_are_searched(read_feeds: ReadFeeds, tmp_path: Path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.xml").write_text(rss(1))
    (tmp_path / "deep" / "b.xml").write_text(rss(2))
    assert {line["title"] for line in read_feeds(str(tmp_path), "--json", "-q").records} == {
        "Wire 1",
        "Wire 2",
    }
    assert [line["title"] for line in read_feeds(str(tmp_path / "**" / "b.*"), "--json").records] == [
        "Wire 2"
    ]


def test_nothing_read_is_a_failure(read_feeds: ReadFeeds, tmp_path: Path):
    path = tmp_path / "a.html"
    path.write_text("<html></html>")
    assert read_feeds(str(path)).code == 1
    assert read_feeds(str(tmp_path / "*.none")).code == 1


def test_addresses_are_fetched_and_reported_under_their_own_name(
    read_feeds: ReadFeeds, tmp_path: Path, monkeypatch
):
    with running(size="small") as internet:
        settings = tmp_path / "headwater.yaml"
        settings.write_text(
            f'data: "{tmp_path / "data"}"\nhosts: {{"*.example": "{internet.base_url}"}}\nrequests_per_second: 0\n'
        )
        monkeypatch.setenv("HEADWATER_CONFIG", str(settings))
        readable_url, gone_url = "http://ledgerlane.example/feed", "http://oddfeeds.example/gone.xml"
        lines = read_feeds(readable_url, gone_url, "--json", "-q").records
    assert [line["path"] for line in lines] == [readable_url, gone_url]
    assert (lines[0]["title"], lines[1]["reason"]) == ("Ledger Lane", "http_410")


def parse_or_die(data: bytes, hints: ExtractHints) -> Reading:
    if data == b"deadly":
        os._exit(3)
    return extract_feed(data, hints)


def test_c15_a_feed_that_kills_its_reader_affects_no_other():
    feeds = [rss(1).encode(), b"deadly", *(rss(number).encode() for number in range(20))]
    lines = {}
    with BatchExtractor(Sandboxed(parse_or_die), workers=1) as extractor:
        for number, data in enumerate(feeds):
            extractor.submit(str(number), partial(lambda data: (data, ExtractHints()), data))
        while extractor.in_flight:
            lines |= {result.name: result_record(result) for _, result in extractor.take_results(1.0)}
    assert [lines[str(number)].get("reason") for number in range(22)] == [None, "reader_died", *[None] * 20]
