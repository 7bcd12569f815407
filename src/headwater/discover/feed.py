"""A feed's entries as leads."""

import re
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from headwater.model.errors import Permanent
from headwater.model.lead import Lead
from headwater.model.recipe import Conversation, Discovery
from headwater.model.source import Source
from headwater.model.web import Request, Response
from headwater.pure.feeds import Entry, Feed, NotAFeed, read_feed
from headwater.pure.responses import conditional, header

FULL_TEXT_CHARACTERS = 600  # a shorter body is a teaser: the page itself is fetched
LONGEST_REST = timedelta(hours=24)
TAGS = re.compile(r"<[^>]*>")


def discover_feed(source: Source, now: datetime) -> Conversation:
    """Read a feed if it changed, and no sooner than its ttl says. Options: `full_text` (true, false or auto) says whether entries carry their body."""
    del now
    mark = source.watermark
    headers = conditional(mark.get("etag"), mark.get("last_modified"))
    response = yield Request(url=source.url, headers=headers, purpose="feed", source_kind=source.kind)
    assert response is not None
    if response.status == 304:
        return Discovery(after=_rest(mark.get("ttl")))
    digest = sha256(response.body).hexdigest()
    if digest == mark.get("sha256"):
        return Discovery(
            watermark=_watermark(response, digest, mark.get("ttl")), after=_rest(mark.get("ttl"))
        )
    feed = _read(response)
    leads = tuple(lead for entry in feed.entries if (lead := _lead(entry, feed, source)) is not None)
    skipped = len(feed.entries) - len(leads)
    return Discovery(
        leads=leads,
        watermark=_watermark(response, digest, feed.ttl_minutes),
        after=_rest(feed.ttl_minutes),
        warnings=(*feed.warnings, *((f"entries_without_link: {skipped}",) if skipped else ())),
    )


def _read(response: Response) -> Feed:
    try:
        return read_feed(response.body, url=response.url, media_type=header(response.headers, "content-type"))
    except NotAFeed as error:
        raise Permanent(f"not_a_feed:{error.reason}", str(error)) from error


def _watermark(response: Response, digest: str, ttl: Any) -> dict[str, Any]:
    etag, modified = header(response.headers, "etag"), header(response.headers, "last-modified")
    return {"etag": etag or None, "last_modified": modified or None, "sha256": digest} | (
        {"ttl": ttl} if ttl else {}
    )


def _rest(ttl: Any) -> timedelta | None:
    """The rest that a feed asks for in minutes; an unchanged one still means what it said last time."""
    if not isinstance(ttl, int) or ttl <= 0:
        return None
    return min(timedelta(minutes=min(ttl, 10**6)), LONGEST_REST)


def _lead(entry: Entry, feed: Feed, source: Source) -> Lead | None:
    """None for an entry that neither links anywhere nor carries a body: there is nothing to follow."""
    body = _body(entry, source)
    link = entry.link if entry.link and entry.link.startswith(("http://", "https://")) else ""
    identity = entry.id or link or entry.title or ""
    if not identity or not (link or body):
        return None
    return Lead(
        identity=identity,
        url=link,
        version=_version(entry),
        title=entry.title,
        published=entry.published or entry.updated,
        body=body,
        body_type="text/html" if entry.content_type != "text" else "text/plain",
        hints=_hints(entry, feed),
    )


def _body(entry: Entry, source: Source) -> str | None:
    wish = source.options.get("full_text", "auto")
    if wish is False or not entry.content:
        return None
    if wish is True:
        return entry.content
    return entry.content if len(TAGS.sub("", entry.content)) >= FULL_TEXT_CHARACTERS else None


def _version(entry: Entry) -> str:
    said = (entry.title, entry.content, entry.summary, entry.updated and entry.updated.isoformat())
    return sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _hints(entry: Entry, feed: Feed) -> dict[str, Any]:
    """What the feed says about the entry, by the names of a document's fields; nothing empty."""
    said = {
        "guid": entry.id,
        "authors": list(entry.authors),
        "summary": TAGS.sub("", entry.summary).strip() if entry.summary else None,
        "categories": list(entry.categories),
        "image": entry.image,
        "language": entry.language or feed.language,
        "feed": feed.title,
        "origin": entry.source_title,
    }
    return {name: value for name, value in said.items() if value}
