"""News by interface: articles as leads, read from a watermark on, page by page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from headwater.model.errors import Temporary
from headwater.model.recipe import Discover, Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.sources.json_api import (
    JsonApi,
    fetch_json,
    parse_timestamp,
    records_under,
    text_value,
    text_values,
    timestamp_or,
)
from headwater_recipes.markets.payload_hash import payload_hash

PATH = "/v2/reference/news"
LIMIT, MOST = 20, 1000
PAGES = 10
LOOK_BACK = timedelta(hours=2)  # articles arrive late, minutes to hours after the moment they bear
FIRST_POLL = timedelta(days=2)
REMEMBERED = 2000

NewsApiOf = Callable[[Source], JsonApi]


@dataclass(frozen=True, slots=True)
class NewsSettings:
    """What a source may say about itself. `query` are further parameters; `path` names another interface that answers
    in the same form."""

    ticker: str | None
    path: str
    limit: int
    pages: int
    look_back: timedelta
    first_look: timedelta
    fetch: bool
    query: Mapping[str, Any]


def read_news_settings(source: Source) -> NewsSettings:
    options = source.options
    return NewsSettings(
        ticker=options.get("ticker"),
        path=options.get("path", PATH),
        limit=max(1, min(int(options.get("limit", LIMIT)), MOST)),
        pages=max(1, int(options.get("pages", PAGES))),
        look_back=timedelta(hours=float(options.get("look_back_hours", LOOK_BACK / timedelta(hours=1)))),
        first_look=timedelta(days=float(options.get("first_days", FIRST_POLL / timedelta(days=1)))),
        fetch=bool(options.get("fetch_pages", True)),
        query=options.get("query", {}),
    )


def discover_news(api: NewsApiOf, document_type: str = "news") -> Discover:
    """Looks at articles, for one ticker (option `ticker`) or for all. Options: `limit` (20, at most 1000 a page),
    `pages` a look, `look_back_hours`, `first_days`, `fetch_pages` (false: the description is the text), `path`,
    `query`."""

    def discover(source: Source, now: datetime) -> PollSession:
        look = _NewsPoll(api(source), read_news_settings(source), source, now, document_type)
        yield from look.read()
        return look.end()

    return discover


@dataclass(slots=True)
class _NewsPoll:
    """One look. The watermark follows what was handed over, page by page, oldest first: a look that is cut short goes
    on there."""

    api: JsonApi
    settings: NewsSettings
    source: Source
    now: datetime
    document_type: str
    newest: datetime = field(init=False)
    known: dict[str, str] = field(init=False)
    seen: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    again: timedelta | None = None

    def __post_init__(self) -> None:
        mark = self.source.watermark
        # From the beginning of a day: whoever has to wait for a turn asks for the very same the next time.
        begin = (self.now - self.settings.first_look).replace(hour=0, minute=0, second=0, microsecond=0)
        self.newest = timestamp_or(mark.get("published"), begin)
        self.known = dict(mark.get("seen", {}))

    def read(self) -> PollSession:
        request = self._first()
        for number in range(1, self.settings.pages + 1):
            try:
                payload = yield from fetch_json(self.api, request)
            except Temporary as trouble:
                if number == 1:
                    raise
                return self._cut_short(trouble)
            articles = records_under(payload, "results")
            fresh = [one for one in articles if self._is_new(one)]
            if fresh:
                yield LeadBatch(tuple(self._lead(one) for one in fresh))
            self._remember(articles)
            link = text_value(payload.get("next_url")) if isinstance(payload, Mapping) else ""
            if not link:
                return Discovery()
            request = self.api.next_page(link)
        self.again = timedelta(0)
        self.warnings.append(f"pages_left: more than {self.settings.pages}")
        return Discovery()

    def _first(self) -> Any:
        since = self.newest - (self.settings.look_back if self.source.watermark else timedelta(0))
        return self.api.build_request(
            self.settings.path,
            ticker=self.settings.ticker,
            **{
                "published_utc.gte": since.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "order": "asc",
                "sort": "published_utc",
                "limit": self.settings.limit,
                **self.settings.query,
            },
        )

    def _cut_short(self, trouble: Temporary) -> Discovery:
        """What the earlier pages brought is kept, and the watermark with them."""
        self.again = trouble.delay or timedelta(minutes=1)
        self.warnings.append(f"cut_short: {trouble.reason}")
        return Discovery()

    def _is_new(self, article: Mapping[str, Any]) -> bool:
        if not _identity(article):
            self.warnings.append("article_without_id")
            return False
        told = _version(article)
        return told not in (self.known.get(_identity(article)), self.seen.get(_identity(article)))

    def _remember(self, articles: Sequence[Mapping[str, Any]]) -> None:
        for article in articles:
            published = parse_timestamp(article.get("published_utc"))
            if published is not None and published > self.newest:
                self.newest = min(
                    published, self.now
                )  # one from the future must not hide what comes before it
            if _identity(article):
                self.seen[_identity(article)] = _version(article)

    def end(self) -> Discovery:
        # A whole look has listed again all that the next one may meet again.
        seen = self.seen if self.again is None else {**self.known, **self.seen}
        recent = dict(list(seen.items())[-REMEMBERED:])
        mark = {"published": self.newest.isoformat(), "seen": recent}
        return Discovery(watermark=mark, again=self.again, warnings=tuple(dict.fromkeys(self.warnings)))

    def _lead(self, article: Mapping[str, Any]) -> Lead:
        url = text_value(article.get("article_url"))
        address = url if url.startswith(("http://", "https://")) else ""
        description = text_value(article.get("description"))
        body = None if address and self.settings.fetch else description or text_value(article.get("title"))
        return Lead(
            identity=_identity(article),
            url=address,
            version=_version(article),
            title=text_value(article.get("title")) or None,
            published=parse_timestamp(article.get("published_utc")),
            body=body,
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
        said = {
            "guid": _identity(article),
            "authors": [text_value(article.get("author"))] if text_value(article.get("author")) else [],
            "summary": text_value(article.get("description")),
            "categories": text_values(article.get("keywords")),
            "image": text_value(article.get("image_url")),
            "publisher": text_value(publisher.get("name")) if isinstance(publisher, Mapping) else "",
            "attributes": {name: value for name, value in attributes.items() if value},
        }
        return {name: value for name, value in said.items() if value}


def _identity(article: Mapping[str, Any]) -> str:
    return text_value(article.get("id")) or text_value(article.get("article_url"))


def _version(article: Mapping[str, Any]) -> str:
    return payload_hash(
        [article.get(name) for name in ("title", "description", "article_url", "published_utc")]
    )[:16]
