"""Uptime as rows: a heartbeat extends the current period, and the first one after a gap begins another."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, delete, select, update

from headwater.model.uptime import LONGEST_GAP, MONTH, UptimePeriod
from headwater.store.bulk import insert_into
from headwater.store.connect import read_transaction
from headwater.store.schema.identity import uptime_periods

# Several processes give heartbeats: not each of them has to write.
SHORTEST_STEP = timedelta(seconds=5)


def record_uptime(connection: Connection, at: datetime, *, is_last: bool = False) -> None:
    """`at` is the time of the database. The last heartbeat of a process is written however soon it comes."""
    columns = (uptime_periods.c.started_at, uptime_periods.c.ended_at)
    newest = connection.execute(select(*columns).order_by(columns[0].desc()).limit(1)).first()
    if newest is None or at - newest.ended_at > LONGEST_GAP:
        connection.execute(delete(uptime_periods).where(uptime_periods.c.ended_at < at - 2 * MONTH))
        new_period = insert_into(connection.dialect, uptime_periods).values(started_at=at, ended_at=at)
        connection.execute(new_period.on_conflict_do_nothing())
    elif is_last or at - newest.ended_at >= SHORTEST_STEP:
        current = (uptime_periods.c.started_at == newest.started_at) & (uptime_periods.c.ended_at < at)
        connection.execute(update(uptime_periods).where(current).values(ended_at=at))


@dataclass(frozen=True)
class UptimeRows:
    engine: Engine

    def periods(self) -> list[UptimePeriod]:
        with read_transaction(self.engine) as connection:
            rows = connection.execute(select(uptime_periods).order_by(uptime_periods.c.started_at))
            return [UptimePeriod(row.started_at, row.ended_at) for row in rows]
