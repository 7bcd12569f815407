"""A look at a feed: is there anything new, and what."""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from headwater.discover.feed_leads import leads_of
from headwater.model.errors import HeadwaterError, Permanent, Temporary
from headwater.model.recipe import Conversation, Discovery
from headwater.model.source import Source
from headwater.model.web import Request, Response
from headwater.pure.feeds import Feed, NotAFeed, read_feed
from headwater.pure.feeds.notes import Notes
from headwater.pure.responses import conditional, header
from headwater.pure.rhythm import Rhythm, hurry, learn, rest
from headwater.pure.websub import relations

LONGEST_REST = timedelta(hours=24)
UNCHANGED = 304


def discover_feed(source: Source, now: datetime) -> Conversation:
    """Read a feed if it changed. Options: `full_text` (true, false or auto) says whether entries carry their body;
    `fallback` (an address or several) is asked, in that order, when the feed itself cannot be read; `rhythm: false`
    keeps to the schedule whatever the feed's own habits are."""
    trouble: HeadwaterError | None = None
    for url in (source.url, *fallbacks(source)):
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


def fallbacks(source: Source) -> tuple[str, ...]:
    told = source.options.get("fallback", ())
    return (told,) if isinstance(told, str) else tuple(told)


def _request(source: Source, url: str) -> Request:
    mark = source.watermark
    known = mark.get("etag"), mark.get("last_modified")
    headers = conditional(*known) if url == source.url else {}
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
    known = Rhythm.from_record(source.watermark.get("rhythm"))
    if response.status == UNCHANGED:
        return Discovery(**_pace(source, known, source.watermark.get("ttl")))
    digest = sha256(response.body).hexdigest()
    mark = dict(source.watermark) | _state(response, digest)
    if digest == source.watermark.get("sha256"):
        return Discovery(watermark=mark, **_pace(source, known, source.watermark.get("ttl")))
    feed, notes = _read(response), Notes()
    leads = leads_of(feed, source.options, now, notes)
    rhythm = learn((lead.published for lead in leads if lead.published), known)
    return Discovery(
        leads=leads,
        watermark=mark | _learned(feed, response, rhythm),
        warnings=(*feed.warnings, *notes.as_warnings()),
        **_pace(source, rhythm, feed.ttl_minutes),
    )


def _read(response: Response) -> Feed:
    try:
        return read_feed(response.body, url=response.url, media_type=header(response.headers, "content-type"))
    except NotAFeed as error:
        raise Permanent(f"not_a_feed:{error.reason}", str(error)) from error


def _state(response: Response, digest: str) -> dict[str, Any]:
    etag, modified = header(response.headers, "etag"), header(response.headers, "last-modified")
    return {"etag": etag or None, "last_modified": modified or None, "sha256": digest}


def _learned(feed: Feed, response: Response, rhythm: Rhythm | None) -> dict[str, Any]:
    """Its habits, and the hub that would tell when there is something new; the header's word comes first."""
    stated = relations(header(response.headers, "link"))
    hub = stated.get("hub") or (feed.hubs[0] if feed.hubs else None)
    told: dict[str, Any] = {
        "hub": hub,
        "topic": stated.get("self") or feed.self_url,
        "ttl": feed.ttl_minutes,
    }
    return told | ({"rhythm": rhythm.as_record()} if rhythm else {})


def _pace(source: Source, rhythm: Rhythm | None, ttl_minutes: int | None) -> dict[str, Any]:
    """No sooner than the feed asks, or than its rhythm makes useful; no later than its entries stay. Whoever gave the
    source a trigger of its own knows better."""
    free = source.trigger is None and source.options.get("rhythm") is not False
    # An unchanged feed still means what it said last time.
    stated = timedelta(minutes=min(ttl_minutes, 10**6)) if ttl_minutes and ttl_minutes > 0 else None
    wishes = [wish for wish in (stated, rest(rhythm) if free else None) if wish]
    return {
        "after": min(max(wishes), LONGEST_REST) if wishes else None,
        "within": hurry(rhythm) if free else None,
    }
