"""Changes of saved searches. Each raises their version, so that every worker reads them again before its next commit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, delete, select, update

from headwater.model.document import Document, TrailEntry
from headwater.model.errors import Refused
from headwater.model.jobs import Quarantine, State, Task
from headwater.model.outcomes import Drop
from headwater.model.saved_search import (
    NOT_SENT,
    QUEUE_CHANNEL,
    SEARCH_ROUTE,
    SavedSearch,
    SearchAction,
    SearchState,
)
from headwater.model.story import Story
from headwater.search.saved_searches import RULES_STEP, rule_outcome
from headwater.store.bulk import insert_into, insert_rows, update_rows
from headwater.store.claims.group_changes import record_group_changes
from headwater.store.claims.matches import match_row
from headwater.store.claims.quarantine import quarantine_rows
from headwater.store.connect import write_transaction
from headwater.store.in_list import in_list
from headwater.store.saved_search_cache import VERSION_NAME
from headwater.store.schema.flow import deliveries, documents, groups
from headwater.store.schema.knowledge import facts, mentions, vectors
from headwater.store.schema.searches import digests, matches, saved_search_versions, saved_searches
from headwater.store.search.entries import remove_entries


@dataclass(frozen=True, slots=True)
class AppliedCounts:
    """`passed_over`: documents that a worker holds or changed since they were read. Applying again reaches them."""

    changed: int = 0
    passed_over: int = 0


@dataclass(frozen=True)
class SavedSearchStore:
    engine: Engine

    def add(self, search: SavedSearch) -> None:
        """Refused if there is one of this name."""
        row = {
            "id": search.id,
            "name": search.name,
            "state": search.state,
            "created_at": search.created_at,
            "updated_at": search.created_at,
            **_changeable_values(search),
        }
        with write_transaction(self.engine) as connection:
            if _search_id(connection, search.name) is not None:
                raise Refused(
                    "search_exists",
                    f"there is a saved search '{search.name}'; choose another name, or remove it with "
                    f"`headwater searches remove {search.name}`",
                )
            insert_rows(connection, saved_searches, [row])
            _raise_version(connection)

    def change(self, search: SavedSearch, now: datetime) -> None:
        """Gives the search of this name another query, other conditions or another way to send its matches. Its matches and its
        state stay. What waits to be sent goes to the new channel, if that takes it; a queue takes documents alone.
        Refused if it kept what it met and would no longer, or the other way round."""
        with write_transaction(self.engine) as connection:
            search_id = _required_id(connection, search.name)
            _check_action(connection, search_id, search)
            if not search.channel:
                _withdraw_deliveries(connection, search.name, NOT_SENT)
                _close_open_digests(connection, search_id, now)
            elif search.channel == QUEUE_CHANNEL:
                _withdraw_deliveries(
                    connection, search.name, NOT_SENT, deliveries.c.record_kind != "document"
                )
                _close_open_digests(connection, search_id, now)
            changed = update(saved_searches).where(saved_searches.c.id == search_id)
            connection.execute(changed.values(updated_at=now, **_changeable_values(search)))
            _raise_version(connection)

    def set_state(self, name: str, state: SearchState, now: datetime) -> None:
        with write_transaction(self.engine) as connection:
            search_id = _required_id(connection, name)
            changed = update(saved_searches).where(saved_searches.c.id == search_id)
            connection.execute(changed.values(state=state, updated_at=now))
            _raise_version(connection)

    def remove(self, name: str) -> int:
        """Removes the search with its matches and digests; what waits to be sent is not sent. Returns the number of its
        matches."""
        with write_transaction(self.engine) as connection:
            search_id = _required_id(connection, name)
            _withdraw_deliveries(connection, name, "search_removed")
            count = connection.execute(delete(matches).where(matches.c.search_id == search_id)).rowcount
            connection.execute(delete(digests).where(digests.c.search_id == search_id))
            connection.execute(delete(saved_searches).where(saved_searches.c.id == search_id))
            _raise_version(connection)
            return count

    def add_matches(
        self, search: SavedSearch, records: Sequence[Document | Story], kind: str, now: datetime
    ) -> int:
        """Stored records that meet the search, for its feed. Nothing is sent. Returns how many are new."""
        with write_transaction(self.engine) as connection:
            return insert_rows(connection, matches, [match_row(search, r, kind, now) for r in records])

    def apply_rule(
        self, search: SavedSearch, read_documents: Sequence[Document], now: datetime
    ) -> AppliedCounts:
        """Drops, quarantines or tags these documents in one transaction, unless they changed since they were read."""
        with write_transaction(self.engine) as connection:
            return _apply_rule(connection, search, read_documents, now)


def _changeable_values(search: SavedSearch) -> dict[str, Any]:
    return {
        "query": search.query,
        "filters": dict(search.filters),
        "recipe": search.recipe,
        "record_kind": search.record_kind,
        "action": search.action,
        "delivery": search.delivery,
        "channel": search.channel,
    }


def _withdraw_deliveries(
    connection: Connection, name: str, reason: str, *conditions: ColumnElement[bool]
) -> None:
    """What waits to be sent and is not in the hands of a worker is not sent."""
    waiting = update(deliveries).where(
        deliveries.c.route == f"{SEARCH_ROUTE}{name}",
        deliveries.c.state == State.WAITING,
        deliveries.c.lease_owner.is_(None),
        *conditions,
    )
    connection.execute(waiting.values(state=State.DROPPED, reason=reason, due_at=None))


def _close_open_digests(connection: Connection, search_id: str, now: datetime) -> None:
    """A digest whose delivery was withdrawn is not sent, so it must not collect what matches after the digests are switched on
    again. Deliveries before digests, as in a claim."""
    is_open = (digests.c.search_id == search_id, digests.c.closed_at.is_(None))
    connection.execute(update(digests).where(*is_open).values(closed_at=now))


def _search_id(connection: Connection, name: str) -> str | None:
    return connection.scalar(select(saved_searches.c.id).where(saved_searches.c.name == name))


def _required_id(connection: Connection, name: str) -> str:
    search_id = _search_id(connection, name)
    if search_id is None:
        raise unknown_search(name)
    return search_id


def _check_action(connection: Connection, search_id: str, search: SavedSearch) -> None:
    """What a rule ended is a match like one that was sent: a document that is kept later would never be sent."""
    action = SearchAction(
        connection.scalars(select(saved_searches.c.action).where(saved_searches.c.id == search_id)).one()
    )
    if action.keeps != search.action.keeps:
        raise Refused(
            "bad_search",
            f"the action of '{search.name}' is {action} and cannot become {search.action}, because its matches stay; "
            f"remove it with `headwater searches remove {search.name}` and save it again",
        )


def unknown_search(name: str) -> Refused:
    return Refused(
        "unknown_search", f"there is no saved search '{name}'; list them with `headwater searches list`"
    )


def _raise_version(connection: Connection) -> None:
    statement = insert_into(connection.dialect, saved_search_versions).values(name=VERSION_NAME, version=1)
    raised = {"version": saved_search_versions.c.version + 1}
    connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=raised))


def _apply_rule(
    connection: Connection, search: SavedSearch, read_documents: Sequence[Document], now: datetime
) -> AppliedCounts:
    query = select(documents.c.id, documents.c.revision, documents.c.group_id).where(
        in_list(documents.c.id, [document.id for document in read_documents]),
        documents.c.state == State.KEPT,
        documents.c.lease_owner.is_(None),
        documents.c.due_at.is_(None),
    )
    rows = {row.id: row for row in connection.execute(query.order_by(documents.c.id).with_for_update())}
    current = [d for d in read_documents if d.id in rows and rows[d.id].revision == d.revision]
    changes: list[tuple[str, dict[str, Any]]] = []
    for document in current:
        outcome = rule_outcome(document, [search])
        if isinstance(outcome, Document):
            if outcome.attributes == document.attributes:
                continue
            entry = TrailEntry(RULES_STEP, "1", ("attributes",), outcome.notes)
            values: dict[str, Any] = {"attributes": dict(outcome.attributes)}
        else:
            entry = TrailEntry(RULES_STEP, "1", (), {"ended": outcome.reason})
            state = State.DROPPED if isinstance(outcome, Drop) else State.ASIDE
            values = {"state": state, "reason": outcome.reason, "group_id": None}
        changes.append((document.id, values | {"trail": (*document.trail, entry), "updated_at": now}))
    update_rows(connection, documents, changes)
    changed_ids = [document_id for document_id, _ in changes]
    insert_rows(connection, matches, [match_row(search, document, "document", now) for document in current])
    if search.action is not SearchAction.TAG and changed_ids:
        _leave_stories(
            connection, {document_id: rows[document_id].group_id for document_id in changed_ids}, now
        )
    if search.action is SearchAction.QUARANTINE and changed_ids:
        reason = Quarantine(reason=f"search:{search.name}", evidence={"searches": [search.name]})
        quarantined = [(document_id, 0, reason) for document_id in changed_ids]
        quarantine_rows(connection, current[0].recipe, Task.REFINE, quarantined, now, state=State.ASIDE)
    return AppliedCounts(len(changes), len(read_documents) - len(current))


def _leave_stories(
    connection: Connection, group_by_document: Mapping[str, str | None], now: datetime
) -> None:
    """What was derived from the documents goes, and their groups are clustered again without them."""
    ids = list(group_by_document)
    connection.execute(delete(mentions).where(in_list(mentions.c.document_id, ids)))
    connection.execute(delete(facts).where(in_list(facts.c.record_id, ids)))
    connection.execute(delete(vectors).where(in_list(vectors.c.document_id, ids)))
    remove_entries(connection, ids)
    departures = {(group, document) for document, group in group_by_document.items() if group is not None}
    keys = sorted({group for group, _ in departures})
    if keys:
        locked = select(groups.c.id).where(in_list(groups.c.id, keys)).order_by(groups.c.id)
        connection.execute(locked.with_for_update())
        due = {"due_at": now, "version": groups.c.version + 1, "attempts": 0}
        connection.execute(update(groups).where(in_list(groups.c.id, keys)).values(**due))
        record_group_changes(connection, departures, now)
