"""Work is leased, oldest first, to one owner at a time, and is free again when the lease expires."""

import multiprocessing
import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from tests.support.deadline import DEADLINE
from tests.support.scene import (
    HOUR,
    LEASE,
    ME,
    RECIPE,
    START,
    Scene,
    kept_result,
    make_capture,
    make_source,
    make_story,
)

from headwater.model.jobs import (
    QUEUED_TASKS,
    Claim,
    DeliveryResult,
    FetchResult,
    GatherResult,
    Job,
    PollResult,
    Postponement,
    Quarantine,
    Task,
)
from headwater.model.keys import group_key
from headwater.model.replay import ReplayResult, ReplayVerdict
from headwater.runtime.fork_server import fork_server
from headwater.store.changes.replays import Replays
from headwater.store.claims.leases import TASK_TABLES
from headwater.store.connect import connect
from headwater.store.schema.flow import leads, sources
from headwater.store.sql_store import SqlStore

SECOND = timedelta(seconds=1)


def _sources_due(scene: Scene, *moments: datetime) -> list[str]:
    """Register one source per moment, due then; returns their ids in that order."""
    all_sources = [make_source(f"S{i}") for i, _ in enumerate(moments)]
    for source, moment in zip(all_sources, moments, strict=True):
        scene.store.register([source], moment)
    return [source.id for source in all_sources]


def test_the_oldest_due_comes_first_up_to_the_limit(scene: Scene):
    late, old, older = _sources_due(scene, START, START - HOUR, START - 2 * HOUR)
    assert [source_lease.source.id for source_lease in scene.claim(Task.POLL, limit=2)] == [older, old]
    assert [source_lease.source.id for source_lease in scene.claim(Task.POLL, limit=2)] == [late]


def test_what_is_not_due_is_not_claimed(scene: Scene):
    _sources_due(scene, START + SECOND)
    assert scene.claim(Task.POLL) == []


def test_keys_narrow_a_claim_and_do_not_make_anything_due(scene: Scene):
    first, second, later = _sources_due(scene, START, START, START + HOUR)
    assert [t.source.id for t in scene.claim(Task.POLL, keys=(second, later, "unknown"))] == [second]
    assert [t.source.id for t in scene.claim(Task.POLL)] == [first]


def test_another_recipe_is_left_alone(scene: Scene):
    scene.store.register([make_source(recipe="other")], START)
    assert scene.claim(Task.POLL) == []
    assert len(scene.claim(Task.POLL, recipe="other")) == 1


def test_r29_a_leased_row_is_not_claimed_until_its_lease_runs_out(scene: Scene):
    _sources_due(scene, START)
    assert len(scene.claim(Task.POLL, "first")) == 1
    scene.now = START + LEASE - SECOND
    assert scene.claim(Task.POLL, "second") == []
    scene.now = START + LEASE
    (source_lease,) = scene.claim(Task.POLL, "second")
    assert source_lease.attempts == 2
    assert scene.row(sources)["lease_owner"] == "second"


def test_a_renewed_lease_holds_longer(scene: Scene):
    _sources_due(scene, START)
    scene.claim(Task.POLL, "first")
    scene.store.renew(Task.POLL, "first", START + HOUR)
    scene.store.renew(Task.POLL, "stranger", START + 9 * HOUR)
    scene.now = START + HOUR - SECOND
    assert scene.claim(Task.POLL, "second") == []
    scene.now = START + HOUR
    assert len(scene.claim(Task.POLL, "second")) == 1


@pytest.mark.parametrize(("counts", "attempts"), [(True, 2), (False, 1)])
def test_released_rows_are_free_and_count_only_if_their_owner_died(scene: Scene, counts: bool, attempts: int):
    _sources_due(scene, START, START)
    scene.claim(Task.POLL, "mine", limit=1)
    scene.claim(Task.POLL, "others")
    assert scene.store.lease_owners() == {"mine", "others"}
    assert scene.store.release(["mine"], counts=counts) == 1
    assert scene.store.lease_owners() == {"others"}
    (source_lease,) = scene.claim(Task.POLL)
    assert source_lease.attempts == attempts


def test_release_covers_every_kind_of_work(scene: Scene):
    scene.keep("a", "b", routes=("out",), group="day")
    scene.poll(scene.lead("c"), scene.lead("d"), due_at=scene.now)
    scene.fetch(scene.lead("d"))
    Replays(scene.store.engine).start(RECIPE, START - HOUR, START + HOUR, START)
    scene.store.advance_replay(RECIPE, START)
    for task in QUEUED_TASKS:
        assert scene.claim(task, "mine"), task
    assert scene.store.release(["mine"], counts=False) == 8
    assert scene.store.lease_owners() == set()
    for task in QUEUED_TASKS:
        assert scene.claim(task, "again"), task


def test_released_attempts_never_go_below_zero(scene: Scene):
    """A row that was woken while it was leased counts from zero again."""
    lead = scene.lead("a")
    scene.poll(lead)
    scene.claim(Task.FETCH, "fetcher")
    scene.poll(scene.lead("a", version="v2"))
    scene.store.release(["fetcher"], counts=False)
    assert scene.row(leads)["attempts"] == 0


def test_next_due_returns_a_time_for_each_task(scene: Scene):
    scene.keep("a", routes=("out",), group="day")
    scene.now = START + SECOND
    scene.poll(scene.lead("b"))
    assert scene.store.next_due(RECIPE) == {
        Task.POLL: scene.now + HOUR,
        Task.FETCH: scene.now,
        Task.GATHER: START,
        Task.DELIVER: START,
    }
    assert scene.store.next_due("other") == {}


def test_next_due_counts_leased_work_as_unfinished(scene: Scene):
    scene.poll(scene.lead("a"))
    scene.claim(Task.FETCH)
    assert scene.store.next_due(RECIPE)[Task.FETCH] == START


# A result whose lease was lost is ignored: another worker has the row now, or had it and finished.


def _rows(scene: Scene) -> dict[str, list]:
    return {table.name: sorted(map(str, scene.rows(table))) for table in TASK_TABLES.values()}


def _polled(scene: Scene) -> Callable[[], object]:
    scene.store.register([scene.source], START)
    (source_lease,) = scene.claim(Task.POLL, "slow")
    polled = PollResult(
        source=scene.source.id,
        poll_id=source_lease.poll_id,
        leads=(scene.lead("a"),),
        watermark={"x": 1},
        due_at=None,
    )
    return lambda: scene.store.finish_poll([polled], "slow", START)


def _fetched(scene: Scene) -> Callable[[], object]:
    scene.poll(scene.lead("a"))
    (stored,) = scene.claim(Task.FETCH, "slow")
    fetched = FetchResult(lead=stored.id, version="v1", result=make_capture(stored.id))
    return lambda: scene.store.finish_fetch([fetched], "slow", START)


def _refined(scene: Scene) -> Callable[[], object]:
    scene.poll(scene.lead("a"))
    scene.fetch(scene.lead("a"))
    (draft,) = scene.claim(Task.REFINE, "slow")
    return lambda: scene.refine(kept_result(draft, routes=("out",), group="day"), owner="slow")


def _gathered(scene: Scene) -> Callable[[], object]:
    (draft,) = scene.keep("a", group="day")
    (group_batch,) = scene.claim(Task.GATHER, "slow")
    gathered = GatherResult(
        group=group_batch.id, version=group_batch.version, stories=(make_story("s", "day", draft.id),)
    )
    return lambda: scene.store.finish_gather([gathered], "slow", START)


def _delivered(scene: Scene) -> Callable[[], object]:
    scene.keep("a", routes=("out",))
    (delivery,) = scene.claim(Task.DELIVER, "slow")
    return lambda: scene.store.finish_deliver([DeliveryResult(id=delivery.id, revision=1)], "slow", START)


def _replayed(scene: Scene) -> Callable[[], object]:
    scene.keep("a")
    Replays(scene.store.engine).start(RECIPE, START - HOUR, START + HOUR, START)
    scene.store.advance_replay(RECIPE, START)
    (item,) = scene.claim(Task.REPLAY, "slow")
    result = ReplayResult(id=item.id, revision=1, capture=None, verdict=ReplayVerdict.SAME)
    return lambda: scene.store.finish_replay([result], "slow", START)


SLOW = {
    Task.POLL: _polled,
    Task.FETCH: _fetched,
    Task.REFINE: _refined,
    Task.GATHER: _gathered,
    Task.DELIVER: _delivered,
    Task.REPLAY: _replayed,
}


@pytest.mark.parametrize("task", QUEUED_TASKS)
def test_a_result_whose_lease_was_lost_is_ignored(scene: Scene, task: Task):
    finish = SLOW[task](scene)
    scene.now = START + LEASE
    assert len(scene.claim(task, "quick")) == 1
    before = _rows(scene)
    finish()
    assert _rows(scene) == before


@pytest.mark.parametrize("task", QUEUED_TASKS)
def test_a_result_in_time_is_written(scene: Scene, task: Task):
    finish = SLOW[task](scene)
    before = _rows(scene)
    finish()
    assert _rows(scene) != before
    assert scene.store.lease_owners() == set()


@pytest.mark.parametrize("task", [Task.FETCH, Task.GATHER, Task.DELIVER])
def test_a_postponed_or_quarantined_result_without_lease_is_ignored_too(scene: Scene, task: Task):
    SLOW[task](scene)
    scene.now = START + LEASE
    scene.claim(task, "quick")
    before = _rows(scene)
    later, apart = Postponement(at=START, reason="r"), Quarantine(reason="r")
    lead, group = scene.lead("a").id, group_key(RECIPE, "day")
    scene.store.finish_fetch([FetchResult(lead=lead, version="v1", result=apart)], "slow", START)
    scene.store.finish_gather([GatherResult(group=group, version=1, quarantine=apart)], "slow", START)
    for delivery in scene.rows(TASK_TABLES[Task.DELIVER]):
        scene.store.finish_deliver(
            [DeliveryResult(id=delivery["id"], revision=1, later=later)], "slow", START
        )
    assert _rows(scene) == before


# Two claimers never get the same row.

MANY = 120


def _many_leads(scene: Scene) -> None:
    scene.poll(*(scene.lead(f"n{i}") for i in range(MANY)))


def _claim_all(store: SqlStore, owner: str, claimed: list[str], start: Callable[[], object]) -> None:
    start()
    while batch := store.claim_leads(Claim(Job(RECIPE, Task.FETCH), owner, START, 7, LEASE)):
        claimed.extend(lead.id for lead in batch)


def test_threads_that_claim_at_once_share_the_rows(scene: Scene):
    _many_leads(scene)
    claimed: list[list[str]] = [[] for _ in range(4)]
    gate = threading.Barrier(4)
    threads = [
        threading.Thread(target=_claim_all, args=(scene.store, f"t{i}", claimed[i], gate.wait))
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    counts = Counter(lead for ids in claimed for lead in ids)
    assert len(counts) == MANY
    assert set(counts.values()) == {1}


def _claim_elsewhere(url: str, owner: str, answers: "multiprocessing.Queue[list[str]]") -> None:
    store = SqlStore(connect(url))
    claimed: list[str] = []
    _claim_all(store, owner, claimed, lambda: None)
    store.engine.dispose()
    answers.put(claimed)


def test_processes_that_claim_at_once_share_the_rows(scene: Scene, database: str):
    _many_leads(scene)
    context = fork_server()
    answers = context.Queue()
    started = [context.Process(target=_claim_elsewhere, args=(database, f"p{i}", answers)) for i in range(2)]
    for process in started:
        process.start()
    claimed = [answers.get(timeout=DEADLINE) for _ in started]
    for process in started:
        process.join(DEADLINE)
    counts = Counter(lead for ids in claimed for lead in ids)
    assert len(counts) == MANY
    assert set(counts.values()) == {1}


def test_claimed_rows_name_their_owner(scene: Scene):
    _many_leads(scene)
    claimed = {lead.id for lead in scene.claim(Task.FETCH, ME, limit=10)}
    assert {row["id"] for row in scene.rows(leads, lease_owner=ME)} == claimed
    assert {row["lease_until"] for row in scene.rows(leads, lease_owner=ME)} == {START + LEASE}
