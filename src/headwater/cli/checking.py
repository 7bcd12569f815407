"""What an address answers when it is asked for a feed."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from headwater.app import App
from headwater.model.ports import Fetcher
from headwater.model.web import Failure, Request, Response
from headwater.pure.feeds import Feed, NotAFeed, guess_feeds, read_feed
from headwater.pure.responses import header

PATIENCE = timedelta(seconds=20)
EACH = timedelta(seconds=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """`ok`: a feed with entries that can be read. `reason` says why not; `feeds` are better addresses, if any."""

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
    warnings: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()


def check(app: App, urls: Sequence[str]) -> list[Check]:
    """Ask every address once, all at the same time."""
    with _fetching(app) as fetcher:
        for url in urls:
            fetcher.submit(url, Request(url=url, purpose="feed", source_kind="feed", timeout=EACH))
        answers: dict[str, Response | Failure] = {}
        until = time.monotonic() + PATIENCE.total_seconds()
        while len(answers) < len(set(urls)) and time.monotonic() < until:
            answers.update(fetcher.collect(len(urls), timedelta(seconds=0.2)))
    silent = Failure("timeout", "no answer in time")
    return [assess(url, answers.get(url, silent)) for url in urls]


@contextmanager
def _fetching(app: App) -> Iterator[Fetcher]:
    fetcher = app.fetcher()
    try:
        yield fetcher
    finally:
        fetcher.close()


def assess(url: str, answer: Response | Failure) -> Check:
    """What the answer means to somebody who wants a feed."""
    if isinstance(answer, Failure):
        return Check(url=url, ok=False, reason=answer.reason, detail=answer.detail)
    if answer.status != 200:
        return _seen(url, answer, reason=f"http_{answer.status}")
    try:
        feed = read_feed(answer.body, url=answer.url, media_type=header(answer.headers, "content-type"))
    except NotAFeed as error:
        better = error.alternates or (guess_feeds(answer.url) if error.reason == "html" else ())
        detail = "these addresses are guesses" if better and not error.alternates else ""
        return _seen(url, answer, reason=f"not_a_feed:{error.reason}", detail=detail, feeds=better)
    return _read(url, answer, feed)


def _read(url: str, answer: Response, feed: Feed) -> Check:
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
        warnings=feed.warnings,
    )


def _seen(url: str, answer: Response, *, ok: bool = False, **told: object) -> Check:
    same = {"status": answer.status, "elapsed_ms": answer.elapsed_ms, "final_url": answer.url}
    return Check(url=url, ok=ok, **same, **told)  # type: ignore[arg-type]
