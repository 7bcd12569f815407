"""Matches of saved searches: written in the transaction that stores the document or story, with their deliveries.

A record meets a search once, whatever becomes of it later, so a repeated commit repeats nothing. A digest collects the matches
of its hour or day until a worker claims its delivery; from then on it is closed, and later matches go into the next one.
Digests are locked last and their deliveries are never locked here, so that this cannot deadlock with a claim.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from headwater.model.document import Document
from headwater.model.jobs import RefineResult, State
from headwater.model.keys import delivery_key, key
from headwater.model.saved_search import (
    QUEUE_CHANNEL,
    SEARCH_ROUTE,
    Digest,
    SavedSearch,
    SearchDelivery,
    digest_period,
)
from headwater.model.story import Story
from headwater.search.matching import SearchedDocument, searched_story
from headwater.search.saved_searches import SavedSearchSet
from headwater.store.bulk import insert_into, insert_rows
from headwater.store.claims.outbox import open_deliveries
from headwater.store.in_list import in_list
from headwater.store.reads.match_entries import match_entries
from headwater.store.schema.flow import deliveries, documents, sources
from headwater.store.schema.searches import digests, matches, saved_searches

DIGESTS = (SearchDelivery.HOURLY, SearchDelivery.DAILY)
Pair = tuple[SavedSearch, Document | Story]


def record_document_matches(
    connection: Connection,
    searches: SavedSearchSet,
    kept_documents: Sequence[tuple[Document, SearchedDocument]],
    now: datetime,
) -> None:
    """Each document comes with its terms and keys, which the search index has, too."""
    if not searches.active or not kept_documents:
        return
    documents_alone = [document for document, _ in kept_documents]
    names = source_names(connection, documents_alone) if searches.needs_source_names() else {}
    searched = [
        words.with_source(names[document.source]) if document.source in names else words
        for document, words in kept_documents
    ]
    _record(connection, _pairs(searches, documents_alone, searched, now, "document"), "document", now)


def record_rule_matches(
    connection: Connection, searches: SavedSearchSet, refined: Sequence[RefineResult], now: datetime
) -> None:
    """Documents that a rule dropped or quarantined met it, too. Only those whose end was stored."""
    names = {r.id: r.evidence.get("searches") or () for r in refined if r.reason.startswith(SEARCH_ROUTE)}
    if not names:
        return
    is_ended = documents.c.state.in_((State.DROPPED, State.ASIDE))
    query = select(documents.c.id, documents.c.recipe, documents.c.revision).where(
        in_list(documents.c.id, sorted(names)), is_ended, documents.c.reason.startswith(SEARCH_ROUTE)
    )
    rows = [
        match_row(searches.by_name[name], row, "document", now)
        for row in connection.execute(query)
        for name in names[row.id]
        if name in searches.by_name
    ]
    insert_rows(connection, matches, rows)


def record_story_matches(
    connection: Connection, searches: SavedSearchSet, stories: Sequence[Story], now: datetime
) -> None:
    if searches.active and stories:
        searched = [searched_story(story) for story in stories]
        _record(connection, _pairs(searches, stories, searched, now, "story"), "story", now)


def source_names(connection: Connection, kept_documents: Iterable[Document]) -> dict[str, str]:
    ids = sorted({document.source for document in kept_documents})
    query = select(sources.c.id, sources.c.name).where(in_list(sources.c.id, ids))
    return {row.id: row.name for row in connection.execute(query)}


def _pairs(
    searches: SavedSearchSet,
    records: Sequence[Document | Story],
    searched: Sequence[SearchedDocument],
    now: datetime,
    kind: str,
) -> list[Pair]:
    return [
        (search, record)
        for record, words in zip(records, searched, strict=True)
        for search in searches.matching(words, now, record_kind=kind)
        if search.action.keeps
    ]


def _record(connection: Connection, pairs: Sequence[Pair], kind: str, now: datetime) -> None:
    new = _without_earlier(connection, pairs)
    if not new:
        return
    immediate = [
        (record, search.route, kind, record.revision)
        for search, record in new
        if search.delivery is SearchDelivery.IMMEDIATELY
        and (kind == "document" or search.channel != QUEUE_CHANNEL)
    ]
    open_deliveries(connection, immediate, now)
    digest_ids = _open_digests(connection, [pair for pair in new if pair[0].delivery in DIGESTS], now)
    rows = [
        match_row(search, record, kind, now) | {"digest_id": digest_ids.get((search.id, record.recipe))}
        for search, record in new
    ]
    insert_rows(connection, matches, rows)


def match_row(
    search: SavedSearch, record: Document | Story | Row[*tuple[Any, ...]], kind: str, now: datetime
) -> dict[str, Any]:
    return {
        "search_id": search.id,
        "record_id": record.id,
        "record_kind": kind,
        "recipe": record.recipe,
        "revision": record.revision,
        "matched_at": now,
        "digest_id": None,
    }


def _without_earlier(connection: Connection, pairs: Sequence[Pair]) -> list[Pair]:
    if not pairs:
        return []
    ids = sorted({record.id for _, record in pairs})
    query = select(matches.c.search_id, matches.c.record_id).where(in_list(matches.c.record_id, ids))
    earlier = {(row.search_id, row.record_id) for row in connection.execute(query)}
    return [(search, record) for search, record in pairs if (search.id, record.id) not in earlier]


def _open_digests(connection: Connection, pairs: Sequence[Pair], now: datetime) -> dict[tuple[str, str], str]:
    """The open digest of each search and recipe, locked until the transaction ends; its delivery is due at its end."""
    searches = {(search.id, record.recipe): search for search, record in pairs}
    digest_ids: dict[tuple[str, str], str] = {}
    for (search_id, recipe), search in sorted(searches.items(), key=lambda item: item[0]):
        row = _digest_row(search, recipe, digest_period(search.delivery, now), now)
        while _lock_digest(connection, row):
            since, until = row["since_at"], row["until_at"]
            row = _digest_row(search, recipe, (until, until + (until - since)), now)
        digest_ids[search_id, recipe] = row["id"]
        insert_rows(connection, deliveries, [_digest_delivery(search, row)])
    return digest_ids


def _digest_row(
    search: SavedSearch, recipe: str, period: tuple[datetime, datetime], now: datetime
) -> dict[str, Any]:
    since, until = period
    return {
        "id": key("digest", search.id, recipe, since.isoformat()),
        "search_id": search.id,
        "recipe": recipe,
        "since_at": since,
        "until_at": until,
        "created_at": now,
    }


def _digest_delivery(search: SavedSearch, digest: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": delivery_key(digest["recipe"], search.route, digest["id"]),
        "recipe": digest["recipe"],
        "route": search.route,
        "record_kind": "digest",
        "record_id": digest["id"],
        "state": State.WAITING,
        "revision": 1,
        "sent_revision": 0,
        "created_at": digest["created_at"],
        "due_at": digest["until_at"],
        "attempts": 0,
    }


def _lock_digest(connection: Connection, row: Mapping[str, Any]) -> bool:
    """Creates or locks the digest; returns whether it is closed."""
    statement = insert_into(connection.dialect, digests).values(**row)
    locked = statement.on_conflict_do_update(index_elements=["id"], set_={"recipe": row["recipe"]})
    return connection.execute(locked.returning(digests.c.closed_at)).scalar() is not None


def close_digests(connection: Connection, ids: Sequence[str], now: datetime) -> Mapping[str, Digest]:
    """The digests as they are sent. Each attempt sends the same entries."""
    if not ids:
        return {}
    is_open = (in_list(digests.c.id, ids), digests.c.closed_at.is_(None))
    connection.execute(update(digests).where(*is_open).values(closed_at=now))
    query = select(digests, saved_searches.c.name).join(
        saved_searches, saved_searches.c.id == digests.c.search_id
    )
    rows = connection.execute(query.where(in_list(digests.c.id, ids))).mappings().all()
    entries = defaultdict(list)
    for digest_id, entry in match_entries(connection, in_list(matches.c.digest_id, ids)):
        entries[digest_id].append(entry)
    return {
        row["id"]: Digest(
            id=row["id"],
            recipe=row["recipe"],
            search=row["name"],
            since=row["since_at"],
            until=row["until_at"],
            entries=tuple(entries[row["id"]]),
        )
        for row in rows
    }
