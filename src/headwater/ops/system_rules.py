"""What counts as a problem of the system: decisions only, no I/O."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from headwater.model.jobs import NETWORK_TASKS, Task
from headwater.store.changes.workers import WorkerHeartbeat
from headwater.store.reads.waiting import WaitingRow

BEAT_ROLE, NETWORK_ROLE, LOCAL_ROLE, CLUSTER_PREFIX = "beat", "network", "local", "cluster-"
NETWORK_ROLES = (NETWORK_ROLE, f"{CLUSTER_PREFIX}{NETWORK_ROLE}")
LOCAL_ROLES = (
    LOCAL_ROLE,
    f"{CLUSTER_PREFIX}{LOCAL_ROLE}",
)  # a replay reads documents again and does no other work
# Workers that live may be busy with older work for a while; without workers nothing will happen.
OVERDUE_AFTER = timedelta(minutes=30)
OVERDUE_WITHOUT_WORKERS = timedelta(minutes=2)
MIN_FREE_SHARE, MIN_FREE_BYTES = 0.05, 2 << 30
GIGABYTE, MEGABYTE = 1 << 30, 1 << 20
NAMED = 3


@dataclass(frozen=True, slots=True)
class PartCheck:
    """The result of one check; `detail` is for people."""

    ok: bool
    detail: str


def parts_record(parts: Mapping[str, PartCheck]) -> dict[str, dict[str, Any]]:
    """For JSON and for tables."""
    return {name: {"ok": part.ok, "detail": part.detail} for name, part in parts.items()}


def live_workers(heartbeats: Sequence[WorkerHeartbeat]) -> list[WorkerHeartbeat]:
    """Processes that work; the beat only announces work."""
    return [beat for beat in heartbeats if beat.is_live and beat.process.role != BEAT_ROLE]


def overdue(
    waiting: Sequence[WaitingRow], heartbeats: Sequence[WorkerHeartbeat], now: datetime
) -> list[WaitingRow]:
    """What has waited too long. Work for which no live process is there will not be done, however many others live: a process
    that hangs falls silent alone."""
    roles = [beat.process.role for beat in live_workers(heartbeats)]
    has_network = any(role in NETWORK_ROLES for role in roles)
    has_local = any(role in LOCAL_ROLES for role in roles)

    def limit(task: Task) -> timedelta:
        has_worker = has_network if task in NETWORK_TASKS else has_local
        return OVERDUE_AFTER if has_worker else OVERDUE_WITHOUT_WORKERS

    return [row for row in waiting if now - row.due_at > limit(row.task)]


def workers_check(
    heartbeats: Sequence[WorkerHeartbeat], waiting: Sequence[WaitingRow], now: datetime, due: int = 0
) -> PartCheck:
    """Without workers there is a problem if some were killed (they left no word), or if work waits for them: `due` rows."""
    if live := live_workers(heartbeats):
        roles = Counter(beat.process.role for beat in live)
        names = ", ".join(f"{role} x{count}" for role, count in sorted(roles.items()))
        return PartCheck(ok=True, detail=f"{len(live)} live ({names})")
    if killed := [beat for beat in heartbeats if not beat.is_live and beat.process.role != BEAT_ROLE]:
        return PartCheck(ok=False, detail=f"none live; {_describe_killed(killed)}")
    return PartCheck(
        ok=not overdue(waiting, heartbeats, now), detail=f"none live; {describe_due(waiting, now, due)}"
    )


def _describe_killed(killed: Sequence[WorkerHeartbeat]) -> str:
    last = min(beat.age for beat in killed)
    return f"the last was heard {format_age(last)} ago and did not stop in order"


def captures_check(missing: Sequence[str], damaged: Sequence[str], count: int) -> PartCheck:
    """Without their packs, documents can be neither explained to the byte nor read again."""
    states = {"missing": missing, "damaged": damaged}
    problems = [
        f"{len(names)} of {count} packs {'is' if len(names) == 1 else 'are'} {state}: {_some_names(names)}"
        for state, names in states.items()
        if names
    ]
    if not problems:
        return PartCheck(
            ok=True, detail="the only pack is there" if count == 1 else f"all {count} packs are there"
        )
    return PartCheck(ok=False, detail=f"{'; '.join(problems)}; copy them from a backup")


def _some_names(names: Sequence[str]) -> str:
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def sinks_check(problems: Mapping[str, str]) -> PartCheck:
    """What is sent to a channel or a table that cannot be used waits."""
    return PartCheck(ok=not problems, detail="; ".join(problems.values()) or "all can be used")


def recipes_check(problems: Mapping[str, str]) -> PartCheck:
    """A recipe that cannot be loaded is left out, and its sources wait."""
    left_out = "; ".join(f"left out: {problem}" for problem in problems.values())
    return PartCheck(ok=not problems, detail=left_out or "all can be used")


def leader_check(heartbeats: Sequence[WorkerHeartbeat]) -> PartCheck:
    """Workers of a cluster do nothing without a beat."""
    beats = [beat for beat in heartbeats if beat.is_live and beat.process.role == BEAT_ROLE]
    if beats:
        return PartCheck(
            ok=True, detail=f"{len(beats)} live on {', '.join(sorted({b.process.host for b in beats}))}"
        )
    if any(beat.process.role.startswith(CLUSTER_PREFIX) for beat in live_workers(heartbeats)):
        return PartCheck(
            ok=False, detail="no beat is live, so the workers of the cluster are told of no work"
        )
    if killed := [beat for beat in heartbeats if beat.process.role == BEAT_ROLE]:
        return PartCheck(ok=False, detail=f"no beat is live; {_describe_killed(killed)}")
    return PartCheck(ok=True, detail="not used")


def lease_check(held_by_dead: int, leased_rows: int) -> PartCheck:
    if held_by_dead:
        return PartCheck(
            ok=False, detail=f"{held_by_dead} rows are leased to dead workers: run `headwater sweep`"
        )
    return PartCheck(ok=True, detail=f"{leased_rows} rows under way")


def due_work_check(
    waiting: Sequence[WaitingRow], heartbeats: Sequence[WorkerHeartbeat], now: datetime
) -> PartCheck:
    late = [row for row in overdue(waiting, heartbeats, now) if row.task is not Task.POLL]
    others = [row for row in waiting if row.task is not Task.POLL]
    if late:
        return PartCheck(ok=False, detail=describe_waiting(late[0], now))
    return PartCheck(
        ok=True,
        detail=describe_waiting(others[0], now)
        if others
        else "nothing but polls is due"
        if waiting
        else "nothing is due",
    )


def last_poll_check(
    at: datetime | None, waiting: Sequence[WaitingRow], heartbeats: Sequence[WorkerHeartbeat], now: datetime
) -> PartCheck:
    detail = "never" if at is None else f"{format_age(now - at)} ago"
    late = [row for row in overdue(waiting, heartbeats, now) if row.task is Task.POLL]
    if late:
        return PartCheck(ok=False, detail=f"{detail}; {describe_waiting(late[0], now)}")
    return PartCheck(ok=True, detail=detail)


def network_check(offline_sources: int) -> PartCheck:
    """Sources that are not polled because no host at all can be reached have no failure of their own."""
    if not offline_sources:
        return PartCheck(ok=True, detail="no source waits for it")
    waiting = "1 source waits" if offline_sources == 1 else f"{offline_sources} sources wait"
    return PartCheck(ok=False, detail=f"no host could be reached; {waiting}")


def disk_check(usages: Mapping[str, tuple[int, int]]) -> PartCheck:
    """`usages` are total and free bytes by folder."""
    details = []
    for folder, (total, free) in usages.items():
        unit, size = ("GB", GIGABYTE) if total >= GIGABYTE else ("MB", MEGABYTE)
        detail = f"{free / size:.1f} of {total / size:.0f} {unit} free for {folder}"
        if free < min(MIN_FREE_SHARE * total, MIN_FREE_BYTES):
            return PartCheck(ok=False, detail=detail)
        details.append(detail)
    return PartCheck(ok=True, detail=details[0] if details else "not used")


def describe_due(waiting: Sequence[WaitingRow], now: datetime, due: int) -> str:
    """How many rows are due, and for how long: those that wait come oldest first."""
    if not waiting:
        return "nothing is due"
    return f"{due} due, the oldest for {format_age(now - waiting[0].due_at)}"


def describe_waiting(row: WaitingRow, now: datetime) -> str:
    return f"{row.task.value} of {row.recipe} {row.key[:12]} has waited for {format_age(now - row.due_at)}"


def format_age(age: timedelta) -> str:
    seconds = max(0, int(age.total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
