"""Adds validators, 304 and compression to the response of a site, without I/O."""

import gzip
import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

from headwater_demo.site import SiteRequest, SiteResponse

_COMPRESS_FROM = 256
_COMPRESSED_TYPES = (
    "text/",
    "application/xml",
    "application/json",
    "application/rss",
    "application/atom",
    "application/feed",
    "application/rdf",
)


def http_date(moment: datetime) -> str:
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)


def deliver(request: SiteRequest, answer: SiteResponse, *, born: datetime) -> SiteResponse:
    """Adds ETag and Last-Modified (`born` where the site sets none); answers 304 or compresses the body on request."""
    if answer.as_is or answer.status != 200:
        return answer
    modified = answer.last_modified or born
    digest = hashlib.blake2b(answer.body, digest_size=12).hexdigest()
    headers = {
        "ETag": f'"{digest}"',
        "Last-Modified": http_date(modified),
        "Vary": "Accept-Encoding",
        **answer.headers,
    }
    if _is_fresh(request, digest, modified):
        return replace(answer, status=304, body=b"", headers=headers, pace=None)
    if _may_compress(request, answer):
        headers |= {"Content-Encoding": "gzip", "ETag": f'W/"{digest}"'}
        return replace(answer, body=gzip.compress(answer.body, 6, mtime=0), headers=headers)
    return replace(answer, headers=headers)


def _is_fresh(request: SiteRequest, digest: str, modified: datetime) -> bool:
    if request.method not in ("GET", "HEAD"):
        return False
    sent_tags = request.headers.get("if-none-match")
    if sent_tags is not None:  # RFC 9110: the date counts only where no tag was sent
        tags = {tag.strip().removeprefix("W/").strip('"') for tag in sent_tags.split(",")}
        return "*" in tags or digest in tags
    since = _read_date(request.headers.get("if-modified-since"))
    return since is not None and modified.replace(microsecond=0) <= since


def _read_date(text: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _may_compress(request: SiteRequest, answer: SiteResponse) -> bool:
    encodings = (part.partition(";") for part in request.headers.get("accept-encoding", "").split(","))
    accepts_gzip = any(
        name.strip().lower() == "gzip" and "q=0" not in parameters.replace("q=0.", "")
        for name, _, parameters in encodings
    )
    return (
        accepts_gzip
        and answer.pace is None
        and len(answer.body) >= _COMPRESS_FROM
        and answer.media_type.startswith(_COMPRESSED_TYPES)
    )
