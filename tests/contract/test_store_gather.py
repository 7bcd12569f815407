"""Groups are gathered into stories; stories keep their identity, or end."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import event
from tests.support.environments import on_sqlite
from tests.support.scene import HOUR, ME, RECIPE, START, Scene, ended_result, kept_result, make_story

from headwater.model.document import FactValue
from headwater.model.jobs import Claim, GatherResult, GroupBatch, Job, Postponement, Quarantine, State, Task
from headwater.model.keys import group_key
from headwater.store.claims.group_window import LONGEST_WAIT
from headwater.store.schema.flow import deliveries, group_changes, groups, quarantine, stories, story_members
from headwater.store.schema.knowledge import facts
from headwater.stories.identity import story_key

DAY = group_key(RECIPE, "day")


def _claim_group(scene: Scene) -> GroupBatch:
    (group_batch,) = scene.claim(Task.GATHER)
    return group_batch


def _gather(scene: Scene, *new_stories, group_batch: GroupBatch | None = None, **more) -> None:
    group_batch = group_batch or _claim_group(scene)
    scene.store.finish_gather(
        [
            GatherResult(
                group=group_batch.id,
                version=group_batch.version,
                clustered_ids=tuple(story.id for story in group_batch.stories),
                stories=new_stories,
                changes=group_batch.changes,
                has_more=group_batch.has_more,
                **more,
            )
        ],
        ME,
        scene.now,
    )


def _keep_in_group(scene: Scene, path: str) -> str:
    (draft,) = scene.drafts(path)
    scene.refine(kept_result(draft, group="day", published=scene.now))
    return draft.id


def test_a_group_batch_of_outlines_leaves_the_text_in_the_database(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(kept_result(draft, group="day", title="Headline", text="Long text.", published=START))
    wish = Claim(Job(RECIPE, Task.GATHER), ME, scene.now, 10, HOUR)
    (group_batch,) = scene.store.claim_groups(wish, full_documents=False)
    (document,) = group_batch.documents
    assert (document.id, document.title, document.published) == (draft.id, "Headline", START)
    assert (document.text, document.trail, document.group) == ("", (), DAY)


def test_a_group_batch_holds_the_kept_documents_of_its_group_and_no_others(scene: Scene):
    late, early, undated, bad, elsewhere = scene.drafts("a", "b", "c", "d", "e")
    scene.refine(
        kept_result(late, group="day", published=START),
        kept_result(early, group="day", published=START - HOUR),
        kept_result(undated, group="day"),
        ended_result(bad, State.DROPPED, "spam"),
        kept_result(elsewhere, group="other", published=START),
    )
    group_batches = {group_batch.name: group_batch for group_batch in scene.claim(Task.GATHER)}
    assert set(group_batches) == {"day", "other"}
    assert [document.id for document in group_batches["day"].documents] == [early.id, late.id, undated.id]
    assert (group_batches["day"].id, group_batches["day"].version, group_batches["day"].attempts) == (
        DAY,
        1,
        1,
    )


def test_stories_are_written_with_their_members_and_facts(scene: Scene):
    a, b = _keep_in_group(scene, "a"), _keep_in_group(scene, "b")
    story = make_story(
        "s1", "day", *sorted([a, b]), summary="Two say it", first_at=START, last_at=START, score=0.5,
        attributes={"x": [1]}, facts={"tone": FactValue("calm", "tone", "1")},
    )  # fmt: skip
    _gather(scene, story)
    row = scene.row(stories)
    assert (row["state"], row["size"], row["revision"]) == ("live", 2, 1)
    _keep_in_group(scene, "c")
    assert _claim_group(scene).stories == (story,)


def test_a_gathered_group_rests_until_a_document_joins(scene: Scene):
    _keep_in_group(scene, "a")
    _gather(scene)
    row = scene.row(groups)
    assert (row["due_at"], row["lease_owner"], row["attempts"]) == (None, None, 0)
    _keep_in_group(scene, "b")
    assert _claim_group(scene).version == 2


def test_a_document_that_joins_meanwhile_keeps_the_group_due(scene: Scene):
    a = _keep_in_group(scene, "a")
    group_batch = _claim_group(scene)
    b = _keep_in_group(scene, "b")
    _gather(scene, make_story("s1", "day", a), group_batch=group_batch)
    again = _claim_group(scene)
    assert {document.id for document in again.documents} == {a, b}
    assert [story.id for story in again.stories] == ["s1"]


def test_a_new_division_replaces_the_old_one(scene: Scene):
    a, b = _keep_in_group(scene, "a"), _keep_in_group(scene, "b")
    _gather(scene, make_story("s1", "day", a, facts={"old": FactValue(1)}), make_story("s2", "day", b))
    scene.now = START + HOUR
    c = _keep_in_group(scene, "c")
    _gather(scene, make_story("s1", "day", *sorted([a, b, c]), revision=2, facts={"new": FactValue(2)}))
    by_id = {row["id"]: row for row in scene.rows(stories)}
    assert (by_id["s1"]["state"], by_id["s1"]["revision"], by_id["s1"]["size"]) == ("live", 2, 3)
    assert by_id["s1"]["created_at"] == START
    assert by_id["s2"]["state"] == "ended"
    assert {row["document_id"] for row in scene.rows(story_members, story_id="s1")} == {a, b, c}
    assert [row["name"] for row in scene.rows(facts)] == ["new"]


def test_an_ended_story_stays_as_it_ended(scene: Scene):
    a = _keep_in_group(scene, "a")
    _gather(scene, make_story("s1", "day", a))
    for hours in (1, 2):
        scene.now = START + hours * HOUR
        _keep_in_group(scene, f"more{hours}")
        _gather(scene)
    row = scene.row(stories)
    assert (row["state"], row["updated_at"]) == ("ended", START + HOUR)


def test_the_id_of_an_ended_story_is_never_reused(scene: Scene):
    a = _keep_in_group(scene, "a")
    former = [story_key(DAY, a, attempt) for attempt in (0, 1)]
    for story in former:
        _gather(scene, make_story(story, "day", a))
        _keep_in_group(scene, f"after {story}")
    _gather(scene)
    _keep_in_group(scene, "c")
    group_batch = _claim_group(scene)
    assert group_batch.stories == ()
    assert group_batch.reserved_ids == frozenset(former)


def test_other_groups_keep_their_stories(scene: Scene):
    (draft,) = scene.drafts("x")
    scene.refine(kept_result(draft, group="other"))
    _gather(scene, make_story("s9", "other", draft.id))
    _keep_in_group(scene, "a")
    _gather(scene)
    assert scene.row(stories)["state"] == "live"


def test_stories_open_their_deliveries_once_per_revision(scene: Scene):
    a = _keep_in_group(scene, "a")
    story = make_story("s1", "day", a)
    _gather(scene, story, routes={"s1": ("digest",)})
    row = scene.row(deliveries)
    assert (row["route"], row["record_kind"], row["record_id"], row["revision"]) == (
        "digest",
        "story",
        "s1",
        1,
    )
    (delivery,) = scene.claim(Task.DELIVER)
    assert delivery.record == story
    _keep_in_group(scene, "b")
    _gather(scene, replace(story, revision=2), routes={"s1": ("digest",)})
    assert scene.row(deliveries)["revision"] == 2


def test_a_postponed_group_is_due_later(scene: Scene):
    _keep_in_group(scene, "a")
    _gather(scene, later=Postponement(at=START + HOUR, reason="model_busy"))
    row = scene.row(groups)
    assert (row["due_at"], row["reason"], row["attempts"], row["lease_owner"]) == (
        START + HOUR,
        "model_busy",
        1,
        None,
    )


def test_a_quarantined_group_rests_with_its_reason_and_leaves_its_stories(scene: Scene):
    a = _keep_in_group(scene, "a")
    _gather(scene, make_story("s1", "day", a))
    _keep_in_group(scene, "b")
    _gather(scene, quarantine=Quarantine(reason="error:ValueError", detail="x"))
    assert (scene.row(groups)["due_at"], scene.row(groups)["reason"]) == (None, "error:ValueError")
    assert (scene.row(quarantine)["record_id"], scene.row(quarantine)["task"]) == (DAY, Task.GATHER)
    assert scene.row(stories)["state"] == "live"


def test_a_quarantined_group_that_is_gathered_after_all_leaves_the_quarantine(scene: Scene):
    _keep_in_group(scene, "a")
    _gather(scene, quarantine=Quarantine(reason="error:ValueError"))
    _keep_in_group(scene, "b")
    _gather(scene)
    assert (scene.count(quarantine), scene.row(groups)["reason"]) == (0, None)


def test_a_group_settles_again_with_each_document(scene: Scene):
    settle = timedelta(minutes=10)
    first, second = scene.drafts("a", "b")
    scene.refine(kept_result(first, group="day"), settle=settle)
    scene.now = START + timedelta(minutes=9)
    scene.refine(kept_result(second, group="day"), settle=settle)
    scene.now = START + timedelta(minutes=11)
    assert scene.claim(Task.GATHER) == []
    scene.now = START + timedelta(minutes=19)
    assert len(_claim_group(scene).documents) == 2


def _keep_on(scene: Scene, path: str, published) -> str:
    (draft,) = scene.drafts(path)
    scene.refine(kept_result(draft, group="day", published=published))
    return draft.id


def _claim_window(scene: Scene, window: timedelta, most: int = 100) -> GroupBatch:
    claim = Claim(Job(RECIPE, Task.GATHER), ME, scene.now, 10, HOUR)
    (group_batch,) = scene.store.claim_groups(claim, window=window, most=most)
    return group_batch


def test_with_a_window_only_recent_documents_and_their_whole_stories_are_clustered_again(scene: Scene):
    old = _keep_on(scene, "old", START - timedelta(days=9))
    early, lasting = (_keep_on(scene, f"l{day}", START - timedelta(days=day)) for day in (4, 1))
    stories_then = [
        make_story("s-old", "day", old),
        make_story("s-lasting", "day", *sorted([early, lasting])),
    ]
    _gather(scene, *stories_then)
    new = _keep_on(scene, "new", START)
    group_batch = _claim_window(scene, timedelta(days=2))
    assert {document.id for document in group_batch.documents} == {early, lasting, new}
    assert [story.id for story in group_batch.stories] == ["s-lasting"]
    _gather(scene, make_story("s-all", "day", *sorted([early, lasting, new])), group_batch=group_batch)
    states = {row["id"]: row["state"] for row in scene.rows(stories)}
    assert states == {"s-old": "live", "s-lasting": "ended", "s-all": "live"}


def test_with_a_window_the_backlog_of_a_new_source_is_clustered_however_old_it_is(scene: Scene):
    backlog = _keep_on(scene, "backlog", START - timedelta(days=9))
    new = _keep_on(scene, "new", START)
    group_batch = _claim_window(scene, timedelta(days=2))
    assert {document.id for document in group_batch.documents} == {backlog, new}
    _gather(
        scene,
        make_story("s-old", "day", backlog),
        make_story("s-new", "day", new),
        group_batch=group_batch,
    )
    newer = _keep_on(scene, "newer", START)
    assert {document.id for document in _claim_window(scene, timedelta(days=2)).documents} == {new, newer}


def test_a_large_group_is_clustered_in_parts_until_every_change_is_in_a_story(scene: Scene):
    hours = {_keep_on(scene, f"d{hour}", START + hour * HOUR): hour for hour in (5, 1, 4, 2, 3, 0)}
    parts = []
    for part in range(3):
        group_batch = _claim_window(scene, timedelta(days=2), most=4)
        parts.append(sorted(hours[document.id] for document in group_batch.documents))
        assert sorted(hours[document] for document in group_batch.changes) == [2 * part, 2 * part + 1]
        assert group_batch.has_more == (part < 2)
        new_stories = [
            make_story(story_key(DAY, document.id, 0), "day", document.id)
            for document in group_batch.documents
        ]
        _gather(scene, *new_stories, group_batch=group_batch)
    assert parts == [[0, 1], [0, 1, 2, 3], [2, 3, 4, 5]]
    assert scene.claim(Task.GATHER) == []
    assert scene.rows(group_changes) == []
    assert len(scene.rows(stories)) == 6


def test_a_part_holds_no_more_than_a_job_although_its_changes_lie_far_apart(scene: Scene):
    for hour in range(6):
        _keep_on(scene, f"d{hour}", START + hour * HOUR)
    for _ in range(3):
        _gather(scene, group_batch=_claim_window(scene, timedelta(days=2), most=4))
    changes = {_keep_on(scene, f"new{hour}", START + hour * HOUR) for hour in (0, 6)}
    group_batch = _claim_window(scene, timedelta(days=2), most=4)
    assert set(group_batch.changes) == changes
    assert len(group_batch.documents) == 4


def test_old_changes_and_recent_documents_are_together_no_more_than_a_job_holds(scene: Scene):
    window = timedelta(days=2)
    for hour in range(3):
        _keep_on(scene, f"d{hour}", START + hour * HOUR)
    _gather(scene, group_batch=_claim_window(scene, window, most=4))
    backlog = [_keep_on(scene, f"old{day}", START - timedelta(days=day)) for day in (9, 8, 7)]
    group_batch = _claim_window(scene, window, most=4)
    assert set(group_batch.changes) == set(backlog[:2])
    assert group_batch.has_more
    assert len(group_batch.documents) <= 4


def test_a_large_group_waits_for_more_changes_but_not_for_long(scene: Scene):
    window = timedelta(days=2)
    for hour in range(6):
        _keep_on(scene, f"d{hour}", START + hour * HOUR)
    for _ in range(3):
        _gather(scene, group_batch=_claim_window(scene, window, most=4))
    late = _keep_on(scene, "late", START + 6 * HOUR)
    claim = Claim(Job(RECIPE, Task.GATHER), ME, scene.now, 10, HOUR)
    assert scene.store.claim_groups(claim, window=window, most=4) == []
    row = scene.row(groups)
    assert (row["due_at"], row["lease_owner"], row["attempts"]) == (scene.now + LONGEST_WAIT, None, 0)
    scene.now += LONGEST_WAIT
    group_batch = _claim_window(scene, window, most=4)
    assert group_batch.changes == (late,)
    _gather(scene, group_batch=group_batch)
    enough = {_keep_on(scene, f"more{hour}", START + hour * HOUR) for hour in (7, 8)}
    assert set(_claim_window(scene, window, most=4).changes) == enough


def test_a_change_after_the_claim_is_clustered_by_the_next_job(scene: Scene):
    _keep_in_group(scene, "a")
    group_batch = _claim_group(scene)
    scene.now += HOUR
    b = _keep_in_group(scene, "b")
    _gather(scene, group_batch=group_batch, claimed_at=START)
    assert [row["document_id"] for row in scene.rows(group_changes)] == [b]
    assert _claim_group(scene).changes == (b,)


def test_with_a_window_an_old_story_ends_when_its_document_moves_to_another_group(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(kept_result(draft, group="day", published=START - timedelta(days=9)))
    _keep_on(scene, "new", START)
    _gather(scene, make_story("s1", "day", draft.id))
    scene.refine(kept_result(scene.change(draft, "changed"), group="other", published=START))
    group_batches = scene.store.claim_groups(
        Claim(Job(RECIPE, Task.GATHER), ME, scene.now, 10, HOUR), window=timedelta(days=2)
    )
    stories_by_group = {batch.name: [story.id for story in batch.stories] for batch in group_batches}
    assert stories_by_group == {"day": ["s1"], "other": []}


@on_sqlite  # PostgreSQL chooses by statistics
def test_a_group_with_a_window_is_never_read_as_a_whole(scene: Scene):
    """A group may have collected millions of documents and stories: what is read is found by date or by id."""
    _gather(scene, make_story("s", "day", _keep_in_group(scene, "a")))
    _keep_in_group(scene, "b")
    statements: dict[str, tuple[Any, ...]] = {}

    def note(_connection, _cursor, statement, parameters, _context, _many) -> None:
        statements[statement] = parameters

    event.listen(scene.store.engine, "before_cursor_execute", note)
    group_batch = _claim_window(scene, timedelta(days=3))
    event.remove(scene.store.engine, "before_cursor_execute", note)
    assert len(group_batch.documents) == 2
    with scene.store.engine.connect() as connection:
        plans = [
            row[3]
            for statement, parameters in statements.items()
            if statement.startswith("SELECT")
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]
    read_whole = [
        plan for plan in plans if plan.startswith(("SCAN documents", "SCAN stor")) or "(group_id=?)" in plan
    ]
    # The changes of a group are few: they are forgotten once it is clustered.
    assert [plan for plan in read_whole if "group_changes" not in plan] == []
