"""The entries of any feed: of an address, of bytes, of a text or of a file."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from headwater.app import App
from headwater.model.errors import Permanent, Refused
from headwater.model.http import Failure, Request, Response
from headwater.ops.feed_check import feed_in_sandbox
from headwater.python_api.records import RecordList
from headwater.python_api.standalone import place_problem
from headwater.settings.settings import Settings
from headwater.sources.feeds.feed import Feed, FeedEntry, NotAFeed

FEED_TIMEOUT = timedelta(seconds=30)


def feed(data: bytes | str | Path, *, allow: Sequence[str] = ()) -> RecordList[FeedEntry]:
    """Returns the entries of a feed, however broken: of an address, of bytes, of a text or of a file.

    The list has the feed itself in `about`. `allow` names private addresses (`host:port`) that may be fetched from. Raises
    Permanent when it cannot be fetched or is not a feed.
    """
    if isinstance(data, str) and data.startswith(("http://", "https://")):
        response = _fetch(data, allow)
    elif isinstance(data, str) and (problem := place_problem(data)):
        raise Refused("not_a_text", problem)
    else:
        body = (
            data.read_bytes() if isinstance(data, Path) else data.encode() if isinstance(data, str) else data
        )
        response = Response(url="", status=200, headers={}, body=body)
    try:
        parsed: Feed = feed_in_sandbox(response)
    except NotAFeed as error:
        raise Permanent(f"not_a_feed:{error.reason}", str(error)) from error
    return RecordList(parsed.entries, about=parsed)


def _fetch(url: str, allow: Sequence[str]) -> Response:
    fetcher = App(Settings(allow=list(allow), log_level="error")).fetcher()
    try:
        fetcher.submit(url, Request(url=url, purpose="feed", source_kind="feed", timeout=FEED_TIMEOUT))
        answer: Response | Failure | None = None
        while answer is None:
            answer = dict(fetcher.collect(1, timedelta(seconds=0.2))).get(url)
    finally:
        fetcher.close()
    if isinstance(answer, Failure):
        raise Permanent(answer.reason, answer.detail)
    if answer.status != 200:
        raise Permanent(f"http_{answer.status}", f"{url} answered with status {answer.status}")
    return answer
