"""Polling the sitemaps of a site: found, followed, filtered, and parsed again only where they changed."""

from collections.abc import Generator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urljoin, urlsplit

from headwater.fetch.politeness.robots_txt import parse_robots
from headwater.fetch.responses import header_value
from headwater.model.errors import HeadwaterError, Permanent
from headwater.model.http import Request, Response
from headwater.model.outcomes import ExtractHints
from headwater.model.recipe import Discovery, LeadBatch, Parse, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import Warn, WarningLog
from headwater.sources.options import UrlFilter, bool_option, int_option, list_option, url_filter_option
from headwater.sources.scope import HOST_FAILURES_TO_STOP, is_host_failure, scope_of
from headwater.sources.sitemaps.file_queue import SitemapFile, SitemapFileQueue
from headwater.sources.sitemaps.parser import parse_untrusted_sitemap
from headwater.sources.sitemaps.sitemap import NotASitemap, Sitemap, SitemapEntry
from headwater.sources.sitemaps.watermark import SitemapWatermark, body_digest, read_watermark
from headwater.text.written_dates import parse_feed_date

LEEWAY = timedelta(days=1)
LONGEST_VERSION = 64
BATCH = 1_000
DEEPEST = 3
# After failures of the host the poll continues soon; what its own limits left over waits for the next poll.
CONTINUE_AFTER = timedelta(minutes=5)
MOST_FILES, DEFAULT_FILES = 50_000, 1_000
FEWEST_FILES = DEEPEST + 1  # the indexes above a file, the file itself and one more
MOST_LEADS, DEFAULT_LEADS = 10_000_000, 500_000
CONTAINS_ITSELF = "contains_itself"
USUAL_PATHS = ("/sitemap.xml", "/sitemap_index.xml", "/sitemap.txt")
# A missing, forbidden or empty robots.txt is an answer too: it names no sitemap.
ROBOTS_STATUSES = frozenset({200, 400, 401, 403, 404, 410})

Requests = Generator[Request | LeadBatch | Parse, Any, None]


def discover_sitemap(source: Source, now: datetime) -> PollSession:
    """Poll the sitemaps of a site, or one sitemap, as far as they changed.

    `source.url` is a sitemap, or a site whose robots.txt names its sitemaps. Options: `include`, `exclude` (parts of a
    URL, or patterns that begin with `re:`), `hosts` (further hosts; `*` for any), `most` (leads per poll), `files`
    (sitemap files per poll), `depth` (of indexes, at most 3), `trust_lastmod` (skip a file whose date in the index has
    not changed).
    """
    poll = _SitemapPoll(source, now)
    yield from poll.find()
    yield from poll.follow()
    return poll.end()


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapOptions:
    url_filter: UrlFilter
    hosts: tuple[str, ...]
    trust_lastmod: bool
    most: int
    files: int
    depth: int


def read_sitemap_options(source: Source) -> SitemapOptions:
    options = source.options
    return SitemapOptions(
        url_filter=url_filter_option(options),
        hosts=list_option(options, "hosts"),
        trust_lastmod=bool_option(options, "trust_lastmod"),
        most=int_option(options, "most", default=DEFAULT_LEADS, most=MOST_LEADS),
        files=int_option(options, "files", default=DEFAULT_FILES, most=MOST_FILES, least=FEWEST_FILES),
        depth=int_option(options, "depth", default=DEEPEST, most=DEEPEST),
    )


@dataclass(slots=True)
class _SitemapPoll:
    source: Source
    now: datetime
    warnings: WarningLog = field(default_factory=WarningLog)
    url_filter: UrlFilter = field(init=False)
    watermark: SitemapWatermark = field(init=False)
    files: SitemapFileQueue = field(init=False)
    trust_lastmod: bool = field(init=False)
    leads_left: int = field(init=False)
    batch: list[Lead] = field(default_factory=list)
    files_read: int = 0
    lists_read: int = 0
    contains_itself: HeadwaterError | None = None
    has_leads: bool = False
    host_failures: int = 0
    resume: tuple[str, ...] = ()
    first_error: HeadwaterError | None = None

    def __post_init__(self) -> None:
        options = read_sitemap_options(self.source)
        self.url_filter = options.url_filter
        self.trust_lastmod = options.trust_lastmod
        self.leads_left = options.most
        self.watermark = read_watermark(self.source.watermark)
        self.files = SitemapFileQueue(
            scope=scope_of([self.source.url], options.hosts),
            max_files=options.files,
            max_depth=options.depth,
            resume=self.watermark.resume,
            warnings=self.warnings,
        )

    def find(self) -> Requests:
        """The sitemaps that robots.txt names, else those in the usual places."""
        if not is_site(self.source.url):
            self.files.start([self.source.url])
            return
        urls = yield from self._robots_sitemaps()
        if urls:
            self.files.start(urls)
            return
        for path in USUAL_PATHS:
            url = urljoin(self.source.url, path)
            try:
                yield from self._read_file(SitemapFile((url,)))
            except (Permanent, NotASitemap) as error:
                yield from self._flush()
                self.first_error = self.first_error or _as_poll_error(error)
            else:
                return

    def _robots_sitemaps(self) -> Generator[Request | LeadBatch | Parse, Any, list[str]]:
        url = urljoin(self.source.url, "/robots.txt")
        request = Request(url=url, purpose="robots", source_kind=self.source.kind, accept=ROBOTS_STATUSES)
        try:
            response = yield request
        except Permanent as error:
            self.warnings("no_robots", error.reason)
            return []
        assert response is not None
        if response.status != 200:
            return []
        urls = (urljoin(response.url, line) for line in parse_robots(response.body).sitemaps)
        return [url for url in urls if url.startswith(("http://", "https://"))]

    def follow(self) -> Requests:
        """Read file after file. A file that fails causes a warning; when the host fails, the rest waits for the next
        poll."""
        while (file := self.files.next()) is not None:
            try:
                yield from self._read_file(file)
            except (HeadwaterError, NotASitemap) as error:
                yield from self._flush()
                self._failed(file, error)
                if self.host_failures >= HOST_FAILURES_TO_STOP:
                    break
            else:
                self.host_failures = 0
            if self.leads_left <= 0:
                break

    def _failed(self, file: SitemapFile, error: HeadwaterError | NotASitemap) -> None:
        if isinstance(error, Permanent) and error.reason == "gone" and file.url == self.source.url:
            raise error
        self.first_error = self.first_error or _as_poll_error(error)
        if error.reason == CONTAINS_ITSELF:
            self.contains_itself = _as_poll_error(error)
        self.warnings(f"sitemap_failed:{error.reason}", file.url)
        if isinstance(error, HeadwaterError) and is_host_failure(error):
            self.host_failures += 1
            self.resume = self.resume or file.path

    def _read_file(self, file: SitemapFile) -> Requests:
        state = self.watermark.state_of(file.url)
        if (
            self.trust_lastmod
            and file.lastmod
            and file.lastmod == state.lastmod
            and state.entries_taken is None
        ):
            self._unchanged(file)
            return
        response = yield Request(
            url=file.url, headers=state.headers, purpose="sitemap", source_kind=self.source.kind
        )
        assert response is not None
        if response.status == 304 or (body_digest(response) == state.sha256 and state.entries_taken is None):
            self._unchanged(file)
            return
        parsed = yield _parse(response)
        sitemap = parsed.unwrap(self.warnings)
        if sitemap.kind == "index":
            children = [(entry.url, entry.lastmod) for entry in sitemap.entries]
            if children and all(url in file.path for url, _ in children):
                raise NotASitemap(
                    CONTAINS_ITSELF, f"{file.url} names no file but itself or the index above it"
                )
            # Never requested conditionally: every poll needs the files it names, changed or not.
            self.files.add_children(file, response.url, children)
        else:
            yield from self._take(file, response, sitemap)
            self.lists_read += 1
        self.files_read += 1
        yield from self._flush()

    def _unchanged(self, file: SitemapFile) -> None:
        self.files_read += 1
        self.lists_read += 1
        self.watermark.record_unchanged(file.url, file.lastmod)

    def _take(self, file: SitemapFile, response: Response, sitemap: Sitemap) -> Requests:
        state = self.watermark.state_of(file.url)
        already_taken = (state.entries_taken or 0) if body_digest(response) == state.sha256 else 0
        scope = self.files.scope if not is_root(file) else self.files.scope.with_site(response.url)
        for number, entry in enumerate(sitemap.entries):
            if number < already_taken:
                continue
            if self.leads_left <= 0:
                self.warnings("most_reached", file.url)
                self.watermark.record_read(file.url, response, file.lastmod, entries_taken=number)
                self.resume = self.resume or file.path
                return
            if entry.url not in scope:
                self.warnings("foreign_address", entry.url)
            elif self.url_filter(entry.url):
                self.leads_left -= 1
                self.has_leads = True
                self.batch.append(lead_from_sitemap_entry(entry, self.now, self.warnings))
            if len(self.batch) >= BATCH:
                yield from self._flush()
        self.watermark.record_read(file.url, response, file.lastmod)

    def _flush(self) -> Requests:
        """Yield the batch, even an empty one: the engine then releases the bodies it holds for this poll."""
        batch, self.batch = self.batch, []
        yield LeadBatch(tuple(batch))

    def end(self) -> Discovery:
        # A file that broke off after its first entries causes a warning; the next poll reads it again.
        if not self.files_read and not self.has_leads and self.first_error is not None:
            raise self.first_error
        if self.contains_itself is not None and not self.lists_read:
            raise self.contains_itself
        resume = self.resume or self.files.resume_path()
        return Discovery(
            watermark=self.watermark.as_record(resume),
            warnings=self.warnings.lines(),
            again=CONTINUE_AFTER if self.host_failures else None,
        )


def _parse(response: Response) -> Parse:
    hints = ExtractHints(url=response.url, media_type=header_value(response.headers, "content-type"))
    return Parse(parse_untrusted_sitemap, response.body, hints)


def lead_from_sitemap_entry(entry: SitemapEntry, now: datetime, warn: Warn) -> Lead:
    """`lastmod` is the version: any change of it is worth a conditional request. As a date it is only a hint, and
    ignored if it lies in the future."""
    modified = _date_not_in_future(entry.lastmod, now, warn)
    published = _date_not_in_future(entry.published, now, warn)
    version = entry.lastmod if modified is None else modified.isoformat()
    hints = {"lastmod": modified and modified.isoformat(), "language": entry.language}
    return Lead(
        identity=entry.url,
        url=entry.url,
        version=version[:LONGEST_VERSION],
        title=" ".join(entry.title.replace("\x00", " ").split()) or None,
        published=published or modified,
        hints={name: value for name, value in hints.items() if value},
    )


def _date_not_in_future(text: str, now: datetime, warn: Warn) -> datetime | None:
    date = parse_feed_date(text, warn)
    if date is not None and date > now + LEEWAY:
        warn("future_date", text)
        return None
    return date


def is_site(url: str) -> bool:
    """Whether the URL names a site rather than a file of it."""
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def is_root(file: SitemapFile) -> bool:
    return len(file.path) == 1


def _as_poll_error(error: HeadwaterError | NotASitemap) -> HeadwaterError:
    if isinstance(error, NotASitemap):
        return Permanent(f"not_a_sitemap:{error.reason}", error.detail)
    return error
