"""Link health: the links of a recipe, which of them are due, and the results of checks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    and_,
    bindparam,
    exists,
    or_,
    select,
    true,
    update,
)

from headwater.documents.link_health import (
    CHECK_INTERVALS,
    LinkPriority,
    LinkRecord,
    LinkState,
    link_priority,
)
from headwater.model.jobs import State
from headwater.model.keys import key
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import documents, sources
from headwater.store.schema.links import link_health

LEASE = timedelta(minutes=10)
BATCH = 1_000
RETIRED = "retired"

FIELDS = ("failures", "first_failed_at", "last_ok_at", "last_checked_at", "status", "final_url", "due_at")
SHOWN = (
    "id", "recipe", "url", "record_kind", "record_id", "priority", "state", "failures", "status", "reason",
    "first_failed_at", "last_ok_at", "last_checked_at", "final_url", "due_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DueLink:
    """A link that is due for a check."""

    id: str
    url: str
    health: LinkRecord


@dataclass(frozen=True)
class LinkHealthStore:
    engine: Engine

    def enrol(self, recipe: str, now: datetime) -> int:
        """Make the rows agree with the kept documents and active sources of a recipe; returns how many links are new."""
        with write_transaction(self.engine) as connection:
            rows = connection.execute(select(sources).where(sources.c.recipe == recipe)).mappings().all()
            priorities = {row["id"]: row["options"].get("priority") for row in rows}
            new_link = _NewLink(recipe, priorities, now)
            source_links = [
                new_link.row("source", row["id"], row["id"], row["url"]) for row in rows if row["active"]
            ]
            count = _insert(connection, _missing(connection, [row for row in source_links if row["url"]]))
            for batch in _unlisted_documents(connection, new_link):
                count += _insert(connection, batch)
            _sync_links(connection, recipe, priorities, now)
            return count

    def claim(
        self,
        recipe: str,
        owner: str,
        now: datetime,
        *,
        priority: LinkPriority | None = None,
        limit: int = 200,
    ) -> list[DueLink]:
        """Lease the links that are due, longest due first."""
        table = link_health
        unleased = or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
        due_rows = and_(table.c.recipe == recipe, table.c.due_at <= now, unleased, _has_priority(priority))
        query = select(table).where(due_rows).order_by(table.c.due_at, table.c.id).limit(limit)
        with write_transaction(self.engine) as connection:
            rows = connection.execute(query.with_for_update(skip_locked=True)).mappings().all()
            leased = update(table).where(table.c.id.in_([row["id"] for row in rows]))
            connection.execute(leased.values(lease_owner=owner, lease_until=now + LEASE))
            urls = _current_urls(connection, rows)
            return [DueLink(row["id"], urls.get(row["record_id"], row["url"]), _health(row)) for row in rows]

    def finish(self, results: Sequence[tuple[str, LinkRecord]], owner: str) -> int:
        """Write the results and release the leases; returns how many were written. A link whose lease was lost is
        skipped. A source whose link became inactive is switched off, unless it was polled successfully since the
        link began to fail."""
        count = 0
        with write_transaction(self.engine) as connection:
            for id_, health in results:
                held_link = update(link_health).where(
                    link_health.c.id == id_, link_health.c.lease_owner == owner
                )
                count += (updated := connection.execute(held_link.values(**_values(health))).rowcount)
                if updated and health.state is LinkState.INACTIVE:
                    _deactivate_source(connection, id_, health)
        return count

    def release(self, owner: str) -> int:
        """Release the links that were not checked."""
        held_links = update(link_health).where(link_health.c.lease_owner == owner)
        with write_transaction(self.engine) as connection:
            return connection.execute(held_links.values(lease_owner=None, lease_until=None)).rowcount

    def wake(self, recipe: str, now: datetime, priority: LinkPriority | None = None) -> int:
        """Make every link that is checked at all due now."""
        table = link_health
        scheduled = update(table).where(
            table.c.recipe == recipe, table.c.due_at.is_not(None), _has_priority(priority)
        )
        with write_transaction(self.engine) as connection:
            return connection.execute(scheduled.values(due_at=now)).rowcount

    def reset(self, link: str, now: datetime) -> list[str]:
        """Clear the failures of a link, by its URL or id, so that an inactive link is checked again. Returns the URLs."""
        matches_link = or_(link_health.c.url == link, link_health.c.id == link)
        cleared = {
            "state": LinkState.NEW,
            "failures": 0,
            "first_failed_at": None,
            "reason": None,
            "due_at": now,
        }
        with write_transaction(self.engine) as connection:
            urls = list(connection.scalars(select(link_health.c.url).where(matches_link)))
            connection.execute(update(link_health).where(matches_link).values(**cleared))
            return urls

    def links(
        self,
        recipe: str | None = None,
        *,
        priority: LinkPriority | None = None,
        states: Sequence[LinkState] = (),
    ) -> list[dict[str, Any]]:
        """All links, those with the most failures first."""
        table = link_health
        query = select(*(table.c[name] for name in SHOWN)).where(_has_priority(priority))
        query = query.where(table.c.recipe == recipe) if recipe else query
        query = query.where(table.c.state.in_(states)) if states else query
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query.order_by(table.c.failures.desc(), table.c.url)).mappings()
            return [dict(row) for row in rows]


def _has_priority(priority: LinkPriority | None) -> Any:
    return link_health.c.priority == priority if priority else true()


@dataclass(frozen=True, slots=True)
class _NewLink:
    """Builds the rows of links that were never checked. `priorities` are those that sources ask for."""

    recipe: str
    wishes: Mapping[str, Any]
    now: datetime

    def row(self, record_kind: str, record: str, source: str, url: str) -> dict[str, Any]:
        return {
            "id": key("link", self.recipe, record_kind, record),
            "recipe": self.recipe,
            "url": url,
            "record_kind": record_kind,
            "record_id": record,
            "source_id": source,
            "priority": link_priority(self.wishes.get(source), _default_priority(record_kind)),
            "state": LinkState.NEW,
            "failures": 0,
            "final_url": "",
            "created_at": self.now,
            "due_at": self.now,
        }


def _default_priority(kind: str) -> LinkPriority:
    return LinkPriority.P1 if kind == "source" else LinkPriority.P2


def _unlisted_documents(connection: Connection, new_link: _NewLink) -> Iterator[list[dict[str, Any]]]:
    has_link = exists().where(link_health.c.record_id == documents.c.id)
    is_kept = (documents.c.recipe == new_link.recipe, documents.c.state == State.KEPT, documents.c.url != "")
    query = select(documents.c.id, documents.c.source_id, documents.c.url).where(*is_kept, ~has_link)
    while rows := connection.execute(query.order_by(documents.c.id).limit(BATCH)).all():
        yield [new_link.row("document", row.id, row.source_id, row.url) for row in rows]


def _current_urls(connection: Connection, rows: Sequence[Any]) -> dict[str, str]:
    """The current URLs of these links: sources and pages move."""
    ids = [row["record_id"] for row in rows]
    urls: dict[str, str] = {}
    for table in (documents, sources):
        urls |= {
            row.id: row.url
            for row in connection.execute(select(table.c.id, table.c.url).where(table.c.id.in_(ids)))
        }
    changes = [
        {"this": row["id"], "to": urls[row["record_id"]]}
        for row in rows
        if urls.get(row["record_id"], row["url"]) != row["url"]
    ]
    if changes:
        change = update(link_health).where(link_health.c.id == bindparam("this"))
        connection.execute(change.values(url=bindparam("to")), changes)
    return urls


def _missing(connection: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = [row["id"] for row in rows]
    existing = set(connection.scalars(select(link_health.c.id).where(link_health.c.id.in_(ids))))
    return [row for row in rows if row["id"] not in existing]


def _insert(connection: Connection, rows: list[dict[str, Any]]) -> int:
    if rows:
        connection.execute(link_health.insert(), rows)
    return len(rows)


def _sync_links(connection: Connection, recipe: str, priorities: Mapping[str, Any], now: datetime) -> None:
    """Stop checking what is no longer kept, resume what came back, and apply the priorities."""
    table, of_recipe = link_health, link_health.c.recipe == recipe
    kept_documents = select(documents.c.id).where(
        documents.c.recipe == recipe, documents.c.state == State.KEPT
    )
    active_sources = select(sources.c.id).where(sources.c.recipe == recipe, sources.c.active)
    is_checked = or_(
        and_(table.c.record_kind == "document", table.c.record_id.in_(kept_documents)),
        and_(table.c.record_kind == "source", table.c.record_id.in_(active_sources)),
    )
    retiring = update(table).where(of_recipe, table.c.due_at.is_not(None), ~is_checked)
    connection.execute(retiring.values(due_at=None, reason=RETIRED))
    returning = update(table).where(
        of_recipe, table.c.due_at.is_(None), table.c.reason == RETIRED, is_checked
    )
    connection.execute(returning.values(due_at=now, reason=None))
    for source, wanted_priority in priorities.items():
        for kind in ("source", "document"):
            priority = link_priority(wanted_priority, _default_priority(kind))
            of_source = (of_recipe, table.c.source_id == source, table.c.record_kind == kind)
            outdated = update(table).where(*of_source, table.c.priority != priority)
            connection.execute(outdated.values(priority=priority))
            latest = now + CHECK_INTERVALS[priority]
            connection.execute(update(table).where(*of_source, table.c.due_at > latest).values(due_at=latest))


def _health(row: Any) -> LinkRecord:
    return LinkRecord(
        priority=LinkPriority(row["priority"]),
        state=LinkState(row["state"]),
        reason=row["reason"] or "",
        **{name: row[name] for name in FIELDS},
    )


def _values(health: LinkRecord) -> dict[str, Any]:
    return {name: getattr(health, name) for name in FIELDS} | {
        "state": health.state,
        "reason": health.reason or None,
        "lease_owner": None,
        "lease_until": None,
    }


def _deactivate_source(connection: Connection, id_: str, health: LinkRecord) -> None:
    source_ids = select(link_health.c.record_id).where(
        link_health.c.id == id_, link_health.c.record_kind == "source"
    )
    not_polled_since = or_(
        sources.c.last_success_at.is_(None), sources.c.last_success_at < health.first_failed_at
    )
    deactivation = update(sources).where(sources.c.id.in_(source_ids), sources.c.active, not_polled_since)
    connection.execute(
        deactivation.values(
            active=False, due_at=None, reason=f"link:{health.reason}", updated_at=health.last_checked_at
        )
    )
