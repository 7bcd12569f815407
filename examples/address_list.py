"""A kind of source: a plain text file with one address per line."""

from datetime import datetime
from hashlib import sha256

from headwater.model.errors import Permanent
from headwater.model.http import Request
from headwater.model.recipe import Discovery, PollSession
from headwater.model.source import Lead, Source


def discover_list(source: Source, now: datetime) -> PollSession:
    """Every line that is an address becomes a lead; the list is read again only when its bytes have changed."""
    del now
    response = yield Request(url=source.url, purpose="feed", source_kind=source.kind)
    assert response is not None
    digest = sha256(response.body).hexdigest()
    if digest == source.watermark.get("sha256"):
        return Discovery()
    try:
        lines = response.body.decode("utf-8").split()
    except UnicodeDecodeError as error:
        raise Permanent("not_a_list", "it is not UTF-8 text") from error
    leads = tuple(Lead(identity=line, url=line) for line in lines if line.startswith(("http://", "https://")))
    return Discovery(leads=leads, watermark={"sha256": digest})
