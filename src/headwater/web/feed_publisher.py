"""WebSub publishing: tells a hub which of our feeds have changed. Subscribers are the hub's: we never call an address that a
stranger gave us. A hub that cannot be reached is told later; after a restart it is told once more, which does no harm."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, urlencode

import structlog

from headwater.app import App
from headwater.model.errors import Temporary
from headwater.model.http import Failure, Request
from headwater.model.ports import Fetcher
from headwater.store.reads.events import read_events
from headwater.store.reads.saved_searches import list_saved_searches, match_counts

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PREFIX = "/api/v1"
LIST_FORMS = ("atom", "rss", "jsonfeed")
SEARCH_FORMS = ("atom", "rss", "json")
EVERY_SECONDS = 15.0
TIMEOUT = timedelta(seconds=20)
# A row may be committed a little later than its time says.
LOOK_BACK = timedelta(seconds=30)
MOST_EVENTS = 1_000
MOST_TOPICS = 50
_log = structlog.get_logger()


def is_published(path: str, query: str) -> bool:
    """Whether a hub is told about the feed at this address, so that it may name the hub: all documents, those of one source, all
    stories, and saved searches."""
    name = path.partition(PREFIX)[2].rpartition(".")[0]
    parameters = [parameter for parameter, _ in parse_qsl(query, keep_blank_values=True)]
    if name == "/documents":
        return parameters in ([], ["source"])
    is_search = name.startswith("/searches/") and name.endswith("/feed")
    return (name == "/stories" or is_search) and not parameters


@dataclass
class FeedPublisher:
    """`base_url` is the public address of this server. `since` is up to when the hub knows; None before the first time."""

    app: App
    hub: str
    base_url: str
    since: datetime | None = None
    is_stopping: Callable[[], bool] = lambda: False

    def changed_feeds(self) -> list[str]:
        """The addresses of the feeds that changed, or of all lists the first time."""
        if self.since is None:
            return [*self._list("documents"), *self._list("stories")]
        since = self.since - LOOK_BACK
        recipes = self.app.catalogue.recipes()
        events = read_events(self.app.engine, ("document", "story"), recipes, since, MOST_EVENTS)
        kinds = {event.kind for event in events}
        sources = sorted({str(event.record["source_id"]) for event in events if event.kind == "document"})
        return [
            *(self._list("documents") if "document" in kinds else ()),
            *(self._list("stories") if "story" in kinds else ()),
            *(address for source in sources for address in self._list("documents", source=source)),
            *self._changed_searches(since),
        ]

    def _list(self, name: str, **parameters: str) -> list[str]:
        query = f"?{urlencode(parameters)}" if parameters else ""
        return [f"{self.base_url}{PREFIX}/{name}.{form}{query}" for form in LIST_FORMS]

    def _changed_searches(self, since: datetime) -> list[str]:
        counts = match_counts(self.app.engine)
        return [
            f"{self.base_url}{PREFIX}/searches/{search.name}/feed.{form}"
            for search in list_saved_searches(self.app.engine)
            if search.id in counts and counts[search.id][1] >= since
            for form in SEARCH_FORMS
        ]

    def publish(self, fetcher: Fetcher) -> int:
        """Tell the hub; returns how many feeds it was told about. What it did not accept is told again the next time."""
        now = self.app.clock()
        feeds = self.changed_feeds()
        requests = [
            publish_request(self.hub, feeds[start : start + MOST_TOPICS])
            for start in range(0, len(feeds), MOST_TOPICS)
        ]
        waiting = {str(number) for number in range(len(requests))}
        for number, request in enumerate(requests):
            fetcher.submit(str(number), request)
        is_accepted = not self.is_stopping()
        while waiting and not self.is_stopping():
            for key, answer in fetcher.collect(len(waiting), timedelta(seconds=0.2)):
                waiting.discard(key)
                reason = answer.reason if isinstance(answer, Failure) else f"http_{answer.status}"
                if isinstance(answer, Failure) or not 200 <= answer.status < 300:
                    is_accepted = False
                    _log.warning("hub was not told", hub=self.hub, reason=reason)
        if is_accepted:
            self.since = now
        return len(feeds) if is_accepted else 0

    async def publish_for_ever(self, every: float = EVERY_SECONDS) -> None:
        """Until cancelled."""
        fetcher = self.app.fetcher()
        try:
            while True:
                try:
                    await asyncio.to_thread(self.publish, fetcher)
                except Temporary as error:
                    _log.warning("hub waits", reason=error.reason)
                await asyncio.sleep(every)
        finally:
            await asyncio.to_thread(fetcher.close)


def publish_request(hub: str, feeds: Sequence[str]) -> Request:
    fields = [("hub.mode", "publish"), *(("hub.url", feed) for feed in feeds)]
    return Request(
        url=hub, method="POST", headers=FORM, body=urlencode(fields).encode(), purpose="api", timeout=TIMEOUT
    )
