"""Saved searches in rows: compared in the transaction that stores a record, sent through the outbox, repeated by nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
import structlog
from tests.support.scene import (
    HOUR,
    RECIPE,
    START,
    Scene,
    ended_result,
    kept_result,
    make_recipe,
    make_story,
)

from headwater.engine.context import JobContext
from headwater.engine.engine import Engine as Worker
from headwater.model.document import Document
from headwater.model.errors import Refused, Temporary
from headwater.model.jobs import GatherResult, Job, State, Task
from headwater.model.keys import group_key
from headwater.model.outcomes import Drop, Sent
from headwater.model.recipe import Envelope
from headwater.model.saved_search import Digest, SavedSearch, SearchAction, SearchDelivery, SearchState
from headwater.store.changes.saved_searches import SavedSearchStore
from headwater.store.connect import write_transaction
from headwater.store.maintenance.retention import Cutoffs, count_old, remove_matches
from headwater.store.reads.failing_deliveries import failing_deliveries
from headwater.store.reads.saved_searches import feed_entries, match_counts
from headwater.store.reads.stored_records import stored_documents
from headwater.store.schema.flow import deliveries, documents, groups, quarantine
from headwater.store.schema.search import search_entries
from headwater.store.schema.searches import digests, matches
from headwater.store.sql_store import SqlStore

DELIVER = Job(RECIPE, Task.DELIVER)


class WorkerDied(BaseException):
    """No code catches it: the worker is gone."""


@dataclass
class Notebook:
    """A channel that records what it was sent; it fails or ends its worker as often as it is told."""

    dying: int = 0
    failing: int = 0
    envelopes: list[Envelope] = field(default_factory=list)

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent]:
        if self.failing:
            self.failing -= 1
            raise Temporary("receiver_unreachable", "hook.example", delay=timedelta(minutes=1), counts=False)
        self.envelopes += envelopes
        if self.dying:
            self.dying -= 1
            raise WorkerDied
        return [Sent("noted")] * len(envelopes)


def search(name: str, query: str, **fields: Any) -> SavedSearch:
    return SavedSearch(id=f"id-{name}", name=name, query=query, created_at=START, **fields)


def save(scene: Scene, name: str, query: str, **fields: Any) -> SavedSearch:
    saved = search(name, query, **fields)
    SavedSearchStore(scene.store.engine).add(saved)
    return saved


def immediate(scene: Scene, name: str = "ships", query: str = "grain ships", **fields: Any) -> SavedSearch:
    return save(scene, name, query, delivery=SearchDelivery.IMMEDIATELY, channel="ops", **fields)


def deliver(scene: Scene, channel: Any, owner: str = "worker") -> int:
    context = JobContext(
        owner=owner,
        recipes={RECIPE: make_recipe()},
        store=scene.store,
        archive=None,
        clock=lambda: scene.now,
        log=structlog.get_logger(),
        sinks={"ops": channel} if channel else {},
        channels=("ops",) if channel else (),
    )
    return Worker(context).run(DELIVER)


def test_a_document_meets_a_search_in_the_transaction_that_stores_it(scene: Scene):
    immediate(scene)
    save(scene, "barley", "barley")
    (draft,) = scene.keep("a", title="Grain ships leave", text="The grain ship left.")
    (match,) = scene.rows(matches)
    assert (match["search_id"], match["record_id"], match["matched_at"]) == ("id-ships", draft.id, START)
    (delivery,) = scene.rows(deliveries)
    assert (delivery["route"], delivery["record_id"], delivery["state"]) == (
        "search:ships",
        draft.id,
        State.WAITING,
    )
    channel = Notebook()
    assert deliver(scene, channel) == 1
    (envelope,) = channel.envelopes
    assert isinstance(envelope.record, Document)
    assert envelope.record.title == "Grain ships leave"
    assert deliver(scene, channel) == 0


def test_a_worker_sees_a_new_search_without_a_restart_and_a_paused_one_matches_nothing(scene: Scene):
    scene.keep("before", title="Grain ships")
    assert scene.count(matches) == 0
    other = SavedSearchStore(scene.store.engine)
    other.add(search("ships", "grain ships"))
    scene.keep("after", title="Grain ships")
    assert scene.count(matches) == 1
    other.set_state("ships", SearchState.PAUSED, scene.now)
    scene.keep("paused", title="Grain ships")
    assert scene.count(matches) == 1
    other.set_state("ships", SearchState.ACTIVE, scene.now)
    scene.keep("resumed", title="Grain ships")
    assert scene.count(matches) == 2


def test_a_revision_is_no_second_match_but_may_be_the_first(scene: Scene):
    immediate(scene)
    first, second = scene.keep("a", "b", title="Grain ships")
    scene.refine(kept_result(scene.change(first, "other"), title="Grain ships again"))
    assert scene.count(matches) == 2
    save(scene, "barley", "barley")
    scene.refine(kept_result(scene.change(second, "new"), title="Barley and grain ships"))
    assert {(row["search_id"], row["record_id"], row["revision"]) for row in scene.rows(matches)} == {
        ("id-ships", first.id, 1),
        ("id-ships", second.id, 1),
        ("id-barley", second.id, 2),
    }
    assert scene.count(deliveries) == 2


def test_a_story_meets_a_search_once_however_often_it_is_clustered(scene: Scene):
    immediate(scene)
    save(scene, "documents", "grain", record_kind="document")
    (draft,) = scene.keep("a", title="Something else", group="g")
    for revision in (1, 2):
        (group,) = scene.claim(Task.GATHER)
        story = make_story("grain ships", "g", draft.id, revision=revision, summary="Ships left.")
        result = GatherResult(group=group.id, version=group.version, stories=(story,))
        scene.store.finish_gather([result], "me", scene.now)
        with write_transaction(scene.store.engine) as connection:
            connection.execute(groups.update().values(due_at=scene.now))
    assert [(row["search_id"], row["record_kind"], row["revision"]) for row in scene.rows(matches)] == [
        ("id-ships", "story", 1)
    ]
    assert scene.count(deliveries) == 1


def test_a_kill_while_sending_loses_nothing_and_sends_again_with_the_same_key(scene: Scene):
    immediate(scene)
    scene.keep("a", title="Grain ships")
    channel = Notebook(dying=1)
    with pytest.raises(WorkerDied):
        deliver(scene, channel, "victim")
    assert deliver(scene, channel) == 0
    scene.store.release(["victim"], counts=True)
    assert deliver(scene, channel) == 1
    assert len(channel.envelopes) == 2
    assert len({envelope.key for envelope in channel.envelopes}) == 1
    assert scene.row(deliveries)["state"] == State.DONE


def test_a_kill_before_the_commit_repeats_nothing_after_it(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    immediate(scene)
    (draft,) = scene.drafts("a")
    with monkeypatch.context() as patch:
        patch.setattr(
            "headwater.store.claims.matches.insert_rows", lambda *_: (_ for _ in ()).throw(WorkerDied)
        )
        with pytest.raises(WorkerDied):
            scene.refine(kept_result(draft, title="Grain ships"))
    assert (scene.count(matches), scene.count(deliveries)) == (0, 0)
    assert scene.row(documents)["state"] == State.WAITING
    for _ in range(2):  # the second commit has lost its lease
        scene.refine(kept_result(draft, title="Grain ships"))
    assert (scene.count(matches), scene.count(deliveries)) == (1, 1)


@pytest.mark.parametrize(
    ("delivery", "period"), [(SearchDelivery.HOURLY, HOUR), (SearchDelivery.DAILY, timedelta(days=1))]
)
def test_a_digest_collects_until_it_is_sent_and_later_matches_go_into_the_next(
    scene: Scene, delivery: SearchDelivery, period: timedelta
):
    save(scene, "ships", "grain", delivery=delivery, channel="ops")
    scene.keep("a", title="Grain one")
    scene.now += timedelta(minutes=20)
    scene.keep("b", title="Grain two")
    until = START + HOUR if period == HOUR else START.replace(hour=0) + period
    row = scene.row(deliveries)
    assert (row["record_kind"], row["due_at"]) == ("digest", until)
    channel = Notebook(dying=1)
    assert deliver(scene, channel) == 0
    scene.now = until
    with pytest.raises(WorkerDied):
        deliver(scene, channel, "victim")
    scene.now = until - timedelta(seconds=1)  # a transaction that began earlier and commits now
    scene.keep("late", title="Grain three")
    scene.now = until + timedelta(seconds=1)
    scene.store.release(["victim"], counts=True)
    assert deliver(scene, channel) == 1
    first, again = (envelope.record for envelope in channel.envelopes)
    assert first == again
    assert isinstance(first, Digest)
    assert [entry.title for entry in first.entries] == ["Grain two", "Grain one"]
    assert len({envelope.key for envelope in channel.envelopes}) == 1
    scene.now = until + period
    assert deliver(scene, channel) == 1
    assert [entry.title for entry in channel.envelopes[-1].record.entries] == ["Grain three"]
    assert scene.count(digests) == 2


def test_a_failing_channel_is_retried_and_reported(scene: Scene):
    immediate(scene)
    scene.keep("a", title="Grain ships")
    channel = Notebook(failing=1)
    assert deliver(scene, channel) == 1
    (row,) = failing_deliveries(scene.store.engine)
    assert (row["route"], row["reason"], row["count"]) == ("search:ships", "receiver_unreachable", 1)
    scene.now += timedelta(minutes=2)
    assert deliver(scene, channel) == 1
    assert failing_deliveries(scene.store.engine) == []
    assert len(channel.envelopes) == 1


def test_deliveries_to_a_deleted_channel_wait_and_those_of_a_removed_search_end(scene: Scene):
    immediate(scene)
    scene.keep("a", title="Grain ships")
    assert deliver(scene, None) == 1
    row = scene.row(deliveries)
    assert (row["state"], row["reason"], row["attempts"]) == (State.WAITING, "channel_deleted", 0)
    assert SavedSearchStore(scene.store.engine).remove("ships") == 1
    assert (scene.row(deliveries)["state"], scene.row(deliveries)["reason"]) == ("dropped", "search_removed")
    assert scene.count(matches) == 0


def test_a_leased_delivery_of_a_removed_search_is_dropped(scene: Scene):
    immediate(scene)
    scene.keep("a", title="Grain ships")
    scene.claim(Task.DELIVER, "other")
    SavedSearchStore(scene.store.engine).remove("ships")
    scene.store.release(["other"], counts=False)
    channel = Notebook()
    assert deliver(scene, channel) == 1
    assert channel.envelopes == []
    assert scene.row(deliveries)["reason"] == "search_removed"


def test_a_search_that_is_no_longer_sent_keeps_its_matches_and_ends_its_deliveries(scene: Scene):
    search = immediate(scene)
    for name in ("a", "b"):
        scene.keep(name, title="Grain ships")
    scene.claim(Task.DELIVER, "other", limit=1)
    quiet = replace(search, delivery=SearchDelivery.NONE, channel="")
    SavedSearchStore(scene.store.engine).change(quiet, scene.now)
    scene.store.release(["other"], counts=False)
    channel = Notebook()
    assert deliver(scene, channel) == 1
    assert channel.envelopes == []
    assert {(row["state"], row["reason"]) for row in scene.rows(deliveries)} == {
        ("dropped", "no_longer_sent")
    }
    assert scene.count(matches) == 2


@pytest.mark.parametrize(
    "without_digests", [("", SearchDelivery.NONE), ("queue", SearchDelivery.IMMEDIATELY)]
)
def test_a_digest_that_is_switched_off_and_on_again_sends_what_matches_from_then_on(
    scene: Scene, without_digests: tuple[str, SearchDelivery]
):
    hourly = save(scene, "ships", "grain", delivery=SearchDelivery.HOURLY, channel="ops")
    scene.keep("a", title="Grain one")
    store, (channel_name, delivery) = SavedSearchStore(scene.store.engine), without_digests
    store.change(replace(hourly, delivery=delivery, channel=channel_name), scene.now)
    store.change(hourly, scene.now)
    scene.keep("b", title="Grain two")
    scene.now += 2 * HOUR
    channel = Notebook()
    assert deliver(scene, channel) == 1
    (envelope,) = channel.envelopes
    assert isinstance(envelope.record, Digest)
    assert [entry.title for entry in envelope.record.entries] == ["Grain two"]


def test_a_name_is_taken_once_and_an_unknown_name_is_refused(scene: Scene):
    immediate(scene)
    with pytest.raises(Refused, match="remove it"):
        immediate(scene)
    with pytest.raises(Refused, match="searches list"):
        SavedSearchStore(scene.store.engine).remove("other")


def test_the_feed_has_the_newest_matches_first(scene: Scene):
    ships = immediate(scene)
    scene.keep("a", title="Grain ships one")
    scene.now += HOUR
    scene.keep("b", title="Grain ships two")
    entries = feed_entries(scene.store.engine, ships)
    assert [entry.title for entry in entries] == ["Grain ships two", "Grain ships one"]
    assert [entry.title for entry in feed_entries(scene.store.engine, ships, 1)] == ["Grain ships two"]
    assert match_counts(scene.store.engine) == {"id-ships": (2, scene.now)}


@pytest.mark.parametrize(
    ("action", "state"),
    [
        (SearchAction.DROP, State.DROPPED),
        (SearchAction.QUARANTINE, State.ASIDE),
        (SearchAction.TAG, State.KEPT),
    ],
)
def test_a_rule_is_applied_to_stored_documents_and_again_without_effect(
    scene: Scene, action: SearchAction, state: State
):
    matching, other = scene.keep("a", "b", title="Grain ships", group="g")
    scene.refine(kept_result(scene.change(other, "x"), title="Something else", group="g"))
    rule = save(scene, "grain", "grain", action=action, recipe=RECIPE)
    store = SavedSearchStore(scene.store.engine)
    for expected in (1, 0):
        read = [
            stored.record
            for batch in stored_documents(scene.store.engine, [RECIPE])
            for stored in batch
            if "grain" in stored.searched.terms
        ]
        assert store.apply_rule(rule, read, scene.now).changed == expected if read else expected == 0
    row = scene.row(documents, id=matching.id)
    assert (row["state"], row["reason"]) == (state, None if action is SearchAction.TAG else "search:grain")
    assert scene.row(documents, id=other.id)["state"] == State.KEPT
    assert match_counts(scene.store.engine)[rule.id][0] == 1
    if action is SearchAction.TAG:
        assert row["attributes"]["tags"] == ["grain"]
    else:
        assert row["group_id"] is None
        assert scene.row(groups, id=group_key(RECIPE, "g"))["due_at"] == scene.now
    assert scene.count(quarantine) == (1 if action is SearchAction.QUARANTINE else 0)
    assert scene.count(search_entries) == (2 if action is SearchAction.TAG else 1)


def test_a_document_that_a_worker_holds_is_passed_over(scene: Scene):
    (draft,) = scene.keep("a", title="Grain ships")
    rule = save(scene, "grain", "grain", action=SearchAction.DROP, recipe=RECIPE)
    read = [stored.record for batch in stored_documents(scene.store.engine, [RECIPE]) for stored in batch]
    scene.change(draft, "new")
    counts = SavedSearchStore(scene.store.engine).apply_rule(rule, read, scene.now)
    assert (counts.changed, counts.passed_over) == (0, 1)


def test_the_rules_of_a_recipe_are_a_step(scene: Scene):
    store: SqlStore = scene.store
    assert store.rules_step(RECIPE, {}) is None
    save(scene, "grain", "grain", action=SearchAction.DROP, recipe=RECIPE)
    save(scene, "other", "grain", action=SearchAction.DROP, recipe="other")
    save(scene, "tagged", "ships", action=SearchAction.TAG, recipe=RECIPE)
    step = store.rules_step(RECIPE, {})
    assert step is not None
    kept = Document(id="d", recipe=RECIPE, source="s", lead="l", url="", title="Ships", language="en")
    tagged = step.decide(kept, scene.now)
    assert isinstance(tagged, Document)
    assert tagged.attributes["tags"] == ["tagged"]
    outcome = step.decide(kept.with_changes(title="Grain ships"), scene.now)
    assert outcome == Drop("search:grain", evidence={"searches": ["grain"]})


def test_what_a_rule_ends_is_a_match_of_the_rule_and_nothing_is_sent(scene: Scene):
    rule = save(scene, "grain", "grain", action=SearchAction.DROP, recipe=RECIPE)
    first, second = scene.drafts("a", "b")
    results = [
        ended_result(
            draft, State.DROPPED, rule.route, document=False, evidence={"searches": ["grain", "gone"]}
        )
        for draft in (first, second)
    ]
    scene.refine(results[0])
    scene.refine(*results, owner="no longer its owner")
    assert match_counts(scene.store.engine) == {rule.id: (1, scene.now)}
    assert scene.count(deliveries) == 0


def test_a_rule_that_ends_documents_does_not_become_a_search_that_keeps_them(scene: Scene):
    rule = save(scene, "grain", "grain", action=SearchAction.DROP, recipe=RECIPE)
    store = SavedSearchStore(scene.store.engine)
    store.change(replace(rule, action=SearchAction.QUARANTINE), scene.now)
    with pytest.raises(Refused, match="is quarantine and cannot become deliver"):
        store.change(replace(rule, action=SearchAction.DELIVER), scene.now)
    kept = save(scene, "ships", "ships", recipe=RECIPE)
    store.change(replace(kept, action=SearchAction.TAG), scene.now)
    with pytest.raises(Refused, match="is tag and cannot become drop"):
        store.change(replace(kept, action=SearchAction.DROP), scene.now)


def test_old_matches_and_the_digests_in_which_they_were_sent_are_removed(scene: Scene):
    save(scene, "feed", "grain")
    save(scene, "hourly", "grain", delivery=SearchDelivery.HOURLY, channel="ops")
    scene.keep("old", title="Grain ships")
    engine, later = scene.store.engine, scene.now + timedelta(days=400)
    # A digest that was not sent yet keeps its matches.
    assert remove_matches(engine, later) == 1
    scene.now += 2 * HOUR
    assert deliver(scene, Notebook()) == 1
    scene.now = later
    scene.keep("new", title="Grain ships")
    before = later - timedelta(days=365)
    assert count_old(engine, Cutoffs(matches=before))["matches"] == 1
    assert (remove_matches(engine, before), remove_matches(engine, before)) == (1, 0)
    assert {row["matched_at"] for row in scene.rows(matches)} == {later}
    assert scene.count(digests) == 1
    assert [row["state"] for row in scene.rows(deliveries)] == [State.WAITING]
