"""Saved searches: queries that every new document and story is compared with, and what happens to those that meet them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

SEARCH_ROUTE = "search:"
"""Before the name of a saved search, its route in the outbox; and the reason of what it dropped or quarantined."""
QUEUE_CHANNEL = "queue"
"""The channel of a saved search whose matches go to a queue that has the name of its route."""

NOT_SENT = "no_longer_sent"
"""Why a delivery ends whose search was changed so that its matches are in its feed alone."""


class SearchAction(StrEnum):
    """What happens to a document that meets the search. Only `deliver` and `tag` keep it."""

    DELIVER = "deliver"
    TAG = "tag"
    QUARANTINE = "quarantine"
    DROP = "drop"

    @property
    def keeps(self) -> bool:
        return self in (SearchAction.DELIVER, SearchAction.TAG)


class SearchDelivery(StrEnum):
    """When matches are sent to the channel. They are in the feed of the search in any case."""

    NONE = "none"
    IMMEDIATELY = "immediately"
    HOURLY = "hourly"
    DAILY = "daily"


class SearchState(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSearch:
    """A named query. `filters` are further conditions, as lists of values by field; `recipe` restricts it to one recipe.
    `record_kind` is document, story or all."""

    id: str
    name: str
    query: str
    filters: Mapping[str, Any] = field(default_factory=dict)
    recipe: str | None = None
    record_kind: str = "all"
    action: SearchAction = SearchAction.DELIVER
    delivery: SearchDelivery = SearchDelivery.NONE
    channel: str = ""
    state: SearchState = SearchState.ACTIVE
    created_at: datetime

    @property
    def route(self) -> str:
        return f"{SEARCH_ROUTE}{self.name}"

    @property
    def is_rule(self) -> bool:
        return self.action is not SearchAction.DELIVER


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEntry:
    """A document or story that met a saved search, as feeds and digests list it."""

    record_id: str
    record_kind: str
    recipe: str
    title: str
    url: str = ""
    text: str = ""
    publisher: str = ""
    language: str = ""
    published: datetime | None = None
    matched_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """The matches of a saved search in one hour or one day, sent together."""

    id: str
    recipe: str
    search: str
    since: datetime
    until: datetime
    entries: tuple[MatchEntry, ...] = ()

    @property
    def title(self) -> str:
        noun = "match" if len(self.entries) == 1 else "matches"
        return f"{self.search}: {len(self.entries)} {noun} until {self.until:%Y-%m-%d %H:%M} UTC"


def digest_period(delivery: SearchDelivery, now: datetime) -> tuple[datetime, datetime]:
    """The hour or the day, in UTC, in which a match of now is collected."""
    moment = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    if delivery is SearchDelivery.DAILY:
        return moment.replace(hour=0), moment.replace(hour=0) + timedelta(days=1)
    return moment, moment + timedelta(hours=1)
