"""Polling a feed: conditional request, fallbacks, entries as leads, and when to poll next."""

import re
from collections.abc import Generator, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from headwater.fetch.responses import conditional_headers, header_value
from headwater.model.errors import HeadwaterError, Permanent, Temporary
from headwater.model.http import Request, Response
from headwater.model.outcomes import ExtractHints
from headwater.model.recipe import Discovery, Parse, PollSession
from headwater.model.schedule import has_own_interval
from headwater.model.source import Lead, Source
from headwater.model.warning_log import WarningLog
from headwater.sources.feeds.feed import Feed, FeedEntry, NotAFeed, ParsedFeed
from headwater.sources.feeds.fields import excerpt
from headwater.sources.feeds.parser import parse_untrusted_feed
from headwater.sources.feeds.websub import link_relations
from headwater.sources.update_frequency import (
    UpdateFrequency,
    learn_frequency,
    max_poll_interval,
    min_poll_interval,
)
from headwater.text.markup import strip_tags
from headwater.text.written_dates import plausible_date

SHORTEST_ARTICLE = 600
SHORTEST_SUMMARY_ARTICLE = 1200
SURELY_COMPLETE = 4000
# What a teaser ends with; a credit line may follow.
CONTINUATION = re.compile(
    r"(?:\[\s*(?:…|\.\.\.|&#8230;|&hellip;)\s*\]|…|\.\.\.|&#8230;|&hellip;"
    r"|(?:read|learn|see)\s+(?:more|on|the\s+(?:rest|full\s+\w+))|continue\s+reading(?:\s+\S.{0,200})?"
    r"|(?:leer|lire|leggi|ler)\s+(?:más|mas|la\s+suite|tutto|mais)|weiterlesen)\W{0,8}$",
    re.IGNORECASE,
)
CREDIT = re.compile(r"The post .{1,400} (?:appeared first on|first appeared on) .{1,200}$", re.DOTALL)
LONGEST_SUMMARY = 600
LONGEST_POLL_INTERVAL = timedelta(hours=24)
NOT_MODIFIED = 304


def discover_feed(source: Source, now: datetime) -> PollSession:
    """Poll a feed; parse it if it changed.

    Options: `full_text` (true, false or auto) says whether entries carry their whole body; `fallback` (a URL or
    several) is tried in order when the feed cannot be read; `adaptive_interval: false` keeps the configured schedule,
    however often the feed publishes.
    """
    first_error: HeadwaterError | None = None
    for url in (source.url, *fallback_urls(source)):
        try:
            response = yield _request(source, url)
            assert response is not None
            discovery = yield from _discovery_from_response(source, response, now)
        except (Temporary, Permanent) as error:
            if isinstance(error, Temporary) and not error.counts:
                raise  # not the feed's fault: the poll is repeated soon
            first_error = first_error or error
            continue
        return discovery if first_error is None else _from_fallback(discovery, first_error, url)
    assert first_error is not None
    raise first_error


def fallback_urls(source: Source) -> tuple[str, ...]:
    fallback = source.options.get("fallback", ())
    return (fallback,) if isinstance(fallback, str) else tuple(fallback)


def _request(source: Source, url: str) -> Request:
    watermark = source.watermark
    validators = watermark.get("etag"), watermark.get("last_modified")
    headers = conditional_headers(*validators) if url == source.url else {}
    return Request(url=url, headers=headers, purpose="feed", source_kind=source.kind)


def _from_fallback(discovery: Discovery, error: HeadwaterError, url: str) -> Discovery:
    """A discovery from a fallback URL. The next poll tries the main URL again, unless it is gone for good."""
    watermark = (
        None if discovery.watermark is None else {**discovery.watermark, "etag": None, "last_modified": None}
    )
    return Discovery(
        leads=discovery.leads,
        watermark=watermark,
        after=discovery.after,
        within=discovery.within,
        moved_to=url if error.reason == "gone" else None,
        warnings=(f"fallback: {error.reason}, read from {url}", *discovery.warnings),
    )


def _discovery_from_response(source: Source, response: Response, now: datetime) -> PollSession:
    frequency = UpdateFrequency.from_record(source.watermark.get("update_frequency"))
    if response.status == NOT_MODIFIED:
        return Discovery(**_poll_intervals(source, frequency, source.watermark.get("ttl")))
    digest = sha256(response.body).hexdigest()
    watermark = dict(source.watermark) | _response_state(response, digest)
    if digest == source.watermark.get("sha256"):
        return Discovery(
            watermark=watermark, **_poll_intervals(source, frequency, source.watermark.get("ttl"))
        )
    feed = yield from _parse_response(response)
    warnings = WarningLog()
    leads = leads_from_feed(feed, source.options, now, warnings)
    new_frequency = learn_frequency((lead.published for lead in leads if lead.published), frequency)
    return Discovery(
        leads=leads,
        watermark=watermark | _feed_state(feed, response, new_frequency),
        warnings=(*feed.warnings, *warnings.lines()),
        **_poll_intervals(source, new_frequency, feed.ttl_minutes),
    )


def _parse_response(response: Response) -> Generator[Parse, ParsedFeed, Feed]:
    hints = ExtractHints(url=response.url, media_type=header_value(response.headers, "content-type"))
    parsed = yield Parse(parse_untrusted_feed, response.body, hints)
    try:
        return parsed.unwrap()
    except NotAFeed as error:
        raise Permanent(f"not_a_feed:{error.reason}", str(error)) from error


def _response_state(response: Response, digest: str) -> dict[str, Any]:
    etag, modified = header_value(response.headers, "etag"), header_value(response.headers, "last-modified")
    return {"etag": etag or None, "last_modified": modified or None, "sha256": digest}


def _feed_state(feed: Feed, response: Response, frequency: UpdateFrequency | None) -> dict[str, Any]:
    """What the watermark keeps of the feed: update frequency, ttl and WebSub hub (the Link header wins)."""
    relations = link_relations(header_value(response.headers, "link"))
    hub = relations.get("hub") or (feed.hubs[0] if feed.hubs else None)
    state: dict[str, Any] = {
        "hub": hub,
        "topic": relations.get("self") or feed.self_url,
        "ttl": feed.ttl_minutes,
    }
    return state | ({"update_frequency": frequency.as_record()} if frequency else {})


def _poll_intervals(
    source: Source, frequency: UpdateFrequency | None, ttl_minutes: int | None
) -> dict[str, Any]:
    """The next poll: not before the feed's ttl or its usual gap, and before entries drop out. An interval of the source's
    own overrides them all."""
    if has_own_interval(source.trigger, source.options):
        return {}
    adaptive = source.options.get("adaptive_interval") is not False
    # For an unchanged feed this is the ttl of the last parse.
    ttl = timedelta(minutes=min(ttl_minutes, 10**6)) if ttl_minutes and ttl_minutes > 0 else None
    minimums = [minimum for minimum in (ttl, min_poll_interval(frequency) if adaptive else None) if minimum]
    return {
        "after": min(max(minimums), LONGEST_POLL_INTERVAL) if minimums else None,
        "within": max_poll_interval(frequency) if adaptive else None,
    }


def leads_from_feed(
    feed: Feed, options: Mapping[str, Any], now: datetime, warnings: WarningLog
) -> tuple[Lead, ...]:
    """A lead for every entry. Warns of an entry that has neither a link nor a body."""
    leads = []
    for entry in feed.entries:
        lead = lead_from_entry(entry, feed, options, now, warnings)
        if lead is None:
            warnings("entry_without_link", entry.title or entry.id or "")
        else:
            leads.append(lead)
    return tuple(leads)


def lead_from_entry(
    entry: FeedEntry, feed: Feed, options: Mapping[str, Any], now: datetime, warnings: WarningLog
) -> Lead | None:
    is_whole = _is_whole(entry, options.get("full_text", "auto"))
    body = entry.content if entry.content and (is_whole or _exceeds_summary(entry)) else None
    link = entry.link if entry.link and entry.link.startswith(("http://", "https://")) else ""
    identity = entry.id or link or entry.title or ""
    if not identity or not (link or body):
        return None
    return Lead(
        identity=identity,
        url=link,
        version=_version(entry),
        title=entry.title,
        published=plausible_date(entry.published or entry.updated, now, warnings),
        body=body,
        body_type="text/html" if entry.content_type != "text" else "text/plain",
        teaser=body is not None and not is_whole,
        hints=_hints(entry, feed),
    )


def _is_whole(entry: FeedEntry, full_text: object) -> bool:
    """Whether the body of the entry is the article: always, never, or if it looks complete."""
    return full_text is not False and (full_text is True or not is_teaser(entry))


def _exceeds_summary(entry: FeedEntry) -> bool:
    """Whether the body says more than the summary among the hints."""
    return len(excerpt(entry.content or "", LONGEST_SUMMARY + 1) or "") > len(_summary(entry) or "")


def _summary(entry: FeedEntry) -> str | None:
    return excerpt(entry.summary, LONGEST_SUMMARY) if entry.summary else None


def is_teaser(entry: FeedEntry) -> bool:
    """Whether the body is only the beginning of the article, so that the page must be fetched. False for an entry with a
    body and without a link: there is nothing else to read."""
    if not entry.content:
        return True
    if not entry.link:
        return False
    if len(entry.content) < SHORTEST_ARTICLE:
        return True
    text = CREDIT.sub("", " ".join(strip_tags(entry.content).split())).rstrip()
    if len(text) >= SURELY_COMPLETE:
        return False
    if len(text) < (SHORTEST_SUMMARY_ARTICLE if entry.content == entry.summary else SHORTEST_ARTICLE):
        return True
    return CONTINUATION.search(text[-240:]) is not None


def _version(entry: FeedEntry) -> str:
    content = (entry.title, entry.content, entry.summary, entry.updated and entry.updated.isoformat())
    return sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _hints(entry: FeedEntry, feed: Feed) -> dict[str, Any]:
    """What the feed says about the entry, by the names of document fields; empty values left out."""
    hints = {
        "guid": entry.id,
        "authors": list(entry.authors),
        "subtitle": entry.subtitle,
        "summary": _summary(entry),
        "categories": list(entry.categories),
        "image": entry.image,
        "language": entry.language or feed.language,
        "feed": feed.title,
        "origin": entry.source_title,
    }
    return {name: value for name, value in hints.items() if value}
