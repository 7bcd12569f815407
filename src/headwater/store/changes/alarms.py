"""Alarms as rows. An alarm and its deliveries are written in one transaction; the outbox sends them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, func, select, update

from headwater.model.alarm import Alarm, AlarmChanges, AlarmKey, Problem
from headwater.model.errors import Refused
from headwater.model.keys import alarm_key
from headwater.store.bulk import insert_into
from headwater.store.claims.outbox import open_deliveries
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.rows import alarm_from, alarm_row
from headwater.store.schema.operations import alarms

DecideAlarms = Callable[[frozenset[AlarmKey], Mapping[AlarmKey, datetime]], AlarmChanges]
"""What to raise and to clear, given the active alarms and when others were last cleared."""


@dataclass(frozen=True)
class AlarmStore:
    engine: Engine

    def settle(
        self, recipe: str, decide: DecideAlarms, channels: Sequence[str], now: datetime
    ) -> tuple[list[Alarm], list[Alarm]]:
        """Raise and clear alarms as decided; returns the raised and the cleared ones."""
        with write_transaction(self.engine) as connection:
            active = _active_alarms(connection, recipe)
            changes = decide(frozenset(active), _last_cleared(connection, recipe))
            raised = _raise_alarms(connection, recipe, changes, now)
            cleared = _clear_alarms(connection, [active[key] for key in sorted(changes.to_clear)], now)
            deliveries = [
                (alarm, channel, "alarm", alarm.revision)
                for alarm in (*raised, *cleared)
                for channel in channels
            ]
            open_deliveries(connection, deliveries, now)
            return raised, cleared

    def acknowledge(self, alarm: str, now: datetime) -> dict[str, Any]:
        """A person has seen it. It stays open until its problem ends. The first acknowledgement counts."""
        with write_transaction(self.engine) as connection:
            connection.execute(
                update(alarms)
                .where(alarms.c.id == alarm, alarms.c.acknowledged_at.is_(None))
                .values(acknowledged_at=now)
            )
            row = connection.execute(select(alarms).where(alarms.c.id == alarm)).mappings().first()
        if row is None:
            raise Refused("unknown_alarm", "there is no such alarm")
        return dict(row)

    def list_alarms(
        self,
        recipe: str | None,
        *,
        past: bool,
        limit: int,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[dict[str, Any]]:
        """Those that were raised in the period, newest first; with `past` also those that were cleared."""
        query = select(alarms).order_by(alarms.c.raised_at.desc(), alarms.c.id).limit(limit)
        if recipe:
            query = query.where(alarms.c.recipe == recipe)
        if not past:
            query = query.where(alarms.c.cleared_at.is_(None))
        if since is not None:
            query = query.where(alarms.c.raised_at >= since)
        if until is not None:
            query = query.where(alarms.c.raised_at < until)
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]


def _active_alarms(connection: Connection, recipe: str) -> dict[AlarmKey, Alarm]:
    query = select(alarms).where(alarms.c.recipe == recipe, alarms.c.cleared_at.is_(None))
    active = [alarm_from(row) for row in connection.execute(query.with_for_update()).mappings()]
    return {(alarm.kind, alarm.subject): alarm for alarm in active}


def _last_cleared(connection: Connection, recipe: str) -> Mapping[AlarmKey, datetime]:
    last = func.max(alarms.c.cleared_at, type_=alarms.c.cleared_at.type).label("last")
    query = (
        select(alarms.c.kind, alarms.c.subject, last)
        .where(alarms.c.recipe == recipe, alarms.c.cleared_at.is_not(None))
        .group_by(alarms.c.kind, alarms.c.subject)
    )
    return {(row.kind, row.subject): row.last for row in connection.execute(query)}


def _raise_alarms(connection: Connection, recipe: str, changes: AlarmChanges, now: datetime) -> list[Alarm]:
    """If another process raised the same alarm at the same time, that one stays."""
    new = [_alarm(recipe, problem, now) for problem in changes.to_raise]
    if not new:
        return []
    rows = [alarm_row(alarm) for alarm in new]
    connection.execute(insert_into(connection.dialect, alarms).on_conflict_do_nothing(), rows)
    stored = set(connection.scalars(select(alarms.c.id).where(alarms.c.id.in_([alarm.id for alarm in new]))))
    return [alarm for alarm in new if alarm.id in stored]


def _alarm(recipe: str, problem: Problem, now: datetime) -> Alarm:
    return Alarm(
        id=alarm_key(recipe, problem.kind, problem.subject, now.isoformat()),
        recipe=recipe,
        kind=problem.kind,
        subject=problem.subject,
        title=problem.title,
        detail=problem.detail,
        evidence=problem.evidence,
        raised_at=now,
    )


def _clear_alarms(connection: Connection, cleared: Sequence[Alarm], now: datetime) -> list[Alarm]:
    if not cleared:
        return []
    ids = [alarm.id for alarm in cleared]
    active = update(alarms).where(alarms.c.id.in_(ids), alarms.c.cleared_at.is_(None))
    connection.execute(active.values(cleared_at=now, revision=alarms.c.revision + 1))
    rows = connection.execute(select(alarms).where(alarms.c.id.in_(ids)).order_by(alarms.c.id)).mappings()
    return [alarm_from(row) for row in rows]
