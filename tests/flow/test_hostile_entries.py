"""Hostile markup in one entry of a feed: it fails alone, with its reason, and the worker does not notice."""

import resource
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.poll_sessions import make_source

from headwater.engine.extraction import DraftExtractor
from headwater.extract.html.fragment import FragmentReader
from headwater.extract.reader import read_any
from headwater.extract.sandbox.pool import close_all
from headwater.extract.sandbox.sandboxed import Sandboxed, parse_in_sandbox
from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.model.recipe import Parse
from headwater.sources.crawl.page import parse_untrusted_page
from headwater.sources.feeds.opml import parse_untrusted_opml
from headwater.sources.feeds.parser import parse_untrusted_feed
from headwater.sources.page_section import SectionParser
from headwater.sources.sitemaps.parser import parse_untrusted_sitemap

# 30 KB. Each paragraph opens all the formatting elements before it again.
FORMATTING = "<p>" + "".join(f"<b a{n}>" for n in range(2_400)) + "<p>x" * 2_500
GOOD = "<p>The harbour board of Northport raised its dues by four per cent.</p>"
ENDED = {"extractor_memory", "extractor_died", "extractor_timeout"}
HINTS = ExtractHints(url="https://north.example/dues", media_type="text/html")


def test_a_hostile_entry_fails_alone_and_its_batch_is_read() -> None:
    reader = Sandboxed(FragmentReader(read_any), 10.0, 160)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bodies = [GOOD, FORMATTING, GOOD, GOOD, FORMATTING + "<p>y", GOOD]
    results = list(reader.read_batch([(body.encode(), HINTS) for body in bodies]))
    assert [type(result) for result in results] == [Reading, Permanent, Reading, Reading, Permanent, Reading]
    assert {result.reason for result in results if isinstance(result, Permanent)} <= ENDED
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes
    again = list(reader.read_batch([(body.encode(), HINTS) for body in bodies]))
    assert [type(result) for result in again] == [type(result) for result in results]
    close_all()


@pytest.mark.parametrize(
    "parse",
    [
        Parse(
            parse_untrusted_feed, f"<rss><channel><item><title>{GOOD}</title></item></channel></rss>".encode()
        ),
        Parse(parse_untrusted_sitemap, b"<urlset><url><loc>http://n.example/a</loc></url></urlset>"),
        Parse(parse_untrusted_page, GOOD.encode(), HINTS),
        Parse(parse_untrusted_opml, b"<opml><body><outline xmlUrl='http://n.example/f'/></body></opml>"),
        Parse(parse_untrusted_opml, b"no list"),
        Parse(parse_untrusted_feed, b"no feed"),
        Parse(parse_untrusted_sitemap, b"no sitemap" * 10),
        Parse(SectionParser("p"), GOOD.encode()),
    ],
    ids=lambda parse: getattr(parse.parser, "__name__", "section"),
)
def test_what_comes_out_of_the_sandbox_equals_what_the_parser_returns(parse: Parse) -> None:
    assert parse_in_sandbox(parse) == parse.parser(parse.data, parse.hints)


def test_a_parser_reports_its_own_error() -> None:
    with pytest.raises(Permanent, match="selector"):
        parse_in_sandbox(Parse(SectionParser("p[["), b"<p>"))


@dataclass
class CountingExtractor:
    """Reads batches, and counts what it read; "bad" fails."""

    texts: list[bytes] = field(default_factory=list)

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        raise AssertionError("one by one")

    def read_batch(
        self, items: Sequence[tuple[bytes, ExtractHints]]
    ) -> Iterator[Reading | Unreadable | Permanent]:
        for data, _ in items:
            self.texts.append(data)
            yield Permanent("extractor_died", "") if data == b"bad" else Reading(text=data.decode())


def draft(text: str) -> Any:
    lead = SimpleNamespace(body=text, body_type="text/html", url="", is_complete=True)
    return SimpleNamespace(id=text, lead=SimpleNamespace(lead=lead), capture=None, source=make_source("feed"))


def test_a_batch_that_is_decided_in_halves_is_extracted_once() -> None:
    extractor = CountingExtractor()
    renewals: list[None] = []
    renewer: Any = SimpleNamespace(renew_if_due=lambda: renewals.append(None))
    drafts = [draft(text) for text in ("one", "bad", "two")]
    extraction = DraftExtractor({"text/html": extractor}, {}, renewer)
    extraction.read_ahead(drafts)
    extraction.read_ahead(drafts[:1])
    extraction.read_ahead(drafts[1:])
    assert extractor.texts == [b"one", b"bad", b"two"]
    assert extraction.reading(drafts[0], extractor) == Reading(text="one")
    with pytest.raises(Permanent, match="extractor_died"):
        extraction.reading(drafts[1], extractor)
    assert extraction.reading(drafts[2], extractor) == Reading(text="two")
    assert len(renewals) >= len(drafts)
