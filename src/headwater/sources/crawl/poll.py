"""Crawling a site from its start pages: breadth first, within its scope and limits. Matching pages are leads."""

import json
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from headwater.fetch.responses import header_value
from headwater.model.errors import HeadwaterError
from headwater.model.http import Request, Response
from headwater.model.outcomes import ExtractHints
from headwater.model.recipe import Discovery, LeadBatch, Parse, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import WarningLog
from headwater.sources.crawl.frontier import Frontier, FrontierEntry
from headwater.sources.crawl.page import (
    CrawledPage,
    lead_to_file,
    lead_with_page,
    parse_untrusted_page,
    robots_directives,
)
from headwater.sources.crawl.settings import CrawlSettings, read_crawl_settings
from headwater.sources.crawl.watermark import MOST_WAITING, CrawlWatermark, read_watermark
from headwater.sources.scope import HOST_FAILURES_TO_STOP, is_host_failure
from headwater.text.urls import canonical_url

FLUSH_EVERY = 20  # pages without a lead whose bodies the engine may hold for this crawl
PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
DOCUMENT_SUFFIXES = frozenset(
    {".pdf", ".doc", ".docx", ".odt", ".rtf", ".xls", ".xlsx", ".ods", ".ppt", ".pptx", ".epub"}
)
# fmt: off
NOT_PAGE_SUFFIXES = DOCUMENT_SUFFIXES | {
    ".css", ".js", ".json", ".xml", ".rss", ".atom", ".csv", ".ics", ".woff", ".woff2", ".ttf",
    ".gz", ".zip", ".rar", ".7z", ".tar", ".exe", ".dmg", ".iso", ".apk",
    ".jpg", ".jpeg", ".png", ".gif", ".svg", ".webp", ".avif", ".ico", ".bmp", ".tif", ".tiff",
    ".mp3", ".mp4", ".m4a", ".avi", ".mov", ".webm", ".ogg", ".wav",
}
# fmt: on

Requests = Generator[Request | LeadBatch | Parse, Any, None]


def discover_crawl(source: Source, now: datetime) -> PollSession:
    """Crawl a site; each matching page is a lead that carries its body.

    Options: `starts` (further start pages), `subdomains`, `include`/`exclude` (which links are followed),
    `page_patterns` and `markers` with `least_markers` (which pages match), `depth` (at most 3), `pages` (at most
    500), `per_shape` (URLs of one template), `beyond_limits` (raises the limits of `depth` and `pages`).
    """
    options_digest = sha256(
        json.dumps([source.url, source.options], sort_keys=True, default=str).encode()
    ).hexdigest()
    watermark = read_watermark(source.watermark, now, options_digest[:16])
    crawl = _Crawl(read_crawl_settings(source), watermark, source.kind)
    yield from crawl.walk()
    return crawl.end()


@dataclass(slots=True)
class _Crawl:
    settings: CrawlSettings
    watermark: CrawlWatermark
    kind: str
    warnings: WarningLog = field(default_factory=WarningLog)
    frontier: Frontier = field(init=False)
    bodies: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    requested: int = 0
    answered: int = 0
    unflushed: int = 0
    host_failures: int = 0
    first_error: HeadwaterError | None = None

    def __post_init__(self) -> None:
        self.frontier = Frontier(per_shape=self.settings.per_shape)
        self.frontier.add(self.settings.starts, 0)
        # Pages that the last crawl did not reach come before those it has read.
        for url, depth in self.watermark.waiting_pages:
            self._queue([url], depth)

    def walk(self) -> Requests:
        """Visit page after page. A page that fails causes a warning; when the host fails, the rest waits for the next
        crawl."""
        while self.requested < self.settings.pages and (entry := self.frontier.next()) is not None:
            if self._is_last(entry) and self.watermark.is_fresh(entry.key):
                self.watermark.record_unchanged(entry.key)
                continue
            self.requested += 1
            try:
                yield from self._visit(entry)
                self.host_failures = 0
            except HeadwaterError as error:
                self._failed(entry, error)
                if self.host_failures >= HOST_FAILURES_TO_STOP:
                    return

    def _is_last(self, entry: FrontierEntry) -> bool:
        """Whether the page is at the greatest depth: its links are not followed."""
        return entry.depth >= self.settings.depth

    def _failed(self, entry: FrontierEntry, error: HeadwaterError) -> None:
        self.first_error = self.first_error or error
        self.warnings(f"page_failed:{error.reason}", entry.url)
        self.watermark.record_unchanged(entry.key)
        if is_host_failure(error):
            self.host_failures += 1

    def _visit(self, entry: FrontierEntry) -> Requests:
        last = self._is_last(entry)
        headers = self.watermark.headers(entry.key, last=last, bodies=self.bodies)
        response = yield Request(url=entry.url, headers=headers, source_kind=self.kind)
        assert response is not None
        self.answered += 1
        self.unflushed += 1
        if response.status == 304:
            leads = list(self._unchanged(entry, response, last=last))
        elif not self._is_new(entry, response):
            leads = []
        elif response.media_type in PAGE_TYPES:
            content_type = header_value(response.headers, "content-type")
            hints = ExtractHints(url=response.url, media_type=content_type)
            page = yield Parse(parse_untrusted_page, response.body, hints)
            leads = list(self._leads_from_page(entry, response, page, last=last))
        else:
            leads = list(self._leads_from_file(entry, response))
        if leads or (self.unflushed >= FLUSH_EVERY and response.status != 304):
            self.unflushed = 0
            # At once, while the capture of this page is the latest that the engine holds.
            yield LeadBatch(tuple(leads))

    def _unchanged(self, entry: FrontierEntry, response: Response, *, last: bool) -> Iterator[Lead]:
        """Follow the stored links of an unchanged page; the page itself is not a lead again."""
        self.watermark.record_unchanged(entry.key, response)
        self.bodies.add(self.watermark.body(entry.key))
        if canonical_url(response.url) != entry.key:
            self.frontier.mark_reached(response.url)
        links = tuple(self.watermark.links(entry.key) or ())
        if not last:
            self._queue(links, entry.depth + 1)
        yield from self._linked_files(links)

    def _is_new(self, entry: FrontierEntry, response: Response) -> bool:
        """Whether this page belongs to the site and this crawl has not seen it under another URL."""
        if response.url not in self.settings.scope:
            self.warnings("left_the_site", response.url)
            return False
        if canonical_url(response.url) != entry.key and self.frontier.mark_reached(response.url):
            return False
        body = _digest(response)
        if body in self.bodies:
            self.warnings("same_content", entry.url)
            self.watermark.record_read(entry.key, response, body, (), copy=True)
            return False
        self.bodies.add(body)
        return True

    def _leads_from_file(self, entry: FrontierEntry, response: Response) -> Iterator[Lead]:
        matcher = self.settings.page_matcher
        if matcher.patterns and matcher.matches_url(response.url):
            yield lead_to_file(response.url, _digest(response))
        self.watermark.record_read(entry.key, response, _digest(response), ())

    def _leads_from_page(
        self, entry: FrontierEntry, response: Response, page: CrawledPage, *, last: bool
    ) -> Iterator[Lead]:
        matcher = self.settings.page_matcher
        robots = page.robots | robots_directives(header_value(response.headers, "x-robots-tag"))
        markers = matcher.matching_markers(response.url, f"{page.title} {page.text}", entry.depth)
        if markers is not None:
            yield lead_with_page(response, page, markers, robots)
        links = () if robots & {"nofollow", "none"} else page.links
        followed = [url for url in links if self._may_follow(url) or self._is_document(url)]
        self.watermark.record_read(entry.key, response, _digest(response), None if last else followed)
        if not last:
            self._queue(links, entry.depth + 1)
        yield from self._linked_files(links)

    def _queue(self, links: tuple[str, ...] | list[str], depth: int) -> None:
        self.frontier.add((url for url in links if self._may_follow(url)), depth)

    def _may_follow(self, url: str) -> bool:
        settings = self.settings
        return url in settings.scope and _suffix(url) not in NOT_PAGE_SUFFIXES and settings.url_filter(url)

    def _linked_files(self, links: tuple[str, ...]) -> Iterator[Lead]:
        """Linked documents are leads by URL alone; the crawl does not fetch them."""
        for url in links:
            if url not in self.files and self._is_document(url):
                self.files.add(url)
                yield lead_to_file(url)

    def _is_document(self, url: str) -> bool:
        matcher = self.settings.page_matcher
        matches = bool(matcher.patterns) and _suffix(url) in DOCUMENT_SUFFIXES and matcher.matches_url(url)
        return matches and self.settings.url_filter(url) and url in self.settings.scope

    def end(self) -> Discovery:
        if not self.answered and self.first_error is not None:
            raise self.first_error
        waiting = self.frontier.waiting_pages(MOST_WAITING)
        if waiting:
            self.warnings("pages_left_out", f"{len(waiting)} or more for the next crawl")
        for reason, count in sorted(self.frontier.skipped.items()):
            self.warnings(f"links_skipped:{reason}", str(count))
        return Discovery(watermark=self.watermark.as_record(waiting), warnings=self.warnings.lines())


def _digest(response: Response) -> str:
    return sha256(response.body).hexdigest()[:16]


def _suffix(url: str) -> str:
    return PurePosixPath(urlsplit(url).path).suffix.lower()
