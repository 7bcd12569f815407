"""What counts as a problem of the system."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from headwater.model.jobs import Task
from headwater.ops.dead_mans_switch import pinging_process
from headwater.ops.system_rules import (
    disk_check,
    due_work_check,
    format_age,
    last_poll_check,
    leader_check,
    lease_check,
    workers_check,
)
from headwater.store.changes.workers import WorkerHeartbeat, WorkerProcess
from headwater.store.reads.waiting import WaitingRow

NOW = datetime(2026, 11, 16, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
GIGABYTE = 1 << 30
NOT_LOCAL = ("network", "cluster-network", "replay")


def worker(role: str, age: float = 1, name: str = "a") -> WorkerHeartbeat:
    process = WorkerProcess(id=name, role=role, host="pod", pid=1, version="1")
    return WorkerHeartbeat(process, timedelta(seconds=age))


def waiting(task: Task, minutes: float) -> WaitingRow:
    return WaitingRow(task, "crypto", "0123456789abcdef", NOW - minutes * MINUTE)


@pytest.mark.parametrize(
    ("heartbeats", "minutes", "ok"),
    [
        ([worker("local")], 20, True),  # busy
        ([worker("local", 31)], 0, False),  # killed
        ([], 3, False),  # work waits for nobody
        ([], 1, True),
        ([worker("beat")], 3, False),  # a beat does no work
    ],
)
def test_workers_must_live_if_they_were_killed_or_work_waits(heartbeats, minutes, ok):
    assert workers_check(heartbeats, [waiting(Task.REFINE, minutes)], NOW).ok is ok


def test_work_may_wait_longer_while_workers_live():
    rows = [waiting(Task.REFINE, 20), waiting(Task.POLL, 20)]
    assert due_work_check(rows, [worker("local")], NOW).ok
    assert last_poll_check(NOW - MINUTE, rows, [worker("network")], NOW).ok
    assert last_poll_check(NOW - MINUTE, rows, [worker("cluster-network")], NOW).ok
    assert not last_poll_check(NOW - MINUTE, rows, [worker("local")], NOW).ok  # the one that polls hangs
    assert not last_poll_check(NOW - MINUTE, rows, [worker("cluster-local")], NOW).ok
    assert due_work_check(rows, [worker("cluster-local")], NOW).ok
    assert not any(due_work_check(rows, [worker(role)], NOW).ok for role in NOT_LOCAL)
    assert not due_work_check(rows, [], NOW).ok
    late = last_poll_check(NOW - 25 * MINUTE, rows, [], NOW)
    assert (late.ok, late.detail.startswith("25 min ago; poll of crypto 0123456789ab")) == (False, True)
    assert not due_work_check([waiting(Task.DELIVER, 31)], [worker("local")], NOW).ok


def test_a_cluster_needs_a_beat():
    assert leader_check([worker("local")]).detail == "not used"
    assert not leader_check([worker("cluster-local"), worker("beat", 31)]).ok
    assert leader_check([worker("cluster-local"), worker("beat")]).ok


def test_a_beat_that_was_killed_is_a_problem_also_without_workers():
    killed = leader_check([worker("beat", 40), worker("cluster-local", 40)])
    assert (killed.ok, killed.detail) == (
        False, "no beat is live; the last was heard 40 s ago and did not stop in order",
    )  # fmt: skip


def test_a_process_of_this_machine_that_ended_is_not_live_however_lately_it_was_heard():
    ended = replace(worker("local"), has_ended=True)
    assert not workers_check([ended], [], NOW).ok


def test_without_workers_the_work_that_is_due_is_counted():
    rows = [waiting(Task.POLL, 0.7), waiting(Task.REFINE, 0.1)]
    assert workers_check([], rows, NOW, 8).detail == "none live; 8 due, the oldest for 42 s"
    assert workers_check([], [], NOW).detail == "none live; nothing is due"
    assert due_work_check(rows[:1], [], NOW).detail == "nothing but polls is due"


def test_rows_on_the_leases_of_dead_workers_are_a_problem():
    assert lease_check(0, 100).ok
    assert "100 rows" in lease_check(100, 100).detail
    assert not lease_check(100, 100).ok


@pytest.mark.parametrize(
    ("total", "free", "ok"), [(100, 0, False), (100, 3, True), (20, 0.9, False), (1, 0.06, True)]
)
def test_a_full_disk_is_a_problem(total, free, ok):
    assert disk_check({"data": (total * GIGABYTE, int(free * GIGABYTE))}).ok is ok


@pytest.mark.parametrize(
    ("heartbeats", "pings"),
    [
        ([worker("local", name="b"), worker("network", name="a")], "a"),
        ([worker("local", name="b"), worker("network", 31, name="a")], None),  # nothing polls
        ([worker("beat", name="a")], None),
        ([worker("cluster-local", name="a")], None),
        ([worker("cluster-local", name="b"), worker("beat", name="a")], None),
        ([worker("cluster-network", name="b"), worker("beat", name="a")], "a"),
        ([], None),
    ],
)
def test_one_process_pings_while_work_can_be_done(heartbeats, pings):
    assert pinging_process(heartbeats) == pings


def test_ages_are_short():
    assert [format_age(timedelta(seconds=s)) for s in (5, 119, 120, 7_200, 172_800)] == [
        "5 s", "119 s", "2 min", "2 h", "2 d",
    ]  # fmt: skip
