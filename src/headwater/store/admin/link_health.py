"""Link health in rows: which links there are, whose turn it is, and what was found."""

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
    "id", "recipe", "url", "record_kind", "record_id", "priority", "standing", "failures", "status", "reason",
    "first_failed_at", "last_ok_at", "last_checked_at", "final_url", "due_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DueLink:
    """A link whose turn it is."""

    id: str
    url: str
    health: LinkRecord


@dataclass(frozen=True)
class LinkHealthStore:
    engine: Engine

    def enrol(self, recipe: str, now: datetime) -> int:
        """Make the rows agree with the kept documents and active sources of a recipe; gives how many links are new."""
        with write_transaction(self.engine) as connection:
            rows = connection.execute(select(sources).where(sources.c.recipe == recipe)).mappings().all()
            wishes = {row["id"]: row["options"].get("priority") for row in rows}
            fresh = _Fresh(recipe, wishes, now)
            live = [fresh.row("source", row["id"], row["id"], row["url"]) for row in rows if row["active"]]
            count = _insert(connection, _missing(connection, [row for row in live if row["url"]]))
            for batch in _unlisted_documents(connection, fresh):
                count += _insert(connection, batch)
            _agree(connection, recipe, wishes, now)
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
        """Lease the links whose turn it is, longest due first."""
        table = link_health
        free = or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
        wanted = and_(table.c.recipe == recipe, table.c.due_at <= now, free, _of(priority))
        due = select(table).where(wanted).order_by(table.c.due_at, table.c.id).limit(limit)
        with write_transaction(self.engine) as connection:
            rows = connection.execute(due.with_for_update(skip_locked=True)).mappings().all()
            taken = update(table).where(table.c.id.in_([row["id"] for row in rows]))
            connection.execute(taken.values(lease_owner=owner, lease_until=now + LEASE))
            places = _where_now(connection, rows)
            return [
                DueLink(row["id"], places.get(row["record_id"], row["url"]), _health(row)) for row in rows
            ]

    def finish(self, results: Sequence[tuple[str, LinkRecord]], owner: str) -> int:
        """Write what was found and give the leases back; a link whose lease was lost is left alone. A source whose
        link became inactive is switched off, unless it was read since the link began to fail."""
        count = 0
        with write_transaction(self.engine) as connection:
            for id_, health in results:
                mine = update(link_health).where(link_health.c.id == id_, link_health.c.lease_owner == owner)
                count += (written := connection.execute(mine.values(**_values(health))).rowcount)
                if written and health.standing is LinkState.INACTIVE:
                    _switch_off(connection, id_, health)
        return count

    def release(self, owner: str) -> int:
        """Give back what was not come to."""
        mine = update(link_health).where(link_health.c.lease_owner == owner)
        with write_transaction(self.engine) as connection:
            return connection.execute(mine.values(lease_owner=None, lease_until=None)).rowcount

    def wake(self, recipe: str, now: datetime, priority: LinkPriority | None = None) -> int:
        """Make every link that is looked at at all due now."""
        table = link_health
        awake = update(table).where(table.c.recipe == recipe, table.c.due_at.is_not(None), _of(priority))
        with write_transaction(self.engine) as connection:
            return connection.execute(awake.values(due_at=now)).rowcount

    def reset(self, link: str, now: datetime) -> list[str]:
        """Forget what is held against a link, by its address or id: the way back for inactive ones. Gives addresses."""
        match = or_(link_health.c.url == link, link_health.c.id == link)
        fresh = {
            "standing": LinkState.NEW,
            "failures": 0,
            "first_failed_at": None,
            "reason": None,
            "due_at": now,
        }
        with write_transaction(self.engine) as connection:
            urls = list(connection.scalars(select(link_health.c.url).where(match)))
            connection.execute(update(link_health).where(match).values(**fresh))
            return urls

    def links(
        self,
        recipe: str | None = None,
        *,
        priority: LinkPriority | None = None,
        standings: Sequence[LinkState] = (),
    ) -> list[dict[str, Any]]:
        """Everything that is known, worst first."""
        table = link_health
        query = select(*(table.c[name] for name in SHOWN)).where(_of(priority))
        query = query.where(table.c.recipe == recipe) if recipe else query
        query = query.where(table.c.standing.in_(standings)) if standings else query
        with read_transaction(self.engine) as connection:
            found = connection.execute(query.order_by(table.c.failures.desc(), table.c.url)).mappings()
            return [dict(row) for row in found]


def _of(priority: LinkPriority | None) -> Any:
    return link_health.c.priority == priority if priority else true()


@dataclass(frozen=True, slots=True)
class _Fresh:
    """Makes the rows of links that nobody looked at yet. `wishes` are the priorities that sources ask for."""

    recipe: str
    wishes: Mapping[str, Any]
    now: datetime

    def row(self, kind: str, record: str, source: str, url: str) -> dict[str, Any]:
        return {
            "id": key("link", self.recipe, kind, record),
            "recipe": self.recipe,
            "url": url,
            "record_kind": kind,
            "record_id": record,
            "source_id": source,
            "priority": link_priority(self.wishes.get(source), _usual(kind)),
            "standing": LinkState.NEW,
            "failures": 0,
            "final_url": "",
            "created_at": self.now,
            "due_at": self.now,
        }


def _usual(kind: str) -> LinkPriority:
    return LinkPriority.P1 if kind == "source" else LinkPriority.P2


def _unlisted_documents(connection: Connection, fresh: _Fresh) -> Iterator[list[dict[str, Any]]]:
    known = exists().where(link_health.c.record_id == documents.c.id)
    kept = (documents.c.recipe == fresh.recipe, documents.c.state == State.KEPT, documents.c.url != "")
    query = select(documents.c.id, documents.c.source_id, documents.c.url).where(*kept, ~known)
    while rows := connection.execute(query.order_by(documents.c.id).limit(BATCH)).all():
        yield [fresh.row("document", row.id, row.source_id, row.url) for row in rows]


def _where_now(connection: Connection, rows: Sequence[Any]) -> dict[str, str]:
    """Where the records of these links are by now: sources move, and so do pages."""
    ids = [row["record_id"] for row in rows]
    found: dict[str, str] = {}
    for table in (documents, sources):
        found |= {
            row.id: row.url
            for row in connection.execute(select(table.c.id, table.c.url).where(table.c.id.in_(ids)))
        }
    moved = [
        {"this": row["id"], "to": found[row["record_id"]]}
        for row in rows
        if found.get(row["record_id"], row["url"]) != row["url"]
    ]
    if moved:
        change = update(link_health).where(link_health.c.id == bindparam("this"))
        connection.execute(change.values(url=bindparam("to")), moved)
    return found


def _missing(connection: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = [row["id"] for row in rows]
    known = set(connection.scalars(select(link_health.c.id).where(link_health.c.id.in_(ids))))
    return [row for row in rows if row["id"] not in known]


def _insert(connection: Connection, rows: list[dict[str, Any]]) -> int:
    if rows:
        connection.execute(link_health.insert(), rows)
    return len(rows)


def _agree(connection: Connection, recipe: str, wishes: Mapping[str, Any], now: datetime) -> None:
    """What is no longer kept is no longer looked at; what came back is; wishes for priority are followed."""
    table, mine = link_health, link_health.c.recipe == recipe
    kept = select(documents.c.id).where(documents.c.recipe == recipe, documents.c.state == State.KEPT)
    live = select(sources.c.id).where(sources.c.recipe == recipe, sources.c.active)
    wanted = or_(
        and_(table.c.record_kind == "document", table.c.record_id.in_(kept)),
        and_(table.c.record_kind == "source", table.c.record_id.in_(live)),
    )
    leaving = update(table).where(mine, table.c.due_at.is_not(None), ~wanted)
    connection.execute(leaving.values(due_at=None, reason=RETIRED))
    coming = update(table).where(mine, table.c.due_at.is_(None), table.c.reason == RETIRED, wanted)
    connection.execute(coming.values(due_at=now, reason=None))
    for source, wish in wishes.items():
        for kind in ("source", "document"):
            priority = link_priority(wish, _usual(kind))
            theirs = (mine, table.c.source_id == source, table.c.record_kind == kind)
            changed = update(table).where(*theirs, table.c.priority != priority)
            connection.execute(changed.values(priority=priority))
            latest = now + CHECK_INTERVALS[priority]
            connection.execute(update(table).where(*theirs, table.c.due_at > latest).values(due_at=latest))


def _health(row: Any) -> LinkRecord:
    return LinkRecord(
        priority=LinkPriority(row["priority"]),
        standing=LinkState(row["standing"]),
        reason=row["reason"] or "",
        **{name: row[name] for name in FIELDS},
    )


def _values(health: LinkRecord) -> dict[str, Any]:
    return {name: getattr(health, name) for name in FIELDS} | {
        "standing": health.standing,
        "reason": health.reason or None,
        "lease_owner": None,
        "lease_until": None,
    }


def _switch_off(connection: Connection, id_: str, health: LinkRecord) -> None:
    link = select(link_health.c.record_id).where(
        link_health.c.id == id_, link_health.c.record_kind == "source"
    )
    unread = or_(sources.c.last_success_at.is_(None), sources.c.last_success_at < health.first_failed_at)
    off = update(sources).where(sources.c.id.in_(link), sources.c.active, unread)
    connection.execute(
        off.values(
            active=False, due_at=None, reason=f"link:{health.reason}", updated_at=health.last_checked_at
        )
    )
