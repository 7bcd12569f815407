"""A site walked from its start pages: breadth first, its own domain only, within limits; what is recognised is a lead."""

import json
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from headwater.fetch.responses import header_value
from headwater.model.errors import HeadwaterError
from headwater.model.http import Request, Response
from headwater.model.recipe import Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import WarningLog
from headwater.sources.crawl.frontier import Frontier, FrontierEntry
from headwater.sources.crawl.page import lead_to_file, lead_with_page, parse_page, robots_directives
from headwater.sources.crawl.settings import CrawlSettings, read_crawl_settings
from headwater.sources.crawl.watermark import MOST_WAITING, CrawlWatermark, read_watermark
from headwater.sources.scope import HOST_FAILURES_TO_STOP, is_host_failure
from headwater.text.urls import canonical_url

FLUSH_EVERY = 20  # pages without a lead whose bodies the engine may hold for us
PAGES = frozenset({"text/html", "application/xhtml+xml"})
DOCUMENTS = frozenset(
    {".pdf", ".doc", ".docx", ".odt", ".rtf", ".xls", ".xlsx", ".ods", ".ppt", ".pptx", ".epub"}
)
# fmt: off
NOT_PAGES = DOCUMENTS | {
    ".css", ".js", ".json", ".xml", ".rss", ".atom", ".csv", ".ics", ".woff", ".woff2", ".ttf",
    ".gz", ".zip", ".rar", ".7z", ".tar", ".exe", ".dmg", ".iso", ".apk",
    ".jpg", ".jpeg", ".png", ".gif", ".svg", ".webp", ".avif", ".ico", ".bmp", ".tif", ".tiff",
    ".mp3", ".mp4", ".m4a", ".avi", ".mov", ".webm", ".ogg", ".wav",
}
# fmt: on

Talk = Generator[Request | LeadBatch, Response | None, None]


def discover_crawl(source: Source, now: datetime) -> PollSession:
    """Walk a site and give the pages that are recognised, each with its body.

    Options: `starts` (further start pages), `subdomains`, `include`/`exclude` (which links are followed),
    `page_patterns` and `markers` with `least_markers` (what is recognised), `depth` (at most 3), `pages` (at most
    500), `per_shape` (addresses of one template), `beyond_limits` (lets `depth` and `pages` go further).
    """
    chosen = sha256(
        json.dumps([source.url, source.options], sort_keys=True, default=str).encode()
    ).hexdigest()
    crawl = _Crawl(
        read_crawl_settings(source), read_watermark(source.watermark, now, chosen[:16]), source.kind
    )
    yield from crawl.walk()
    return crawl.end()


@dataclass(slots=True)
class _Crawl:
    settings: CrawlSettings
    memory: CrawlWatermark
    kind: str
    notes: WarningLog = field(default_factory=WarningLog)
    frontier: Frontier = field(init=False)
    bodies: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    asked: int = 0
    read: int = 0
    held: int = 0
    trouble: int = 0
    first_error: HeadwaterError | None = None

    def __post_init__(self) -> None:
        self.frontier = Frontier(per_shape=self.settings.per_shape)
        self.frontier.add(self.settings.starts, 0)
        # What the last crawl had no time for comes before what it has seen already.
        for url, depth in self.memory.waiting:
            self._queue([url], depth)

    def walk(self) -> Talk:
        """One page that fails is noted. When the host itself fails, the rest waits for the next crawl."""
        while self.asked < self.settings.pages and (stop := self.frontier.next()) is not None:
            if self._is_last(stop) and self.memory.is_fresh(stop.key):
                self.memory.keep(stop.key)
                continue
            self.asked += 1
            try:
                yield from self._visit(stop)
                self.trouble = 0
            except HeadwaterError as error:
                self._failed(stop, error)
                if self.trouble >= HOST_FAILURES_TO_STOP:
                    return

    def _is_last(self, stop: FrontierEntry) -> bool:
        return stop.depth >= self.settings.depth

    def _failed(self, stop: FrontierEntry, error: HeadwaterError) -> None:
        self.first_error = self.first_error or error
        self.notes(f"page_failed:{error.reason}", stop.url)
        self.memory.keep(stop.key)
        if is_host_failure(error):
            self.trouble += 1

    def _visit(self, stop: FrontierEntry) -> Talk:
        last = self._is_last(stop)
        headers = self.memory.headers(stop.key, last=last, seen=self.bodies)
        response = yield Request(url=stop.url, headers=headers, source_kind=self.kind)
        assert response is not None
        self.read += 1
        self.held += 1
        leads = list(self._heard(stop, response, last=last))
        if leads or (self.held >= FLUSH_EVERY and response.status != 304):
            self.held = 0
            # At once: its own capture is the last one that the engine holds now.
            yield LeadBatch(tuple(leads))

    def _heard(self, stop: FrontierEntry, response: Response, *, last: bool) -> Iterator[Lead]:
        if response.status == 304:
            yield from self._unchanged(stop, response, last=last)
        elif self._is_new(stop, response):
            yield from self._leads(stop, response, last=last)

    def _unchanged(self, stop: FrontierEntry, response: Response, *, last: bool) -> Iterator[Lead]:
        """It leads where it led before; it is no lead again."""
        self.memory.keep(stop.key, response)
        self.bodies.add(self.memory.body(stop.key))
        if canonical_url(response.url) != stop.key:
            self.frontier.reached(response.url)
        links = tuple(self.memory.links(stop.key) or ())
        if not last:
            self._queue(links, stop.depth + 1)
        yield from self._linked_files(links)

    def _is_new(self, stop: FrontierEntry, response: Response) -> bool:
        """Whether this is a page of the site that this crawl has not seen under another address."""
        if response.url not in self.settings.territory:
            self.notes("left_the_site", response.url)
            return False
        if canonical_url(response.url) != stop.key and self.frontier.reached(response.url):
            return False
        body = _digest(response)
        if body in self.bodies:
            self.notes("same_content", stop.url)
            self.memory.read(stop.key, response, body, (), copy=True)
            return False
        self.bodies.add(body)
        return True

    def _leads(self, stop: FrontierEntry, response: Response, *, last: bool) -> Iterator[Lead]:
        if response.media_type not in PAGES:
            if self.settings.recognise.patterns and self.settings.recognise.by_address(response.url):
                yield lead_to_file(response.url, _digest(response))
            self.memory.read(stop.key, response, _digest(response), ())
            return
        page = parse_page(
            response.body, url=response.url, content_type=header_value(response.headers, "content-type")
        )
        robots = page.robots | robots_directives(header_value(response.headers, "x-robots-tag"))
        found = self.settings.recognise.evidence(response.url, f"{page.title} {page.words}", stop.depth)
        if found is not None:
            yield lead_with_page(response, page, found, robots)
        links = () if robots & {"nofollow", "none"} else page.links
        followed = [url for url in links if self._may_follow(url) or self._is_paper(url)]
        self.memory.read(stop.key, response, _digest(response), None if last else followed)
        if not last:
            self._queue(links, stop.depth + 1)
        yield from self._linked_files(links)

    def _queue(self, links: tuple[str, ...] | list[str], depth: int) -> None:
        self.frontier.add((url for url in links if self._may_follow(url)), depth)

    def _may_follow(self, url: str) -> bool:
        return url in self.settings.territory and _suffix(url) not in NOT_PAGES and self.settings.wanted(url)

    def _linked_files(self, links: tuple[str, ...]) -> Iterator[Lead]:
        """Papers that a page names are leads by their address alone; the crawl does not carry them home."""
        for url in links:
            if url not in self.files and self._is_paper(url):
                self.files.add(url)
                yield lead_to_file(url)

    def _is_paper(self, url: str) -> bool:
        recognise = self.settings.recognise
        named = bool(recognise.patterns) and _suffix(url) in DOCUMENTS and recognise.by_address(url)
        return named and self.settings.wanted(url) and url in self.settings.territory

    def end(self) -> Discovery:
        if not self.read and self.first_error is not None:
            raise self.first_error
        waiting = self.frontier.rest(MOST_WAITING)
        if waiting:
            self.notes("pages_left_out", f"{len(waiting)} or more for the next crawl")
        for reason, count in sorted(self.frontier.skipped.items()):
            self.notes(f"links_skipped:{reason}", str(count))
        return Discovery(watermark=self.memory.watermark(waiting), warnings=self.notes.lines())


def _digest(response: Response) -> str:
    return sha256(response.body).hexdigest()[:16]


def _suffix(url: str) -> str:
    return PurePosixPath(urlsplit(url).path).suffix.lower()
