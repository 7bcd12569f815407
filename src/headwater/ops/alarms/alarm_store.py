"""Alarms in rows: each is written with its deliveries in one transaction, and sent after it like everything else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, func, select, update

from headwater.model.alarm import Alarm
from headwater.model.keys import alarm_key
from headwater.ops.alarms.decision import AlarmChanges, Key, Problem, decide_alarms
from headwater.store.bulk import insert_into
from headwater.store.claims.outbox import open_deliveries
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.rows import alarm_from, alarm_row
from headwater.store.schema.operations import alarms


@dataclass(frozen=True)
class AlarmStore:
    engine: Engine

    def settle(
        self, recipe: str, concerns: Sequence[Problem], channels: Sequence[str], now: datetime
    ) -> tuple[list[Alarm], list[Alarm]]:
        """Let alarms begin and end as the concerns say; gives those that began and those that are over."""
        with write_transaction(self.engine) as connection:
            standing = _standing(connection, recipe)
            ruling = decide_alarms(concerns, frozenset(standing), _ended(connection, recipe), now)
            begun = _begin(connection, recipe, ruling, now)
            over = _end(connection, [standing[key] for key in sorted(ruling.ends)], now)
            told = [
                (alarm, channel, "alarm", alarm.revision) for alarm in (*begun, *over) for channel in channels
            ]
            open_deliveries(connection, told, now)
            return begun, over

    def list_alarms(self, recipe: str | None, *, past: bool, limit: int) -> list[dict[str, Any]]:
        """Newest first; with `past` those that are over as well."""
        query = select(alarms).order_by(alarms.c.raised_at.desc(), alarms.c.id).limit(limit)
        if recipe:
            query = query.where(alarms.c.recipe == recipe)
        if not past:
            query = query.where(alarms.c.cleared_at.is_(None))
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]


def _standing(connection: Connection, recipe: str) -> dict[Key, Alarm]:
    query = select(alarms).where(alarms.c.recipe == recipe, alarms.c.cleared_at.is_(None))
    found = [alarm_from(row) for row in connection.execute(query.with_for_update()).mappings()]
    return {(alarm.kind, alarm.subject): alarm for alarm in found}


def _ended(connection: Connection, recipe: str) -> Mapping[Key, datetime]:
    last = func.max(alarms.c.cleared_at, type_=alarms.c.cleared_at.type).label("last")
    query = (
        select(alarms.c.kind, alarms.c.subject, last)
        .where(alarms.c.recipe == recipe, alarms.c.cleared_at.is_not(None))
        .group_by(alarms.c.kind, alarms.c.subject)
    )
    return {(row.kind, row.subject): row.last for row in connection.execute(query)}


def _begin(connection: Connection, recipe: str, ruling: AlarmChanges, now: datetime) -> list[Alarm]:
    """If somebody else raised one at the same moment, theirs stands."""
    begun = [_alarm(recipe, concern, now) for concern in ruling.begins]
    if not begun:
        return []
    rows = [alarm_row(alarm) for alarm in begun]
    connection.execute(insert_into(connection.dialect, alarms).on_conflict_do_nothing(), rows)
    there = set(connection.scalars(select(alarms.c.id).where(alarms.c.id.in_([alarm.id for alarm in begun]))))
    return [alarm for alarm in begun if alarm.id in there]


def _alarm(recipe: str, concern: Problem, now: datetime) -> Alarm:
    return Alarm(
        id=alarm_key(recipe, concern.kind, concern.subject, now.isoformat()),
        recipe=recipe,
        kind=concern.kind,
        subject=concern.subject,
        title=concern.title,
        detail=concern.detail,
        evidence=concern.evidence,
        raised_at=now,
    )


def _end(connection: Connection, over: Sequence[Alarm], now: datetime) -> list[Alarm]:
    if not over:
        return []
    ids = [alarm.id for alarm in over]
    ended = update(alarms).where(alarms.c.id.in_(ids), alarms.c.cleared_at.is_(None))
    connection.execute(ended.values(cleared_at=now, revision=alarms.c.revision + 1))
    rows = connection.execute(select(alarms).where(alarms.c.id.in_(ids)).order_by(alarms.c.id)).mappings()
    return [alarm_from(row) for row in rows]
