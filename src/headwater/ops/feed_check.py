"""Checks whether a URL is a usable feed."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from headwater.app import App
from headwater.extract.sandbox.sandboxed import parse_in_sandbox
from headwater.fetch.responses import header_value
from headwater.fetch.source_secrets import hide_secret_values, resolve_request
from headwater.model.errors import Permanent
from headwater.model.http import Failure, Request, Response
from headwater.model.outcomes import ExtractHints
from headwater.model.ports import Fetcher
from headwater.model.recipe import Parse
from headwater.model.source import Source
from headwater.model.source_kind import HEADERS_OPTION
from headwater.sources.feeds.autodiscovery import guess_feed_urls
from headwater.sources.feeds.feed import Feed, NotAFeed, ParsedFeed
from headwater.sources.feeds.parser import parse_untrusted_feed

Headers = Mapping[str, str]
NO_HEADERS: Mapping[str, Any] = {}
FETCH_TIMEOUT = timedelta(seconds=20)
EACH = timedelta(seconds=2)
STALE = timedelta(days=60)
MOST_TRIED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedCheck:
    """`ok`: a feed with entries that can be read. `reason` says why not; `feeds` are better URLs, if any.
    `freshness`: fresh, stale (nothing new for two months), or undated."""

    url: str
    ok: bool
    reason: str = ""
    detail: str = ""
    status: int | None = None
    elapsed_ms: int | None = None
    final_url: str = ""
    format: str = ""
    title: str = ""
    entries: int = 0
    newest: datetime | None = None
    freshness: str = ""
    warnings: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()


def check_feeds(
    app: App, urls: Sequence[str], within: timedelta = EACH, headers: Mapping[str, Headers] = NO_HEADERS
) -> list[FeedCheck]:
    """Fetch every URL once, all at the same time; `within` is the time limit for each. `headers` are the option of that name
    by URL."""
    answers = answers_for(app, {url: operator_source(url, headers.get(url, {})) for url in urls}, within)
    return [assess_response(url, answers[url], app.clock()) for url in urls]


def operator_source(url: str, headers: Headers = NO_HEADERS) -> Source:
    """What an operator wrote: secrets that it refers to are sent to its own origin, and to no other."""
    options = {HEADERS_OPTION: dict(headers)} if headers else {}
    return Source(id="", recipe="", kind="feed", name=url, url=url, options=options)


def answers_for(app: App, sources: Mapping[str, Source], within: timedelta) -> dict[str, Response | Failure]:
    """The answer to a request for each address, all at the same time, sent with the secrets of its source; no answer quotes
    them."""
    urls = list(sources)
    requests = {url: Request(url=url, purpose="feed", source_kind="feed", timeout=within) for url in sources}
    sent = {url: resolve_request(requests[url], source) for url, source in sources.items()}
    with open_fetcher(app) as fetcher:
        for url in urls:
            fetcher.submit(url, sent[url])
        answers: dict[str, Response | Failure] = {}
        timeout = max(FETCH_TIMEOUT, within * 2, timedelta(seconds=len(urls) / 4))
        deadline = time.monotonic() + timeout.total_seconds()
        while len(answers) < len(set(urls)) and time.monotonic() < deadline:
            for url, answer in fetcher.collect(len(urls), timedelta(seconds=0.2)):
                answers[url] = hide_secret_values(answer, requests[url], sent[url])
    return {url: answers.get(url, Failure("timeout", "no answer in time")) for url in urls}


@contextmanager
def open_fetcher(app: App) -> Iterator[Fetcher]:
    """A fetcher for a few requests, closed at the end."""
    fetcher = app.fetcher()
    try:
        yield fetcher
    finally:
        fetcher.close()


def assess_response(url: str, answer: Response | Failure, now: datetime) -> FeedCheck:
    """Judge a response as a feed."""
    if isinstance(answer, Failure):
        return FeedCheck(url=url, ok=False, reason=answer.reason, detail=answer.detail)
    if answer.status != 200:
        return _seen(url, answer, reason=f"http_{answer.status}")
    try:
        feed = feed_in_sandbox(answer)
    except Permanent as error:
        return _seen(url, answer, reason=error.reason, detail=error.detail)
    except NotAFeed as error:
        suggestions = error.alternates or (guess_feed_urls(answer.url) if error.reason == "html" else ())
        detail = "these addresses are guesses" if suggestions and not error.alternates else ""
        return _seen(url, answer, reason=f"not_a_feed:{error.reason}", detail=detail, feeds=suggestions)
    return _read(url, answer, feed, now)


def feed_in_sandbox(answer: Response) -> Feed:
    """Raises NotAFeed, or Permanent when the bytes are too hard to parse."""
    hints = ExtractHints(url=answer.url, media_type=header_value(answer.headers, "content-type"))
    parsed: ParsedFeed = parse_in_sandbox(Parse(parse_untrusted_feed, answer.body, hints))
    return parsed.unwrap()


def _read(url: str, answer: Response, feed: Feed, now: datetime) -> FeedCheck:
    dates = [date for entry in feed.entries if (date := entry.published or entry.updated)]
    return _seen(
        url,
        answer,
        ok=bool(feed.entries),
        reason="" if feed.entries else "no_entries",
        format=feed.format,
        title=feed.title or "",
        entries=len(feed.entries),
        newest=max(dates, default=None),
        freshness=_freshness(max(dates, default=None), now),
        warnings=feed.warnings,
    )


def _freshness(newest: datetime | None, now: datetime) -> str:
    if newest is None:
        return "undated"
    return "stale" if now - newest > STALE else "fresh"


def _seen(url: str, answer: Response, *, ok: bool = False, **values: object) -> FeedCheck:
    same = {"status": answer.status, "elapsed_ms": answer.elapsed_ms, "final_url": answer.url}
    return FeedCheck(url=url, ok=ok, **same, **values)  # type: ignore[arg-type]
