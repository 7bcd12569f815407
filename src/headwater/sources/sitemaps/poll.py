"""A site's sitemaps as leads: found, followed, filtered, and read again only where they changed."""

from collections.abc import Generator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import urljoin, urlsplit

from headwater.fetch.politeness.robots_txt import parse_robots
from headwater.fetch.responses import header_value
from headwater.model.errors import HeadwaterError, Permanent
from headwater.model.http import Request, Response
from headwater.model.recipe import Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import Warn, WarningLog
from headwater.sources.options import UrlFilter, bool_option, int_option, list_option, url_filter_option
from headwater.sources.scope import HOST_FAILURES_TO_STOP, is_host_failure, scope_of
from headwater.sources.sitemaps.file_queue import SitemapFile, SitemapFileQueue
from headwater.sources.sitemaps.parser import MOST_ENTRIES, parse_sitemap
from headwater.sources.sitemaps.sitemap import NotASitemap, Sitemap, SitemapEntry
from headwater.sources.sitemaps.watermark import SitemapWatermark, body_digest, read_watermark
from headwater.text.feed_dates import parse_feed_date

LEEWAY = timedelta(days=1)
LONGEST_VERSION = 64


def lead_from_sitemap_entry(line: SitemapEntry, now: datetime, warn: Warn) -> Lead:
    """`lastmod` is the version: whatever it says, a change of it is worth a conditional request. As a date it is a
    hint only, and none at all when it lies in the future."""
    modified = _believable(line.lastmod, now, warn)
    published = _believable(line.published, now, warn)
    version = line.lastmod if modified is None else modified.isoformat()
    hints = {"lastmod": modified and modified.isoformat(), "language": line.language}
    return Lead(
        identity=line.url,
        url=line.url,
        version=version[:LONGEST_VERSION],
        title=" ".join(line.title.replace("\x00", " ").split()) or None,
        published=published or modified,
        hints={name: value for name, value in hints.items() if value},
    )


def _believable(text: str, now: datetime, warn: Warn) -> datetime | None:
    found = parse_feed_date(text, warn)
    if found is not None and found > now + LEEWAY:
        warn("future_date", text)
        return None
    return found


BATCH = 1_000
DEEPEST = 3
# What a crowded host kept from us is asked for soon; what the limits of a look left over waits for the next one.
GO_ON_AFTER = timedelta(minutes=5)
MOST_FILES, USUAL_FILES = 50_000, 1_000
FEWEST_FILES = DEEPEST + 1  # the way to a file through its indexes, and one step further
MOST_LEADS, USUAL_LEADS = 10_000_000, 500_000
USUAL_PLACES = ("/sitemap.xml", "/sitemap_index.xml", "/sitemap.txt")
# A missing, forbidden or empty robots.txt is an answer too: it names no sitemap.
ROBOTS_ANSWERS = frozenset({200, 400, 401, 403, 404, 410})

Talk = Generator[Request | LeadBatch, Response | None, None]
Answer = Generator[Request | LeadBatch, Response | None, Response]


def discover_sitemap(source: Source, now: datetime) -> PollSession:
    """Read the sitemaps of a site, or one sitemap, as far as they changed.

    `source.url` is a sitemap, or a site whose robots.txt names them. Options: `include`, `exclude` (parts of an
    address, or patterns that begin with `re:`), `hosts` (further hosts; `*` for any), `most` (leads per look),
    `files` (sitemap files per look), `depth` (of indexes, at most 3), `trust_lastmod` (skip a file whose date in the
    index is the one of last time).
    """
    look = _SitemapPoll(source, now)
    yield from look.find()
    yield from look.follow()
    return look.end()


@dataclass(slots=True)
class _SitemapPoll:
    source: Source
    now: datetime
    notes: WarningLog = field(default_factory=WarningLog)
    wanted: UrlFilter = field(init=False)
    memory: SitemapWatermark = field(init=False)
    files: SitemapFileQueue = field(init=False)
    trusting: bool = field(init=False)
    left: int = field(init=False)
    batch: list[Lead] = field(default_factory=list)
    answered: int = 0
    gave: bool = False
    trouble: int = 0
    resume: tuple[str, ...] = ()
    first_error: HeadwaterError | None = None

    def __post_init__(self) -> None:
        options = self.source.options
        self.wanted = url_filter_option(options)
        self.trusting = bool_option(options, "trust_lastmod")
        self.left = int_option(options, "most", default=USUAL_LEADS, most=MOST_LEADS)
        self.memory = read_watermark(self.source.watermark)
        self.files = SitemapFileQueue(
            territory=scope_of([self.source.url], list_option(options, "hosts")),
            most=int_option(options, "files", default=USUAL_FILES, most=MOST_FILES, least=FEWEST_FILES),
            deepest=int_option(options, "depth", default=DEEPEST, most=DEEPEST),
            resume=self.memory.resume,
            notes=self.notes,
        )

    def find(self) -> Talk:
        """A site's own words first, then the places where sitemaps usually are."""
        if not is_site(self.source.url):
            self.files.start([self.source.url])
            return
        named = yield from self._named_by_robots()
        if named:
            self.files.start(named)
            return
        for place in USUAL_PLACES:
            url = urljoin(self.source.url, place)
            try:
                yield from self._read(SitemapFile((url,)))
            except (Permanent, NotASitemap) as error:
                yield from self._flush()
                self.first_error = self.first_error or _permanent(error)
            else:
                return

    def _named_by_robots(self) -> Generator[Request | LeadBatch, Response | None, list[str]]:
        url = urljoin(self.source.url, "/robots.txt")
        request = Request(url=url, purpose="robots", source_kind=self.source.kind, accept=ROBOTS_ANSWERS)
        try:
            response = yield request
        except Permanent as error:
            self.notes("no_robots", error.reason)
            return []
        assert response is not None
        if response.status != 200:
            return []
        named = (urljoin(response.url, line) for line in parse_robots(response.body).sitemaps)
        return [line for line in named if line.startswith(("http://", "https://"))]

    def follow(self) -> Talk:
        """File after file. One that fails is noted; when the host itself fails, the rest waits for the next look."""
        while (file := self.files.next()) is not None:
            try:
                yield from self._read(file)
            except (HeadwaterError, NotASitemap) as error:
                yield from self._flush()
                self._failed(file, error)
                if self.trouble >= HOST_FAILURES_TO_STOP:
                    break
            else:
                self.trouble = 0
            if self.left <= 0:
                break

    def _failed(self, file: SitemapFile, error: HeadwaterError | NotASitemap) -> None:
        if isinstance(error, Permanent) and error.reason == "gone" and file.url == self.source.url:
            raise error
        self.first_error = self.first_error or _permanent(error)
        self.notes(f"sitemap_failed:{error.reason}", file.url)
        if isinstance(error, HeadwaterError) and is_host_failure(error):
            self.trouble += 1
            self.resume = self.resume or file.path

    def _read(self, file: SitemapFile) -> Talk:
        known = self.memory.known(file.url)
        if self.trusting and file.lastmod and file.lastmod == known.lastmod and known.taken is None:
            self.answered += 1
            self.memory.keep(file.url, file.lastmod)
            return
        response = yield Request(
            url=file.url, headers=known.headers, purpose="sitemap", source_kind=self.source.kind
        )
        assert response is not None
        if response.status == 304 or (body_digest(response) == known.sha256 and known.taken is None):
            self.answered += 1
            self.memory.keep(file.url, file.lastmod)
            return
        listing = self._open(response)
        if listing.kind == "index":
            # Never asked for conditionally: what it names is needed at every look, changed or not.
            self.files.below(file, response.url, ((line.url, line.lastmod) for line in listing.listed))
        else:
            yield from self._take(file, response, listing)
        self.answered += 1
        yield from self._flush()

    def _open(self, response: Response) -> Sitemap:
        content_type = header_value(response.headers, "content-type")
        return parse_sitemap(
            response.body, url=response.url, media_type=content_type, warn=self.notes, most=MOST_ENTRIES
        )

    def _take(self, file: SitemapFile, response: Response, listing: Sitemap) -> Talk:
        known = self.memory.known(file.url)
        skipped = (known.taken or 0) if body_digest(response) == known.sha256 else 0
        allowed = self.files.territory if not is_root(file) else self.files.territory.with_site(response.url)
        for number, line in enumerate(listing.listed):
            if number < skipped:
                continue
            if self.left <= 0:
                self.notes("most_reached", file.url)
                self.memory.read(file.url, response, file.lastmod, taken=number)
                self.resume = self.resume or file.path
                return
            if line.url not in allowed:
                self.notes("foreign_address", line.url)
            elif self.wanted(line.url):
                self.left -= 1
                self.gave = True
                self.batch.append(lead_from_sitemap_entry(line, self.now, self.notes))
            if len(self.batch) >= BATCH:
                yield from self._flush()
        self.memory.read(file.url, response, file.lastmod)

    def _flush(self) -> Talk:
        """Also without leads: the engine puts away the bodies it holds for us."""
        batch, self.batch = self.batch, []
        yield LeadBatch(tuple(batch))

    def end(self) -> Discovery:
        # A file that broke off after giving something is told of in the warnings, and read again next time.
        if not self.answered and not self.gave and self.first_error is not None:
            raise self.first_error
        resume = self.resume or self.files.left()
        return Discovery(
            watermark=self.memory.watermark(resume),
            warnings=self.notes.lines(),
            again=GO_ON_AFTER if self.trouble else None,
        )


def is_site(url: str) -> bool:
    """Whether an address names a site rather than a file of it."""
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def is_root(file: SitemapFile) -> bool:
    return len(file.path) == 1


def _permanent(error: HeadwaterError | NotASitemap) -> HeadwaterError:
    if isinstance(error, NotASitemap):
        return Permanent(f"not_a_sitemap:{error.reason}", error.detail)
    return error
