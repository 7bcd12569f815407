"""A look at a feed: is there anything new, and what."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from headwater.fetch.responses import conditional_headers, header_value
from headwater.model.errors import HeadwaterError, Permanent, Temporary
from headwater.model.http import Request, Response
from headwater.model.recipe import Discovery, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import WarningLog
from headwater.sources.feeds.feed import Feed, FeedEntry, NotAFeed
from headwater.sources.feeds.fields import excerpt
from headwater.sources.feeds.parser import parse_feed
from headwater.sources.feeds.websub import link_relations
from headwater.sources.update_frequency import (
    UpdateFrequency,
    learn_frequency,
    max_poll_interval,
    min_poll_interval,
)
from headwater.text.written_dates import plausible_date

LEAST = 600
LEAST_OF_SUMMARY = 1200
SURELY_WHOLE = 4000
TAGS = re.compile(r"<[^>]*>")
# Words at the very end by which a beginning says that it goes on; a line of credit may follow them.
GOES_ON = re.compile(
    r"(?:\[\s*(?:…|\.\.\.|&#8230;|&hellip;)\s*\]|…|\.\.\.|&#8230;|&hellip;"
    r"|(?:read|learn|see)\s+(?:more|on|the\s+(?:rest|full\s+\w+))|continue\s+reading(?:\s+\S.{0,200})?"
    r"|(?:leer|lire|leggi|ler)\s+(?:más|mas|la\s+suite|tutto|mais)|weiterlesen)\W{0,8}$",
    re.IGNORECASE,
)
CREDIT = re.compile(r"The post .{1,400} (?:appeared first on|first appeared on) .{1,200}$", re.DOTALL)


def is_teaser(entry: FeedEntry) -> bool:
    """True when the page itself should be read. An entry without a page is never a teaser: there is nothing else."""
    if not entry.content:
        return True
    if not entry.link:
        return False
    if len(entry.content) < LEAST:
        return True
    words = CREDIT.sub("", " ".join(TAGS.sub(" ", entry.content).split())).rstrip()
    if len(words) >= SURELY_WHOLE:
        return False
    if len(words) < (LEAST_OF_SUMMARY if entry.content == entry.summary else LEAST):
        return True
    return GOES_ON.search(words[-240:]) is not None


LONGEST_SUMMARY = 600


def leads_from_feed(
    feed: Feed, options: Mapping[str, Any], now: datetime, notes: WarningLog
) -> tuple[Lead, ...]:
    """What there is to follow; an entry that neither links anywhere nor carries a body is counted in the notes."""
    leads = []
    for entry in feed.entries:
        lead = lead_from_entry(entry, feed, options, now, notes)
        if lead is None:
            notes("entry_without_link", entry.title or entry.id or "")
        else:
            leads.append(lead)
    return tuple(leads)


def lead_from_entry(
    entry: FeedEntry, feed: Feed, options: Mapping[str, Any], now: datetime, notes: WarningLog
) -> Lead | None:
    body = _body(entry, options.get("full_text", "auto"))
    link = entry.link if entry.link and entry.link.startswith(("http://", "https://")) else ""
    identity = entry.id or link or entry.title or ""
    if not identity or not (link or body):
        return None
    return Lead(
        identity=identity,
        url=link,
        version=_version(entry),
        title=entry.title,
        published=plausible_date(entry.published or entry.updated, now, notes),
        body=body,
        body_type="text/html" if entry.content_type != "text" else "text/plain",
        hints=_hints(entry, feed),
    )


def _body(entry: FeedEntry, wish: object) -> str | None:
    """Always, never, or as the entry itself suggests."""
    if wish is False or not entry.content:
        return None
    return entry.content if wish is True or not is_teaser(entry) else None


def _version(entry: FeedEntry) -> str:
    said = (entry.title, entry.content, entry.summary, entry.updated and entry.updated.isoformat())
    return sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _hints(entry: FeedEntry, feed: Feed) -> dict[str, Any]:
    """What the feed says about the entry, by the names of a document's fields; nothing empty."""
    said = {
        "guid": entry.id,
        "authors": list(entry.authors),
        "subtitle": entry.subtitle,
        "summary": excerpt(entry.summary, LONGEST_SUMMARY) if entry.summary else None,
        "categories": list(entry.categories),
        "image": entry.image,
        "language": entry.language or feed.language,
        "feed": feed.title,
        "origin": entry.source_title,
    }
    return {name: value for name, value in said.items() if value}


LONGEST_POLL_INTERVAL = timedelta(hours=24)
UNCHANGED = 304


def discover_feed(source: Source, now: datetime) -> PollSession:
    """Read a feed if it changed. Options: `full_text` (true, false or auto) says whether entries carry their body;
    `fallback` (an address or several) is asked, in that order, when the feed itself cannot be read; `rhythm: false`
    keeps to the schedule whatever the feed's own habits are."""
    trouble: HeadwaterError | None = None
    for url in (source.url, *fallback_urls(source)):
        try:
            response = yield _request(source, url)
            assert response is not None
            found = _found(source, response, now)
        except (Temporary, Permanent) as error:
            if isinstance(error, Temporary) and not error.counts:
                raise  # not the feed's fault: it is asked again soon
            trouble = trouble or error
            continue
        return found if trouble is None else _instead(found, trouble, url)
    assert trouble is not None
    raise trouble


def fallback_urls(source: Source) -> tuple[str, ...]:
    told = source.options.get("fallback", ())
    return (told,) if isinstance(told, str) else tuple(told)


def _request(source: Source, url: str) -> Request:
    mark = source.watermark
    known = mark.get("etag"), mark.get("last_modified")
    headers = conditional_headers(*known) if url == source.url else {}
    return Request(url=url, headers=headers, purpose="feed", source_kind=source.kind)


def _instead(found: Discovery, trouble: HeadwaterError, url: str) -> Discovery:
    """Read from elsewhere: the main address is asked again next time, unless it is gone for good."""
    mark = None if found.watermark is None else {**found.watermark, "etag": None, "last_modified": None}
    return Discovery(
        leads=found.leads,
        watermark=mark,
        after=found.after,
        within=found.within,
        moved_to=url if trouble.reason == "gone" else None,
        warnings=(f"fallback: {trouble.reason}, read from {url}", *found.warnings),
    )


def _found(source: Source, response: Response, now: datetime) -> Discovery:
    known = UpdateFrequency.from_record(source.watermark.get("rhythm"))
    if response.status == UNCHANGED:
        return Discovery(**_pace(source, known, source.watermark.get("ttl")))
    digest = sha256(response.body).hexdigest()
    mark = dict(source.watermark) | _state(response, digest)
    if digest == source.watermark.get("sha256"):
        return Discovery(watermark=mark, **_pace(source, known, source.watermark.get("ttl")))
    feed, notes = _read(response), WarningLog()
    leads = leads_from_feed(feed, source.options, now, notes)
    rhythm = learn_frequency((lead.published for lead in leads if lead.published), known)
    return Discovery(
        leads=leads,
        watermark=mark | _learned(feed, response, rhythm),
        warnings=(*feed.warnings, *notes.as_warnings()),
        **_pace(source, rhythm, feed.ttl_minutes),
    )


def _read(response: Response) -> Feed:
    try:
        return parse_feed(
            response.body, url=response.url, media_type=header_value(response.headers, "content-type")
        )
    except NotAFeed as error:
        raise Permanent(f"not_a_feed:{error.reason}", str(error)) from error


def _state(response: Response, digest: str) -> dict[str, Any]:
    etag, modified = header_value(response.headers, "etag"), header_value(response.headers, "last-modified")
    return {"etag": etag or None, "last_modified": modified or None, "sha256": digest}


def _learned(feed: Feed, response: Response, rhythm: UpdateFrequency | None) -> dict[str, Any]:
    """Its habits, and the hub that would tell when there is something new; the header's word comes first."""
    stated = link_relations(header_value(response.headers, "link"))
    hub = stated.get("hub") or (feed.hubs[0] if feed.hubs else None)
    told: dict[str, Any] = {
        "hub": hub,
        "topic": stated.get("self") or feed.self_url,
        "ttl": feed.ttl_minutes,
    }
    return told | ({"rhythm": rhythm.as_record()} if rhythm else {})


def _pace(source: Source, rhythm: UpdateFrequency | None, ttl_minutes: int | None) -> dict[str, Any]:
    """No sooner than the feed asks, or than its rhythm makes useful; no later than its entries stay. Whoever gave the
    source a trigger of its own knows better."""
    free = source.trigger is None and source.options.get("rhythm") is not False
    # An unchanged feed still means what it said last time.
    stated = timedelta(minutes=min(ttl_minutes, 10**6)) if ttl_minutes and ttl_minutes > 0 else None
    wishes = [wish for wish in (stated, min_poll_interval(rhythm) if free else None) if wish]
    return {
        "after": min(max(wishes), LONGEST_POLL_INTERVAL) if wishes else None,
        "within": max_poll_interval(rhythm) if free else None,
    }
