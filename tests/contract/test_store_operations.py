"""What an operator may do: wake, pause and reset sources; send quarantined records again or end them; sweep."""

import pytest
from tests.support.scene import HOUR, LEASE, ME, RECIPE, START, Scene, ended_result, make_capture, make_source

from headwater.model.errors import Refused
from headwater.model.jobs import FetchResult, GatherResult, Quarantine, State, Task
from headwater.store.changes.operations import Operations
from headwater.store.maintenance.orphans import find_orphans, orphaned_packs
from headwater.store.schema.flow import documents, leads, polls, quarantine, sources


@pytest.fixture
def operations(scene: Scene) -> Operations:
    return Operations(scene.store.engine)


def test_waking_makes_every_active_source_of_a_recipe_due(scene: Scene, operations: Operations):
    asleep, paused, stopped, foreign = (make_source(n) for n in ("A", "B", "C", "D"))
    foreign = make_source("D", recipe="other")
    for source, fields in (
        (asleep, {}),
        (paused, {"active": False}),
        (stopped, {"stop_reason": "10 failures"}),
        (foreign, {}),
    ):
        scene.poll(source=source, **fields)
    assert operations.wake(RECIPE, START) == 1
    assert [source_lease.source.id for source_lease in scene.claim(Task.POLL)] == [asleep.id]
    assert scene.claim(Task.POLL, recipe="other") == []


def test_waking_takes_no_lease_away(scene: Scene, operations: Operations):
    scene.store.register([scene.source], START)
    scene.claim(Task.POLL, "worker")
    operations.wake(RECIPE, START)
    assert scene.claim(Task.POLL, "second") == []


@pytest.mark.parametrize("by", ["id", "url", "name"])
def test_a_source_is_paused_and_resumed_by_key_address_or_name(scene: Scene, operations: Operations, by: str):
    scene.store.register([scene.source, make_source("Other")], START)
    called = getattr(scene.source, by)
    assert operations.pause(called, active=False, now=START) == "Wire"
    assert [source_lease.source.name for source_lease in scene.claim(Task.POLL)] == ["Other"]
    scene.now = START + HOUR
    operations.pause(called, active=True, now=scene.now)
    assert [source_lease.source.name for source_lease in scene.claim(Task.POLL, keys=(scene.source.id,))] == [
        "Wire"
    ]


def test_an_unknown_or_ambiguous_source_is_refused(scene: Scene, operations: Operations):
    scene.store.register([make_source("Twin", url=f"https://{i}.example/") for i in "ab"], START)
    with pytest.raises(Refused, match="no source called 'unknown'"):
        operations.pause("unknown", active=False, now=START)
    with pytest.raises(Refused, match="2 sources called 'Twin'"):
        operations.reset("Twin", START)
    assert {row["active"] for row in scene.rows(sources)} == {True}


def test_r28_a_stopped_source_is_polled_again_after_a_reset(scene: Scene, operations: Operations):
    scene.poll(due_at=None, stop_reason="10 failures in a row", failures=10, error="http_500")
    scene.now = START + 1000 * HOUR
    assert scene.claim(Task.POLL) == []
    assert operations.reset(scene.source.id, scene.now) == "Wire"
    (source_lease,) = scene.claim(Task.POLL)
    assert (source_lease.source.failures, source_lease.source.stop_reason, source_lease.attempts) == (
        0,
        None,
        1,
    )


def test_5_5_a_stopped_source_stays_stopped_when_its_runs_are_deleted(scene: Scene):
    scene.poll(due_at=None, stop_reason="10 failures in a row", failures=10, error="http_500")
    with scene.store.engine.begin() as connection:
        connection.execute(polls.delete())
    scene.now = START + 1000 * HOUR
    assert scene.claim(Task.POLL) == []


def _set_apart(scene: Scene, *paths: str) -> list[str]:
    drafts = scene.drafts(*paths)
    scene.refine(*(ended_result(draft, State.QUARANTINED, "error:X") for draft in drafts))
    return [draft.id for draft in drafts]


def test_a_quarantined_document_is_sent_again(scene: Scene, operations: Operations):
    first, second = _set_apart(scene, "a", "b")
    assert operations.retry([first], None, START) == 1
    (draft,) = scene.claim(Task.REFINE)
    assert (draft.id, draft.attempts, draft.revision) == (first, 1, 1)
    row = scene.row(documents, id=first)
    assert (row["state"], row["reason"]) == (State.WAITING, None)
    assert [row["record_id"] for row in scene.rows(quarantine)] == [second]


def test_all_of_a_recipe_is_sent_again(scene: Scene, operations: Operations):
    _set_apart(scene, "a", "b")
    assert operations.retry(None, "other", START) == 0
    assert operations.retry(None, RECIPE, START) == 2
    assert len(scene.claim(Task.REFINE)) == 2
    assert scene.count(quarantine) == 0


def test_naming_no_record_touches_no_record(scene: Scene, operations: Operations):
    _set_apart(scene, "a")
    assert (operations.retry([], None, START), operations.drop([], None)) == (0, 0)
    assert scene.count(quarantine) == 1


def test_a_record_is_found_by_the_beginning_of_its_key_but_not_by_a_stray_word(
    scene: Scene, operations: Operations
):
    (record,) = _set_apart(scene, "a")
    assert operations.retry([record[:4], "%", "abcdefgh%", "quarantined"], None, START) == 0
    assert operations.retry([record[:8]], None, START) == 1


def test_a_dropped_record_keeps_its_reason_as_the_operators_decision(scene: Scene, operations: Operations):
    (record,) = _set_apart(scene, "a")
    assert operations.drop([record], None) == 1
    row = scene.row(documents)
    assert (row["state"], row["reason"], row["due_at"]) == (State.DROPPED, "operator:error:X", None)
    assert scene.count(quarantine) == 0
    assert operations.retry(None, None, START) == 0


def test_a_quarantined_lead_and_a_quarantined_group_have_a_way_back_too(scene: Scene, operations: Operations):
    scene.keep("k", group="day")
    scene.poll(scene.lead("a"))
    (stored,) = scene.claim(Task.FETCH)
    apart = Quarantine(reason="tls")
    scene.store.finish_fetch([FetchResult(lead=stored.id, version="v1", result=apart)], ME, START)
    (group_batch,) = scene.claim(Task.GATHER)
    scene.store.finish_gather(
        [GatherResult(group=group_batch.id, version=group_batch.version, quarantine=apart)], ME, START
    )
    assert (scene.claim(Task.FETCH), scene.claim(Task.GATHER)) == ([], [])
    assert operations.retry(None, RECIPE, START) == 2
    assert (len(scene.claim(Task.FETCH)), len(scene.claim(Task.GATHER))) == (1, 1)
    assert scene.row(leads, id=stored.id)["state"] == State.WAITING


def test_a_group_can_be_dropped_from_the_quarantine(scene: Scene, operations: Operations):
    scene.keep("k", group="day")
    (group_batch,) = scene.claim(Task.GATHER)
    apart = Quarantine(reason="error:X")
    scene.store.finish_gather(
        [GatherResult(group=group_batch.id, version=group_batch.version, quarantine=apart)], ME, START
    )
    assert operations.drop(None, RECIPE) == 1
    assert (scene.count(quarantine), scene.claim(Task.GATHER)) == (0, [])


def test_the_sweep_frees_expired_leases_and_no_others(scene: Scene, operations: Operations):
    scene.keep("a", "b", routes=("out",))
    scene.claim(Task.DELIVER, "gone", limit=1)
    scene.now = START + LEASE / 2
    scene.claim(Task.DELIVER, "busy")
    scene.now = START + LEASE
    assert operations.release_expired_leases(scene.now) == 1
    assert scene.store.lease_owners() == {"busy"}
    assert operations.release_expired_leases(scene.now) == 0


def test_the_sweep_knows_which_bytes_are_referenced(scene: Scene, operations: Operations):
    scene.poll(captures=(make_capture("x", "known"),))
    referenced = make_capture("x", "known").pack
    assert find_orphans(operations.engine, orphaned_packs, [referenced, "no such pack"]) == ["no such pack"]
