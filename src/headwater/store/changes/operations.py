"""What an operator may do: wake, pause, mute, reset and remove sources, retry or drop quarantined records, release leases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, Table, case, delete, false, func, or_, select, update

from headwater.model.errors import Refused
from headwater.model.jobs import State, Task
from headwater.model.page import WITH_WHOLE_TEXT, PageState
from headwater.model.suggestion import suggest
from headwater.store.changes.source_list import RECIPE, REMOVED, origin_after_operator
from headwater.store.claims.leases import FINISHED_VALUES, TASK_TABLES
from headwater.store.connect import write_transaction
from headwater.store.reads.catalogue import begins_with
from headwater.store.schema.flow import documents, leads, quarantine, revisions, sources

FORGIVEN: Mapping[str, Any] = {"failures": 0, "stop_reason": None, "reason": None, "attempts": 0}


@dataclass(frozen=True, slots=True)
class RemovedSource:
    """`item_count`: what it found, which stays."""

    id: str
    name: str
    item_count: int


@dataclass(frozen=True)
class Operations:
    engine: Engine

    def wake(self, recipe: str, now: datetime) -> int:
        """Make every active source of a recipe due now; returns how many."""
        active_sources = update(sources).where(
            sources.c.recipe == recipe, sources.c.active, sources.c.stop_reason.is_(None)
        )
        with write_transaction(self.engine) as connection:
            return connection.execute(active_sources.values(due_at=now)).rowcount

    def poll_now(self, source: str, now: datetime) -> bool:
        """Make a source due now if it is due later; returns whether it was. An inactive or stopped source stays so."""
        waiting_source = update(sources).where(
            sources.c.id == source, sources.c.active, sources.c.stop_reason.is_(None), sources.c.due_at > now
        )
        with write_transaction(self.engine) as connection:
            return connection.execute(waiting_source.values(due_at=now)).rowcount > 0

    def pause(self, source: str, *, active: bool, now: datetime) -> str:
        """Switch a source off, or on again; returns its name."""
        values = {
            "active": active,
            "due_at": now if active else None,
            "origin": origin_after_operator(active=active),
        }
        return self._update_source(source, values | {"updated_at": now})

    def mute(self, source: str, until: datetime | None) -> str:
        """Raise no alarm about a source until then, or with None raise them again; returns its name. It is still polled."""
        return self._update_source(source, {"muted_until": until})

    def reset(self, source: str, now: datetime) -> str:
        """Clear a source's failures and poll it again at once; returns its name."""
        values = {**FORGIVEN, "due_at": now, "active": True}
        return self._update_source(
            source, values | {"origin": origin_after_operator(active=True), "updated_at": now}
        )

    def remove_source(self, source: str, now: datetime) -> RemovedSource:
        """Remove a source. One that found something stays as a row, because documents refer to it, but is neither polled nor
        listed until it is added again. Refused if the list of its recipe names it: it would come back."""
        with write_transaction(self.engine) as connection:
            row = self._find_source(connection, source)
            if row.origin == RECIPE:
                raise Refused(
                    "not_now",
                    f"'{row.name}' is in the list of its recipe; remove it there, or pause it",
                )
            count = connection.scalar(select(func.count()).where(leads.c.source_id == row.id)) or 0
            if count:
                values = {"active": False, "due_at": None, "origin": REMOVED, "updated_at": now}
                connection.execute(update(sources).where(sources.c.id == row.id).values(**values))
            else:
                connection.execute(delete(sources).where(sources.c.id == row.id))
            return RemovedSource(str(row.id), str(row.name), count)

    def reset_all(self, recipe: str, now: datetime) -> int:
        """Clear the failures of every active source of a recipe, for example after a key was renewed; returns how many
        had failures."""
        has_failed = (
            (sources.c.failures > 0)
            | sources.c.stop_reason.is_not(None)
            | (sources.c.reason == "key_missing")
        )
        failing_sources = update(sources).where(sources.c.recipe == recipe, sources.c.active, has_failed)
        with write_transaction(self.engine) as connection:
            return connection.execute(failing_sources.values(**FORGIVEN, due_at=now, updated_at=now)).rowcount

    def _update_source(self, source: str, values: Mapping[str, object]) -> str:
        with write_transaction(self.engine) as connection:
            row = self._find_source(connection, source)
            connection.execute(update(sources).where(sources.c.id == row.id).values(**values))
            return str(row.name)

    @staticmethod
    def _find_source(connection: Connection, source: str) -> Row[Any, Any, Any]:
        """The only source with this id, address or name."""
        matches_source = or_(sources.c.id == source, sources.c.url == source, sources.c.name == source)
        query = select(sources.c.id, sources.c.name, sources.c.origin).where(matches_source)
        rows = connection.execute(query).all()
        if len(rows) == 1:
            return rows[0]
        names = connection.scalars(select(sources.c.name)).all() if not rows else ()
        hint = suggest(source, names) or "; see `headwater sources list`"
        count_text = "no source" if not rows else f"{len(rows)} sources"
        raise Refused("unknown_source", f"{count_text} called '{source}'{hint}")

    def retry(
        self, records: Sequence[str] | None, recipe: str | None, now: datetime, *, reason: str | None = None
    ) -> int:
        """Retry quarantined records: those named, or all of a recipe, or those with a reason; returns how many."""
        with write_transaction(self.engine) as connection:
            count = 0
            for row in self._select_quarantined(connection, records, recipe, reason):
                table = TASK_TABLES[Task(row.task)]
                changes = {"due_at": now, "attempts": 0, "reason": None} | _retry_values(table)
                connection.execute(update(table).where(table.c.id == row.record_id).values(**changes))
                self._remove_entry(connection, row.record_id, row.task)
                count += 1
            return count

    def fetch_pages(
        self,
        records: Sequence[str] | None,
        recipe: str | None,
        now: datetime,
        *,
        states: Sequence[PageState] = (),
        renders: bool = False,
    ) -> int:
        """Request the pages of documents that were made without one: those named, or all of a recipe, in these states or
        in any; returns how many. `renders`: a browser requests the pages that have no text without one."""
        document_ids = select(documents.c.id).where(
            documents.c.page.in_(states) if states else documents.c.page.not_in(["", *WITH_WHOLE_TEXT])
        )
        if records is not None:
            keys = (begins_with(documents.c.id, text) for text in records)
            document_ids = document_ids.where(or_(false(), *keys))
        if recipe:
            document_ids = document_ids.where(documents.c.recipe == recipe)
        state = select(documents.c.page).where(documents.c.lead_id == leads.c.id).scalar_subquery()
        finished_leads = update(leads).where(
            leads.c.document_id.in_(document_ids), leads.c.state.in_((State.DONE, State.DROPPED))
        )
        values: dict[str, Any] = {
            "state": State.WAITING,
            "due_at": now,
            "attempts": 0,
            # What the next fetch is compared with: the same state again is nothing new.
            "page_reason": func.coalesce(leads.c.page_reason, state),
        }
        if renders:
            values["render"] = state.in_((PageState.SCRIPT_ONLY, PageState.CONSENT_WALL))
        with write_transaction(self.engine) as connection:
            return connection.execute(finished_leads.values(**values)).rowcount

    def drop(self, records: Sequence[str] | None, recipe: str | None, *, reason: str | None = None) -> int:
        """Drop quarantined records for good. Their reason stays, marked as the operator's decision; returns how many."""
        with write_transaction(self.engine) as connection:
            count = 0
            for row in self._select_quarantined(connection, records, recipe, reason):
                table = TASK_TABLES[Task(row.task)]
                values = FINISHED_VALUES | {"reason": f"operator:{row.reason}"}
                if "state" in table.c:
                    values["state"] = _unless_kept(table, State.DROPPED)
                connection.execute(update(table).where(table.c.id == row.record_id).values(**values))
                self._remove_entry(connection, row.record_id, row.task)
                count += 1
            return count

    def _select_quarantined(
        self,
        connection: Connection,
        records: Sequence[str] | None,
        recipe: str | None,
        reason: str | None,
    ) -> Sequence[Row[Any, Any, Any]]:
        query = select(quarantine.c.record_id, quarantine.c.task, quarantine.c.reason)
        if records is not None:
            query = query.where(
                or_(false(), *(begins_with(quarantine.c.record_id, text) for text in records))
            )
        if recipe:
            query = query.where(quarantine.c.recipe == recipe)
        if reason:
            query = query.where(quarantine.c.reason == reason)
        return connection.execute(query).all()

    @staticmethod
    def _remove_entry(connection: Connection, record: str, task: str) -> None:
        connection.execute(
            delete(quarantine).where(quarantine.c.record_id == record, quarantine.c.task == task)
        )

    def release_expired_leases(self, now: datetime) -> int:
        """Release leases that have expired; returns how many."""
        with write_transaction(self.engine) as connection:
            count = 0
            for table in TASK_TABLES.values():
                is_leased = (table.c.due_at.is_not(None), table.c.lease_owner.is_not(None))
                expired = update(table).where(*is_leased, table.c.lease_until <= now)
                count += connection.execute(expired.values(lease_owner=None, lease_until=None)).rowcount
            return count


def _retry_values(table: Table) -> dict[str, Any]:
    if "state" not in table.c:
        return {}
    values: dict[str, Any] = {"state": _unless_kept(table, State.WAITING)}
    if table is documents:
        latest = select(revisions.c.capture_id).where(revisions.c.document_id == documents.c.id)
        rejected = latest.order_by(revisions.c.revision.desc()).limit(1).scalar_subquery()
        kept_only = case((documents.c.state == State.KEPT, rejected), else_=None)
        values["next_capture_id"] = func.coalesce(documents.c.next_capture_id, kept_only)
    return values


def _unless_kept(table: Table, state: State) -> Any:
    """A kept document whose next revision was quarantined stays kept, whatever happens to that revision."""
    return case((table.c.state == State.KEPT, State.KEPT), else_=state)
