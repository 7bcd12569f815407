"""The matches of a saved search as a feed, for feed readers and other programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from headwater.model.saved_search import MatchEntry
from headwater.text.written_feed import LONG_AGO, FeedItem, FeedPage, write_atom, write_json_feed, write_rss


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFeed:
    """`url` is where the feed is served, if it is; `hub` is the WebSub hub that is told about it. Entries are newest first."""

    search_id: str
    name: str
    query: str
    entries: Sequence[MatchEntry]
    url: str = ""
    hub: str = ""
    created: datetime = LONG_AGO

    def page(self) -> FeedPage:
        return FeedPage(
            id=f"urn:headwater:search:{self.search_id}",
            title=f"Headwater: {self.name}",
            subtitle=self.query,
            url=self.url,
            site=self.url,
            hub=self.hub,
            created=self.created,
            items=[self._item(entry) for entry in self.entries],
        )

    def _item(self, entry: MatchEntry) -> FeedItem:
        return FeedItem(
            # The same for ever, so that a reader shows each entry once.
            id=f"urn:headwater:{entry.record_kind}:{entry.record_id}:{self.search_id}",
            title=entry.title,
            url=entry.url,
            updated=entry.matched_at,
            published=entry.published,
            summary=entry.text,
            authors=(entry.publisher,) if entry.publisher else (),
            categories=(entry.recipe, entry.record_kind),
            language=entry.language,
        )


FEED_FORMATS = {"atom": write_atom, "rss": write_rss, "json": write_json_feed}


def write_match_feed(feed: MatchFeed, feed_format: str) -> str:
    return FEED_FORMATS[feed_format](feed.page()).decode()
