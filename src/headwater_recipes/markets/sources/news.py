"""News from an API: articles as leads, page by page from the watermark on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from headwater.model.errors import Temporary
from headwater.model.recipe import Discover, Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.sources.json_api import (
    ApiForSource,
    JsonApi,
    fetch_json,
    records_under,
    text_value,
    text_values,
    timestamp_or,
)
from headwater.sources.look_back import ObservedDelays
from headwater.text.dates import parse_timestamp
from headwater_recipes.markets.payload_hash import payload_hash

PATH = "/v2/reference/news"
DEFAULT_PER_PAGE, MOST_PER_PAGE = 20, 1000
DEFAULT_PAGES = 10
LEAST_LOOK_BACK = timedelta(hours=2)
FIRST_PERIOD = timedelta(days=2)
MOST_VERSIONS = 2000
# A change in one of these is a correction. Others change by themselves (keywords, sentiments).
VERSION_FIELDS = ("title", "description", "author", "article_url", "published_utc")


@dataclass(frozen=True, slots=True)
class NewsSettings:
    """The options of a source. `query` holds further parameters; `path` names another endpoint with the same format.
    `wide_limit` is the page size of polls that look back far."""

    ticker: str | None
    path: str
    limit: int
    wide_limit: int
    pages: int
    least_look_back: timedelta
    first_period: timedelta
    query: Mapping[str, Any]


def read_news_settings(source: Source) -> NewsSettings:
    options = source.options
    return NewsSettings(
        ticker=options.get("ticker"),
        path=options.get("path", PATH),
        limit=max(1, min(int(options.get("limit", DEFAULT_PER_PAGE)), MOST_PER_PAGE)),
        wide_limit=max(1, min(int(options.get("limit", MOST_PER_PAGE)), MOST_PER_PAGE)),
        pages=max(1, int(options.get("pages", DEFAULT_PAGES))),
        least_look_back=timedelta(
            hours=float(options.get("look_back_hours", LEAST_LOOK_BACK / timedelta(hours=1)))
        ),
        first_period=timedelta(days=float(options.get("first_days", FIRST_PERIOD / timedelta(days=1)))),
        query=options.get("query", {}),
    )


def discover_news(api: ApiForSource, document_type: str = "news") -> Discover:
    """Polls articles about one ticker (option `ticker`) or all. Options: `limit` (articles per page: 20, at most 1000),
    `pages` (of the API, per poll), `look_back_hours` (at least: 2), `first_days`, `path`, `query`."""

    def discover(source: Source, now: datetime) -> PollSession:
        poll = _NewsPoll(api(source), read_news_settings(source), source, now, document_type)
        yield from poll.read()
        return poll.end()

    return discover


@dataclass(slots=True)
class _NewsPoll:
    """One poll. The watermark follows the leads page by page, oldest first: a poll that is cut short continues there."""

    api: JsonApi
    settings: NewsSettings
    source: Source
    now: datetime
    document_type: str
    delays: ObservedDelays = field(init=False)
    look_back: timedelta = field(init=False)
    longest_delay: timedelta = timedelta(0)
    newest: datetime = field(init=False)
    old_versions: dict[str, str] = field(init=False)
    new_versions: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    poll_again_after: timedelta | None = None

    def __post_init__(self) -> None:
        watermark = self.source.watermark
        # From the start of a day, so that a poll that had to wait repeats the same request.
        first_day = (self.now - self.settings.first_period).replace(hour=0, minute=0, second=0, microsecond=0)
        self.newest = timestamp_or(watermark.get("published"), first_day)
        self.old_versions = dict(watermark.get("seen", {}))
        self.delays = ObservedDelays.from_record(watermark.get("delays"))
        self.look_back = self.delays.look_back(self.settings.least_look_back, self.now)

    def read(self) -> PollSession:
        request = self._first_request()
        for number in range(1, self.settings.pages + 1):
            try:
                payload = yield from fetch_json(self.api, request)
            except Temporary as error:
                if number == 1:
                    raise
                return self._cut_short(error)
            articles = records_under(payload, "results")
            new_articles = [article for article in articles if self._is_new(article)]
            if new_articles:
                yield LeadBatch(tuple(self._lead(article) for article in new_articles))
            self._remember(articles)
            link = text_value(payload.get("next_url")) if isinstance(payload, Mapping) else ""
            if not link:
                return Discovery()
            request = self.api.next_page(link)
        self.poll_again_after = timedelta(0)
        self.warnings.append(f"pages_left: more than {self.settings.pages}")
        return Discovery()

    def _first_request(self) -> Any:
        since = self.newest - (self.look_back if self.source.watermark else timedelta(0))
        is_wide = self.look_back > self.settings.least_look_back
        return self.api.build_request(
            self.settings.path,
            ticker=self.settings.ticker,
            **{
                "published_utc.gte": since.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "order": "asc",
                "sort": "published_utc",
                "limit": self.settings.wide_limit if is_wide else self.settings.limit,
                **self.settings.query,
            },
        )

    def _cut_short(self, error: Temporary) -> Discovery:
        """Keep the leads of the earlier pages, and the watermark with them."""
        self.poll_again_after = error.delay or timedelta(minutes=1)
        self.warnings.append(f"cut_short: {error.reason}")
        return Discovery()

    def _is_new(self, article: Mapping[str, Any]) -> bool:
        if not _identity(article):
            self.warnings.append("article_without_id")
            return False
        version = _version(article)
        return version not in (
            self.old_versions.get(_identity(article)),
            self.new_versions.get(_identity(article)),
        )

    def _remember(self, articles: Sequence[Mapping[str, Any]]) -> None:
        for article in articles:
            published = parse_timestamp(article.get("published_utc"))
            if published is not None and published > self.newest:
                self.newest = min(
                    published, self.now
                )  # an article from the future must not hide earlier ones
            if _identity(article):
                if published is not None and self._is_first_sight(article):
                    self.longest_delay = max(self.longest_delay, self.delays.delay_of(published, self.now))
                self.new_versions[_identity(article)] = _version(article)

    def _is_first_sight(self, article: Mapping[str, Any]) -> bool:
        """Whether this article was never listed before; unknown when there are more than the watermark remembers."""
        return _identity(article) not in self.old_versions and len(self.old_versions) < MOST_VERSIONS

    def end(self) -> Discovery:
        is_complete = self.poll_again_after is None
        # A complete wide poll has listed every article that the next one may list again.
        lists_all = is_complete and self.delays.is_wide_due(self.now)
        versions = self.new_versions if lists_all else {**self.old_versions, **self.new_versions}
        recent = dict(list(versions.items())[-MOST_VERSIONS:])
        delays = self.delays.after_poll(self.now, self.longest_delay, is_complete=is_complete)
        watermark = {
            "published": self.newest.isoformat(),
            "seen": recent,
            "delays": delays.to_record(),
        }
        return Discovery(
            watermark=watermark, again=self.poll_again_after, warnings=tuple(dict.fromkeys(self.warnings))
        )

    def _lead(self, article: Mapping[str, Any]) -> Lead:
        article_url = text_value(article.get("article_url"))
        url = article_url if article_url.startswith(("http://", "https://")) else ""
        # Without a page there is nothing but the description.
        description = text_value(article.get("description")) or text_value(article.get("title"))
        return Lead(
            identity=_identity(article),
            url=url,
            version=_version(article),
            title=text_value(article.get("title")) or None,
            published=parse_timestamp(article.get("published_utc")),
            body=None if url else description,
            body_type="text/plain",
            hints=self._hints(article),
            subject=self.source.subject,
        )

    def _hints(self, article: Mapping[str, Any]) -> dict[str, Any]:
        publisher = article.get("publisher")
        attributes = {
            "document_type": self.document_type,
            "source_type": self.source.kind,
            "ticker": self.settings.ticker,
            "tickers": text_values(article.get("tickers")),
            "insights": records_under(article, "insights"),
        }
        hints = {
            "guid": _identity(article),
            "authors": [text_value(article.get("author"))] if text_value(article.get("author")) else [],
            "summary": text_value(article.get("description")),
            "categories": text_values(article.get("keywords")),
            "image": text_value(article.get("image_url")),
            "publisher": text_value(publisher.get("name")) if isinstance(publisher, Mapping) else "",
            "attributes": {name: value for name, value in attributes.items() if value},
        }
        return {name: value for name, value in hints.items() if value}


def _identity(article: Mapping[str, Any]) -> str:
    return text_value(article.get("id")) or text_value(article.get("article_url"))


def _version(article: Mapping[str, Any]) -> str:
    return payload_hash([article.get(name) for name in VERSION_FIELDS])[:16]
