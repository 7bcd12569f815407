from datetime import datetime
from hashlib import sha256

from headwater.model.capture import Capture
from headwater.model.web import Response
from headwater.pure.keys import capture_key


def capture_of(response: Response, *, asked: str, owner: str, lead: str, now: datetime) -> Capture:
    """The record of an answer; its key depends on who asked and on the bytes, so that the same answer gives it again."""
    digest = sha256(response.body).hexdigest()
    return Capture(
        id=capture_key(owner, digest),
        lead=lead,
        url=asked,
        final_url=response.url,
        status=response.status,
        headers=response.headers,
        media_type=response.media_type,
        sha256=digest,
        size=len(response.body),
        fetched_at=now,
        elapsed_ms=response.elapsed_ms,
        policy=response.policy,
    )
