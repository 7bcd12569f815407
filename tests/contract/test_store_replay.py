"""Replays in rows: documents listed a little at a time, claimed like any work, reported, and replaced when chosen."""

import threading
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event
from tests.support.deadline import DEADLINE
from tests.support.scene import HOUR, LEASE, ME, RECIPE, START, Scene, ended_result, kept_result

from headwater.model.errors import Refused
from headwater.model.jobs import Postponement, State, Task
from headwater.model.replay import FieldDifference, ReplayItem, ReplayResult, ReplayState, ReplayVerdict
from headwater.store.changes.operations import Operations
from headwater.store.changes.replays import Replays
from headwater.store.claims import replay as replaying
from headwater.store.claims import replay_apply as replacing
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import deliveries, documents, quarantine, revisions
from headwater.store.schema.replays import replay_items, replays

PATHS = ("a", "b", "c", "d", "e")


@pytest.fixture
def replay_admin(scene: Scene) -> Replays:
    return Replays(scene.store.engine)


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "LISTED_AT_ONCE", 2)
    monkeypatch.setattr(replacing, "REPLACED_AT_ONCE", 2)


def _started(scene: Scene, replay_admin: Replays) -> str:
    return replay_admin.start(RECIPE, START - HOUR, START + HOUR, scene.now)


def _replay_result(
    item: ReplayItem, verdict: ReplayVerdict = ReplayVerdict.BETTER, **fields: object
) -> ReplayResult:
    defaults = {
        "revision": item.revision,
        "capture": item.draft.capture.id if item.draft.capture else None,
        "before": item.stored_outcome.state if item.stored_outcome else None,
        "after": State.KEPT,
        "differences": (FieldDifference("title", "A", "B", 1),),
    }
    return ReplayResult(id=item.id, verdict=verdict, **(defaults | fields))


def _read(scene: Scene, *results: ReplayResult) -> None:
    scene.store.finish_replay(results, ME, scene.now)


def _listed(scene: Scene) -> list[ReplayItem]:
    """Everything of the replay, claimed."""
    items: list[ReplayItem] = []
    while batch := scene.claim(Task.REPLAY) or scene.store.advance_replay(RECIPE, scene.now):
        items += batch if isinstance(batch, list) else []
    return items


def _whole(scene: Scene, replay_admin: Replays, *verdicts: ReplayVerdict) -> str:
    """A replay with a complete report."""
    name = _started(scene, replay_admin)
    items = _listed(scene)
    _read(scene, *(_replay_result(item, verdict) for item, verdict in zip(items, verdicts, strict=True)))
    assert replay_admin.get(name)["state"] == ReplayState.REPORTED
    return name


@pytest.mark.usefixtures("few_at_once")
def test_documents_are_listed_a_little_at_a_time_each_once(scene: Scene, replay_admin: Replays):
    drafts = scene.keep(*PATHS)
    name = _started(scene, replay_admin)
    assert scene.store.advance_replay(RECIPE, START) == 2
    assert scene.count(replay_items) == 2
    assert [scene.store.advance_replay(RECIPE, START) for _ in range(3)] == [2, 1, 0]
    assert {row["document_id"] for row in scene.rows(replay_items)} == {draft.id for draft in drafts}
    details = replay_admin.get(name)
    assert (details["expected_count"], details["listed_count"], details["listed_all"]) == (5, 5, True)


def test_only_what_came_in_time_and_was_decided_by_code_is_listed(scene: Scene, replay_admin: Replays):
    early, by_hand, _ = scene.drafts("early", "by hand", "waiting")
    scene.refine(kept_result(early), ended_result(by_hand, State.QUARANTINED, "odd", document=False))
    Operations(scene.store.engine).drop([by_hand.id], None)
    scene.now = START + HOUR
    (late,) = scene.drafts("late")
    scene.refine(kept_result(late))
    name = replay_admin.start(RECIPE, START, START + HOUR, scene.now)
    assert [item.draft.id for item in _listed(scene)] == [early.id]
    assert replay_admin.get(name)["listed_count"] == 1


@pytest.mark.usefixtures("few_at_once")
def test_a_stretch_without_anything_to_read_again_is_passed_over(scene: Scene, replay_admin: Replays):
    scene.drafts(*PATHS)
    name = _started(scene, replay_admin)
    assert scene.store.due_tasks(RECIPE, START) == [Task.REPLAY]
    assert scene.store.advance_replay(RECIPE, START) == 0
    assert replay_admin.get(name)["state"] == ReplayState.REPORTED


def test_an_item_is_claimed_with_all_that_is_stored_about_its_document(scene: Scene, replay_admin: Replays):
    first, copy = scene.drafts("a", "b")
    scene.refine(kept_result(first, title="Title"))
    scene.refine(ended_result(copy, State.DUPLICATE, "duplicate:text", of=first.id))
    _started(scene, replay_admin)
    items = {item.draft.id: item for item in _listed(scene)}
    stored_outcome = items[first.id].stored_outcome
    assert stored_outcome is not None
    assert (stored_outcome.state, stored_outcome.document.title) == (State.KEPT, "Title")
    assert items[first.id].draft == replace(first, revision=2)
    assert items[first.id].original is None
    assert items[copy.id].original is not None
    assert items[copy.id].original.id == first.id


def test_a_report_counts_verdicts_and_fields_and_is_whole_when_nothing_is_left(
    scene: Scene, replay_admin: Replays
):
    scene.keep(*PATHS)
    name = _started(scene, replay_admin)
    items = _listed(scene)
    _read(scene, *(_replay_result(item) for item in items[:3]))
    assert replay_admin.get(name)["state"] == ReplayState.RUNNING
    worse = _replay_result(
        items[3], ReplayVerdict.WORSE, differences=(FieldDifference("title", "A", "", -1),)
    )
    failed = ReplayResult(id=items[4].id, revision=1, capture=None, reason="error:ValueError", detail="boom")
    _read(scene, worse, failed)
    details = replay_admin.get(name)
    assert details["state"] == ReplayState.REPORTED
    assert [details[name] for name in ("compared", "better", "worse", "failed", "same")] == [5, 3, 1, 1, 0]
    assert details["fields"] == {"title": {"better": 3, "changed": 0, "worse": 1}}
    (row,) = replay_admin.report(name, [ReplayVerdict.WORSE])
    assert row["differences"] == [{"field": "title", "before": "A", "after": "", "direction": -1}]
    (row,) = replay_admin.report(name, [ReplayVerdict.FAILED])
    assert (row["reason"], row["detail"]) == ("error:ValueError", "boom")
    assert len(list(replay_admin.report(name, [ReplayVerdict.WORSE, ReplayVerdict.BETTER], limit=2))) == 2
    assert scene.store.due_tasks(RECIPE, START) == []


def test_a_result_whose_lease_was_lost_is_not_counted(scene: Scene, replay_admin: Replays):
    scene.keep("a")
    name = _started(scene, replay_admin)
    (item,) = _listed(scene)
    scene.now = START + LEASE
    (again,) = scene.claim(Task.REPLAY, "second")
    _read(scene, _replay_result(item))
    assert replay_admin.get(name)["compared"] == 0
    assert again.attempts == 2
    for _ in range(2):
        scene.store.finish_replay([_replay_result(again)], "second", scene.now)
    assert replay_admin.get(name)["better"] == 1


def test_a_postponed_item_is_due_later(scene: Scene, replay_admin: Replays):
    scene.keep("a")
    name = _started(scene, replay_admin)
    (item,) = _listed(scene)
    later = Postponement(at=START + HOUR, reason="busy")
    _read(scene, replace(_replay_result(item), later=later))
    assert scene.claim(Task.REPLAY) == []
    assert replay_admin.get(name)["state"] == ReplayState.RUNNING
    scene.now = START + HOUR
    assert len(scene.claim(Task.REPLAY)) == 1


@pytest.mark.usefixtures("few_at_once")
def test_what_is_paused_is_neither_claimed_nor_listed_nor_waited_for(scene: Scene, replay_admin: Replays):
    scene.keep(*PATHS)
    name = _started(scene, replay_admin)
    scene.store.advance_replay(RECIPE, START)
    (leased_item,) = scene.claim(Task.REPLAY, limit=1)
    replay_admin.pause(name, START)
    assert scene.claim(Task.REPLAY) == []
    assert scene.store.advance_replay(RECIPE, START) == 0
    assert scene.store.due_tasks(RECIPE, START) == []
    assert Task.REPLAY not in scene.store.next_due(RECIPE)
    _read(scene, _replay_result(leased_item))
    assert replay_admin.get(name)["better"] == 1
    replay_admin.resume(name, START)
    _read(scene, *(_replay_result(item) for item in _listed(scene)))
    details = replay_admin.get(name)
    assert (details["state"], details["better"]) == (ReplayState.REPORTED, 5)


def test_one_that_was_paused_at_its_very_end_is_whole(scene: Scene, replay_admin: Replays):
    scene.keep("a")
    name = _started(scene, replay_admin)
    items = _listed(scene)
    replay_admin.pause(name, START)
    _read(scene, *map(_replay_result, items))
    assert replay_admin.get(name)["state"] == ReplayState.REPORTED


def test_a_recipe_has_one_replay_at_a_time(scene: Scene, replay_admin: Replays):
    scene.keep("a")
    first = _started(scene, replay_admin)
    with pytest.raises(Refused, match=first[:12]):
        replay_admin.start(RECIPE, START - 2 * HOUR, START, START)
    replay_admin.start("other", START - HOUR, START, START)
    replay_admin.discard(first, START)
    assert replay_admin.start(RECIPE, START - 2 * HOUR, START, START)
    assert [row["recipe"] for row in replay_admin.list_replays(RECIPE)] == [RECIPE, RECIPE]


def test_nothing_is_replaced_before_it_is_applied_and_then_only_what_was_chosen(
    scene: Scene, replay_admin: Replays
):
    drafts = scene.keep("a", "b", "c", routes=("out",))
    before = scene.rows(documents), scene.rows(deliveries), scene.rows(revisions)
    name = _whole(scene, replay_admin, ReplayVerdict.BETTER, ReplayVerdict.WORSE, ReplayVerdict.CHANGED)
    assert (scene.rows(documents), scene.rows(deliveries), scene.rows(revisions)) == before
    scene.now = START + HOUR
    replay_admin.apply(name, [ReplayVerdict.BETTER, ReplayVerdict.CHANGED], scene.now)
    assert [scene.store.advance_replay(RECIPE, scene.now) for _ in range(2)] == [2, 0]
    again = scene.claim(Task.REFINE)
    assert {draft.id: draft.capture for draft in again} == {
        draft.id: draft.capture for draft in drafts if draft.id in {draft_again.id for draft_again in again}
    }
    assert [draft.revision for draft in again] == [2, 2]
    details = replay_admin.get(name)
    assert (details["state"], details["replaced"], details["moved_on"]) == (ReplayState.APPLIED, 2, 0)
    chosen_ids = {
        row["document_id"] for row in replay_admin.report(name, [ReplayVerdict.BETTER, ReplayVerdict.CHANGED])
    }
    assert {draft.id for draft in again} == chosen_ids


@pytest.mark.usefixtures("few_at_once")
def test_live_documents_wait_behind_few_that_are_replaced(
    scene: Scene, replay_admin: Replays, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(replacing, "MOST_WAITING", 3)
    scene.keep(*PATHS)
    name = _whole(scene, replay_admin, *[ReplayVerdict.BETTER] * 5)
    replay_admin.apply(name, [ReplayVerdict.BETTER], START)
    assert [scene.store.advance_replay(RECIPE, START) for _ in range(3)] == [2, 2, 0]
    assert scene.store.due_tasks(RECIPE, START) == [Task.REFINE, Task.REPLAY]
    scene.refine(*(kept_result(draft) for draft in scene.claim(Task.REFINE)))
    assert [scene.store.advance_replay(RECIPE, START) for _ in range(2)] == [1, 0]
    assert replay_admin.get(name)["replaced"] == 5


def test_a_document_that_moved_on_is_passed_over_and_counted(scene: Scene, replay_admin: Replays):
    changed, due, still = scene.keep("a", "b", "c")
    name = _whole(scene, replay_admin, *[ReplayVerdict.BETTER] * 3)
    assert scene.refine(kept_result(scene.change(changed, "new bytes"))) == []
    scene.change(due, "other bytes")
    scene.store.release([ME], counts=False)
    replay_admin.apply(name, [ReplayVerdict.BETTER], START)
    scene.store.advance_replay(RECIPE, START)
    details = replay_admin.get(name)
    assert (details["replaced"], details["moved_on"]) == (1, 2)
    assert scene.row(documents, id=changed.id)["due_at"] is None
    assert scene.row(documents, id=still.id)["due_at"] == START


def test_what_the_new_code_would_not_keep_stays(scene: Scene, replay_admin: Replays):
    scene.keep("a")
    name = _started(scene, replay_admin)
    (item,) = _listed(scene)
    _read(scene, _replay_result(item, ReplayVerdict.WORSE, after=State.DROPPED))
    replay_admin.apply(name, [ReplayVerdict.WORSE], START)
    scene.store.advance_replay(RECIPE, START)
    assert replay_admin.get(name)["stays"] == 1
    assert scene.claim(Task.REFINE) == []


def test_a_quarantined_document_that_can_be_read_now_leaves_quarantine(scene: Scene, replay_admin: Replays):
    (draft,) = scene.drafts("a")
    scene.refine(ended_result(draft, State.QUARANTINED, "error:ValueError", document=False))
    name = _whole(scene, replay_admin, ReplayVerdict.BETTER)
    replay_admin.apply(name, [ReplayVerdict.BETTER], START)
    scene.store.advance_replay(RECIPE, START)
    (again,) = scene.claim(Task.REFINE)
    scene.refine(kept_result(again))
    assert scene.row(documents)["state"] == State.KEPT
    assert scene.count(quarantine) == 0


def test_a_second_choice_is_added_to_the_first(scene: Scene, replay_admin: Replays):
    scene.keep("a", "b")
    name = _whole(scene, replay_admin, ReplayVerdict.BETTER, ReplayVerdict.CHANGED)
    for verdict in (ReplayVerdict.BETTER, ReplayVerdict.CHANGED):
        replay_admin.apply(name, [verdict], START)
        assert [scene.store.advance_replay(RECIPE, START) for _ in range(2)] == [1, 0]
    assert replay_admin.get(name)["replaced"] == 2


def test_discarding_forgets_the_report_and_keeps_the_counts(scene: Scene, replay_admin: Replays):
    scene.keep("a", "b")
    name = _whole(scene, replay_admin, ReplayVerdict.BETTER, ReplayVerdict.SAME)
    assert replay_admin.discard(name, START) == 2
    assert scene.count(replay_items) == 0
    assert scene.row(replays)["state"] == ReplayState.DISCARDED
    assert replay_admin.get(name)["better"] == 1
    with pytest.raises(Refused, match="is discarded"):
        replay_admin.apply(name, [ReplayVerdict.BETTER], START)


def test_what_cannot_be_done_now_is_refused_with_the_state(scene: Scene, replay_admin: Replays):
    scene.keep("a")
    name = _started(scene, replay_admin)
    with pytest.raises(Refused, match="is running"):
        replay_admin.apply(name, [ReplayVerdict.BETTER], START)
    with pytest.raises(Refused, match="is running"):
        replay_admin.resume(name, START)
    with pytest.raises(Refused, match="no replays begin with"):
        replay_admin.get("0" * 12)


@pytest.mark.usefixtures("few_at_once")
def test_workers_that_read_at_the_same_time_report_everything_once(scene: Scene, replay_admin: Replays):
    paths = [f"p{number}" for number in range(24)]
    scene.keep(*paths)
    name = _started(scene, replay_admin)

    def work(owner: str) -> None:
        while replay_admin.get(name)["state"] == ReplayState.RUNNING:
            items = scene.claim(Task.REPLAY, owner, limit=3)
            scene.store.finish_replay([_replay_result(item) for item in items], owner, scene.now)
            if not items:
                scene.store.advance_replay(RECIPE, scene.now)

    workers = [threading.Thread(target=work, args=(f"worker {number}",)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(DEADLINE)
    details = replay_admin.get(name)
    assert (details["state"], details["listed_count"], details["better"]) == (ReplayState.REPORTED, 24, 24)
    assert details["fields"]["title"]["better"] == 24
    assert scene.store.lease_owners() == set()


def test_listing_goes_by_the_index_however_many_documents_there_are(scene: Scene, replay_admin: Replays):
    scene.keep("a", "b")
    _started(scene, replay_admin)
    with read_transaction(scene.store.engine) as connection:
        row = replaying.open_replay(connection, RECIPE)
        assert row is not None
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            connection.exec_driver_sql("SET LOCAL enable_sort = off")
        plans: list[str] = []
        word = "EXPLAIN " if connection.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN "

        def explained(bound: Any, cursor: Any, statement: str, values: Any, *_more: Any) -> None:
            plans.append(str(bound.connection.cursor().execute(word + statement, values).fetchall()))

        event.listen(connection, "before_cursor_execute", explained)
        replaying.next_documents(connection, row)
    assert len(plans) == 1
    assert "ix_documents_recipe_created" in plans[0]
    assert [sign for sign in ("SCAN documents", "TEMP B-TREE", "Sort") if sign in plans[0]] == []
