"""Heartbeats become periods of uptime, on both databases."""

from datetime import datetime, timedelta

from sqlalchemy import Engine
from tests.support.scene import START

from headwater.model.uptime import DAY, measure_uptime
from headwater.store.changes.uptime import UptimeRows, record_uptime
from headwater.store.changes.workers import WorkerProcess, WorkerRows, database_time
from headwater.store.connect import read_transaction, write_transaction

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)


def beat(engine: Engine, at: datetime) -> None:
    with write_transaction(engine) as connection:
        record_uptime(connection, at)


def test_heartbeats_extend_a_period_and_a_gap_begins_another(engine: Engine):
    for seconds in (0, 10, 11, 20, 30):
        beat(engine, START + seconds * SECOND)
    assert [(p.started_at, p.ended_at) for p in UptimeRows(engine).periods()] == [
        (START, START + 30 * SECOND)
    ]
    for seconds in (90, 100):
        beat(engine, START + seconds * SECOND)
    periods = UptimeRows(engine).periods()
    assert [p.started_at for p in periods] == [START, START + 90 * SECOND]
    assert measure_uptime(periods, DAY, START + 100 * SECOND).share == 0.4


def test_old_periods_are_removed_when_a_new_one_begins(engine: Engine):
    for days in (0, 50, 70):
        beat(engine, START + timedelta(days=days))
    assert [p.started_at for p in UptimeRows(engine).periods()] == [
        START + timedelta(days=50),
        START + timedelta(days=70),
    ]


def test_a_process_that_ends_before_its_second_heartbeat_was_up_until_its_end(engine: Engine):
    process = WorkerProcess(id="here-1", role="local", host="here", pid=1, version="1")
    rows = WorkerRows(engine)
    rows.record(process, START)
    with read_transaction(engine) as connection:
        started_at = database_time(connection, START)
    rows.forget(process.id, START + 3 * SECOND)
    (period,) = UptimeRows(engine).periods()
    assert period.started_at <= started_at < period.ended_at
