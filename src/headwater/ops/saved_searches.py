"""Saved searches for operators, the command line and the API: add, try on the past, apply, read as a feed, check channels."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from headwater.app import App
from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.keys import key
from headwater.model.saved_search import (
    QUEUE_CHANNEL,
    SEARCH_ROUTE,
    SavedSearch,
    SearchAction,
    SearchDelivery,
    SearchState,
)
from headwater.model.story import Story
from headwater.search.match_feed import FEED_FORMATS, MatchFeed, write_match_feed
from headwater.search.saved_searches import SavedSearchSet, check_query, parse_saved
from headwater.store.changes.saved_searches import unknown_search
from headwater.store.connect import read_transaction
from headwater.store.reads.failing_deliveries import failing_deliveries
from headwater.store.reads.saved_searches import (
    feed_entries,
    find_saved_search,
    list_saved_searches,
    match_counts,
)
from headwater.store.reads.stored_records import StoredRecord, stored_documents, stored_stories
from headwater.store.search.index_reader import open_index
from headwater.store.search.notices import search_notices

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
COUNTED_BATCHES = 50
"""Of 200 records: as many are compared to count matches that nobody sees."""
KINDS = ("all", "document", "story")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What an operator says about a new saved search. `filters` are lists of values by field, and `quality`."""

    name: str
    query: str
    filters: Mapping[str, Any] = field(default_factory=dict)
    recipe: str | None = None
    record_kind: str = "all"
    action: str = SearchAction.DELIVER
    delivery: str | None = None
    channel: str = ""


def add_search(app: App, request: SearchRequest) -> SavedSearch:
    """Checks and stores it. Workers compare the next documents with it, without a restart."""
    search = check_search(app, request)
    app.saved_searches.add(search)
    return search


def change_search(app: App, request: SearchRequest) -> SavedSearch:
    """Checks and stores the search of this name as it is from now on. Its matches stay."""
    named_search(app, request.name)
    app.saved_searches.change(check_search(app, request), app.clock())
    return named_search(app, request.name)


def check_search(app: App, request: SearchRequest) -> SavedSearch:
    """The search as it would be stored; Refused with what to change."""
    if not NAME.fullmatch(request.name):
        raise Refused(
            "bad_name",
            f"'{request.name}' cannot be the name of a search; use small letters, digits and -, for example port-strikes",
        )
    if request.record_kind not in KINDS:
        raise Refused("bad_search", f"a search is about {', '.join(KINDS)}, not '{request.record_kind}'")
    if request.recipe:
        app.recipe(request.recipe)
    now = app.clock()
    search = SavedSearch(
        id=key("saved_search", request.name, now.isoformat()),
        name=request.name,
        query=request.query,
        filters={name: value for name, value in request.filters.items() if value not in (None, [], ())},
        recipe=request.recipe,
        record_kind=request.record_kind,
        action=_member(SearchAction, request.action, "action"),
        delivery=_delivery(request),
        channel=request.channel,
        created_at=now,
    )
    check_query(search, now)
    _check_rule(search)
    _check_channel(app, search)
    return search


def _member(kind: Any, value: str, what: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise Refused("bad_search", f"there is no {what} '{value}'; use {', '.join(kind)}") from None


def _delivery(request: SearchRequest) -> SearchDelivery:
    """A channel without a delivery means immediately."""
    default = SearchDelivery.IMMEDIATELY if request.channel else SearchDelivery.NONE
    member: SearchDelivery = _member(SearchDelivery, request.delivery or default, "delivery")
    return member


def _check_rule(search: SavedSearch) -> None:
    if not search.is_rule:
        return
    if search.recipe is None:
        raise Refused("bad_search", "a rule belongs to one recipe; name the recipe")
    if search.record_kind == "story":
        raise Refused("bad_search", "a rule acts on documents, not on stories alone")
    if search.channel and search.action is not SearchAction.TAG:
        raise Refused(
            "bad_search",
            f"what a search with the action {search.action} meets is not kept, so there is nothing to send; give no channel",
        )


def _check_channel(app: App, search: SavedSearch) -> None:
    if search.delivery is SearchDelivery.NONE:
        if search.channel:
            raise Refused("bad_search", "a channel needs a delivery: immediately, hourly or daily")
        return
    if not search.channel:
        raise Refused("bad_search", f"the delivery {search.delivery} needs a channel")
    if search.channel == QUEUE_CHANNEL:
        if search.delivery is not SearchDelivery.IMMEDIATELY:
            raise Refused("bad_search", "a queue takes documents one by one; choose the delivery immediately")
    elif search.channel not in app.channels:
        names = ", ".join([*sorted(app.channels), QUEUE_CHANNEL])
        raise Refused(
            "unknown_channel",
            f"there is no channel '{search.channel}'; there are: {names}. Add one to the setting `notify`",
        )


def query_notices(app: App, search: SavedSearch) -> tuple[str, ...]:
    """What may have been meant otherwise, such as a source that there is not."""
    with read_transaction(app.store.engine) as connection:
        return search_notices(open_index(connection), parse_saved(search, app.clock()))


def named_search(app: App, name: str) -> SavedSearch:
    search = find_saved_search(app.store.engine, name)
    if search is None:
        raise unknown_search(name)
    return search


def list_searches(app: App) -> list[dict[str, Any]]:
    """Every saved search with its counts, and `problem` if its deliveries cannot arrive."""
    engine = app.store.engine
    counts, problems = match_counts(engine), channel_problems(app)
    return [
        search_record(search)
        | {
            "matches": counts[search.id][0] if search.id in counts else 0,
            "last_match_at": counts[search.id][1] if search.id in counts else None,
            "problem": problems.get(search.name, ""),
        }
        for search in list_saved_searches(engine)
    ]


def search_record(search: SavedSearch) -> dict[str, Any]:
    names = ("name", "query", "filters", "recipe", "record_kind", "action", "delivery", "channel", "state")
    return {name: getattr(search, name) for name in (*names, "created_at")}


def channel_problems(app: App) -> dict[str, str]:
    """By the name of a saved search: that its channel was deleted, or that deliveries to it fail."""
    failing: dict[str, str] = {}
    for row in failing_deliveries(app.store.engine):
        if row["route"].startswith(SEARCH_ROUTE):
            name = row["route"].removeprefix(SEARCH_ROUTE)
            failing[name] = f"{row['count']} deliveries fail: {row['reason']}"
    return failing | deleted_channels(app)


def deleted_channels(app: App) -> dict[str, str]:
    """By the name of a saved search: that its channel was deleted."""
    return {
        search.name: f"the channel '{search.channel}' is no longer in the setting notify"
        for search in list_saved_searches(app.store.engine)
        if search.channel and search.channel != QUEUE_CHANNEL and search.channel not in app.channels
    }


def try_search(app: App, search: SavedSearch, since: datetime | None = None) -> Iterator[StoredRecord]:
    """The stored documents and stories that meet the search, whether or not it is saved. Nothing is written."""
    for _, batch in _past_matches(app, search, since):
        yield from batch


@dataclass(frozen=True, slots=True)
class SearchTrial:
    """The first matches, and how many there are; at least so many unless `is_exact`."""

    matches: Sequence[StoredRecord]
    total: int
    is_exact: bool


def count_matches(app: App, search: SavedSearch, since: datetime | None, limit: int) -> SearchTrial:
    """As `try_search`, with a total. It stops when it has `limit` matches and has compared enough records."""
    matches: list[StoredRecord] = []
    total = 0
    for number, (_, batch) in enumerate(_past_matches(app, search, since)):
        if number >= COUNTED_BATCHES and total >= limit:
            return SearchTrial(matches, total, is_exact=False)
        matches += batch[: limit - len(matches)]
        total += len(batch)
    return SearchTrial(matches, total, is_exact=True)


def _past_matches(
    app: App, search: SavedSearch, since: datetime | None
) -> Iterator[tuple[str, list[StoredRecord]]]:
    recipes = [search.recipe] if search.recipe else app.catalogue.recipes()
    now, engine = app.clock(), app.store.engine
    searches = SavedSearchSet((search,), 1, now)
    if search.record_kind != "story":
        for batch in stored_documents(engine, recipes, since):
            yield "document", [stored for stored in batch if searches.matching(stored.searched, now)]
    if search.record_kind != "document" and not search.is_rule:
        for batch in stored_stories(engine, recipes, since):
            matching = [s for s in batch if searches.matching(s.searched, now, record_kind="story")]
            yield "story", matching


@dataclass
class AppliedFigures:
    """`changed` documents were dropped, quarantined or tagged, or records are new in the feed of a search that is no rule."""

    matching: int = 0
    changed: int = 0
    passed_over: int = 0


def apply_search(
    app: App,
    name: str,
    since: datetime | None = None,
    report: Callable[[AppliedFigures], None] = lambda _: None,
) -> AppliedFigures:
    """Applies a rule to stored documents, batch by batch; a run that died is repeated and does the rest. For a search that
    is no rule, its past matches are added to its feed. Nothing is sent."""
    search, figures = named_search(app, name), AppliedFigures()
    if search.state is SearchState.PAUSED:
        raise Refused(
            "search_paused", f"'{name}' is paused; resume it with `headwater searches resume {name}`"
        )
    for kind, batch in _past_matches(app, search, since):
        if not batch:
            continue
        records = [stored.record for stored in batch]
        figures.matching += len(records)
        if search.is_rule:
            for documents in _by_recipe(records):
                counts = app.saved_searches.apply_rule(search, documents, app.clock())
                figures.changed += counts.changed
                figures.passed_over += counts.passed_over
        else:
            figures.changed += app.saved_searches.add_matches(search, records, kind, app.clock())
        report(figures)
    return figures


def _by_recipe(records: Sequence[Document | Story]) -> list[list[Document]]:
    by_recipe: dict[str, list[Document]] = {}
    for record in records:
        if isinstance(record, Document):
            by_recipe.setdefault(record.recipe, []).append(record)
    return list(by_recipe.values())


def search_feed(
    app: App, name: str, feed_format: str = "atom", *, limit: int = 50, url: str = "", hub: str = ""
) -> str:
    """The newest matches as an Atom, RSS or JSON feed. `url` is where it is served, `hub` is told when it changes."""
    if feed_format not in FEED_FORMATS:
        raise Refused("bad_format", f"there is no format '{feed_format}'; use {', '.join(FEED_FORMATS)}")
    search = named_search(app, name)
    entries = feed_entries(app.store.engine, search, limit)
    feed = MatchFeed(
        search_id=search.id,
        name=search.name,
        query=search.query,
        entries=entries,
        url=url,
        hub=hub,
        created=search.created_at,
    )
    return write_match_feed(feed, feed_format)
