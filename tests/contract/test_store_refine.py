"""Refined documents: kept or ended with a reason, with everything that hangs on them, in one transaction."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.scene import (
    HOUR,
    ME,
    RECIPE,
    START,
    Scene,
    ended_result,
    fingerprint,
    kept_result,
    make_document,
)

from headwater.model.document import Edge, FactValue, Mention, TrailEntry
from headwater.model.jobs import GatherResult, Postponement, State, Task
from headwater.model.keys import group_key
from headwater.store.schema.flow import deliveries, documents, groups, quarantine
from headwater.store.schema.knowledge import edges, facts, fingerprints, mentions


def test_a_kept_document_is_read_back_as_it_was_written(scene: Scene):
    (draft,) = scene.drafts("a")
    document = make_document(
        draft, canonical_url="https://wire.example/canonical", authors=("Ada Moss", "Bo Reed"), publisher="Wire",
        published=START - HOUR, modified=START, language="en", description="d", keywords=("k1", "k2"),
        image="https://wire.example/i.png", media_type="text/html", guid="g", subjects=("s1",), quality=0.75,
        attributes={"n": 1, "deep": {"x": [None, True]}}, origins={"title": "source"},
        trail=(TrailEntry("extract", "1", ("text",), {"score": 0.5}),),
    )  # fmt: skip
    assert scene.refine(replace(kept_result(draft), document=document)) == []
    assert scene.store.documents([draft.id, "unknown"]) == {draft.id: document}
    row = scene.row(documents)
    assert (row["state"], row["due_at"], row["lease_owner"], row["attempts"]) == (State.KEPT, None, None, 1)


@pytest.mark.parametrize(
    ("state", "reason"),
    [(State.DROPPED, "too_short"), (State.ASIDE, "js_required"), (State.QUARANTINED, "error:X")],
)
def test_an_ended_document_keeps_its_reason(scene: Scene, state: State, reason: str):
    (draft,) = scene.drafts("a")
    scene.refine(ended_result(draft, state, reason, detail="why", evidence={"words": 3}))
    row = scene.row(documents)
    assert (row["state"], row["reason"], row["detail"], row["due_at"]) == (state, reason, "why", None)
    apart = scene.rows(quarantine)
    if state is State.DROPPED:
        assert apart == []
    else:
        assert [(a["record_id"], a["task"], a["state"], a["reason"]) for a in apart] == [
            (draft.id, Task.REFINE, state, reason)
        ]


def test_a_document_that_failed_before_it_was_read_is_quarantined_too(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(ended_result(draft, State.QUARANTINED, "capture_damaged", document=False))
    assert (scene.row(documents)["state"], scene.row(quarantine)["reason"]) == (
        State.QUARANTINED,
        "capture_damaged",
    )


def test_a_duplicate_has_an_edge_to_its_original(scene: Scene):
    first, second = scene.drafts("a", "b")
    scene.refine(
        kept_result(first),
        ended_result(
            second, State.DUPLICATE, "duplicate:text", of=first.id, score=0.9, evidence={"text": "abc"}
        ),
    )
    row = scene.row(documents, id=second.id)
    assert (row["state"], row["duplicate_of"]) == (State.DUPLICATE, first.id)
    edge = scene.row(edges)
    assert (edge["from_id"], edge["to_id"], edge["relation"]) == (second.id, first.id, "duplicate")
    assert (edge["rule"], edge["score"], edge["evidence"]) == ("text", 0.9, {"text": "abc"})


@pytest.mark.parametrize(("counts", "attempts"), [(True, 1), (False, 0)])
def test_a_postponed_document_is_due_later(scene: Scene, counts: bool, attempts: int):
    (draft,) = scene.drafts("a")
    later = Postponement(at=START + HOUR, reason="model_busy", counts=counts)
    scene.refine(ended_result(draft, State.WAITING, "model_busy", document=False, later=later))
    row = scene.row(documents)
    assert (row["state"], row["due_at"], row["reason"]) == (State.WAITING, START + HOUR, "model_busy")
    assert (row["attempts"], row["lease_owner"]) == (attempts, None)
    scene.now = START + HOUR
    (again,) = scene.claim(Task.REFINE)
    assert (again.attempts, again.revision) == (attempts + 1, 1)


def test_everything_that_steps_found_is_stored_with_the_document(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(
        kept_result(
            draft,
            facts={"filing": FactValue({"form": "10-K"}, "filings", "2"), "none": FactValue(None, "s", "1")},
            mentions=(Mention("sub1", "company", 0.8, 2, ((0, 4), (9, 13))),),
            edges=(Edge("other", "related", "title", 0.7, {"words": 4}),),
        )
    )
    facts_by_name = {row["name"]: row for row in scene.rows(facts)}
    assert (facts_by_name["filing"]["value"], facts_by_name["filing"]["step"], facts_by_name["filing"]["version"]) == (
        {"form": "10-K"}, "filings", "2",
    )  # fmt: skip
    assert facts_by_name["none"]["value"] is None
    mention = scene.row(mentions)
    assert (mention["subject_id"], mention["count"], mention["offsets"]) == ("sub1", 2, [[0, 4], [9, 13]])
    edge = scene.row(edges)
    assert (edge["to_id"], edge["relation"], edge["evidence"]) == ("other", "related", {"words": 4})


def test_exclusive_fingerprints_belong_to_the_document(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(
        kept_result(
            draft, fingerprints=(fingerprint("x"), fingerprint("y", "url"), fingerprint("z", exclusive=False))
        )
    )
    requested = [fingerprint("x"), fingerprint("y", "url"), fingerprint("x", "url")]
    assert scene.store.fingerprint_owners(RECIPE, requested) == {
        fingerprint("x"): draft.id,
        fingerprint("y", "url"): draft.id,
    }
    assert scene.store.fingerprint_owners("other", requested) == {}
    assert scene.store.fingerprint_owners(RECIPE, []) == {}


@pytest.mark.parametrize("value", ["https://wire.example/" + "é1x" * 2000, "nul \x00", "half \ud800"])
def test_a_fingerprint_may_be_long_or_odd(scene: Scene, value: str):
    (draft,) = scene.drafts("a")
    scene.refine(kept_result(draft, fingerprints=(fingerprint(value),)))
    assert scene.store.fingerprint_owners(RECIPE, [fingerprint(value), fingerprint(value + "x")]) == {
        fingerprint(value): draft.id
    }
    (other,) = scene.drafts("b")
    assert scene.refine(kept_result(other, fingerprints=(fingerprint(value),))) == [other.id]


def test_a_taken_fingerprint_is_a_conflict_and_nothing_of_the_loser_is_written(scene: Scene):
    (first,) = scene.drafts("a")
    scene.refine(kept_result(first, fingerprints=(fingerprint("x"),)))
    (second,) = scene.drafts("b")
    before = {table.name: scene.rows(table) for table in (documents, fingerprints)}
    lost = kept_result(
        second, routes=("out",), fingerprints=(fingerprint("x"), fingerprint("new")), group="day",
        facts={"f": FactValue(1)}, mentions=(Mention("s", "k", 1.0),), edges=(Edge("o", "related", "r"),),
    )  # fmt: skip
    assert scene.refine(lost) == [second.id]
    assert {table.name: scene.rows(table) for table in (documents, fingerprints)} == before
    for table in (facts, mentions, edges, groups, deliveries, quarantine):
        assert scene.count(table) == 0, table.name
    assert scene.refine(ended_result(second, State.DUPLICATE, "duplicate:text", of=first.id)) == []


def test_in_one_batch_one_document_gets_a_fingerprint_and_the_other_is_decided_again(scene: Scene):
    drafts = scene.drafts("a", "b", "c")
    lost = scene.refine(
        *(kept_result(draft, fingerprints=(fingerprint("x"), fingerprint(draft.id))) for draft in drafts)
    )
    assert len(lost) == 2
    (winner,) = {draft.id for draft in drafts} - set(lost)
    assert scene.store.fingerprint_owners(RECIPE, [fingerprint("x")]) == {fingerprint("x"): winner}
    assert {row["document_id"] for row in scene.rows(fingerprints)} == {winner}
    assert {row["id"] for row in scene.rows(documents, state=State.KEPT)} == {winner}


def test_a_document_does_not_conflict_with_its_own_fingerprint(scene: Scene):
    (draft,) = scene.keep("a", fingerprints=(fingerprint("x"),))
    again = scene.change(draft, "changed")
    assert scene.refine(kept_result(again, fingerprints=(fingerprint("x"), fingerprint("x2")))) == []
    assert {row["value"] for row in scene.rows(fingerprints)} == {"x", "x2"}


def test_a_kept_document_that_loses_a_fingerprint_takes_no_other_with_it(scene: Scene):
    (first,) = scene.keep("a", fingerprints=(fingerprint("a"),))
    (other,) = scene.keep("b", fingerprints=(fingerprint("b"),))
    again = scene.change(first, "changed")
    assert scene.refine(kept_result(again, fingerprints=(fingerprint("b"), fingerprint("c")))) == [first.id]
    assert scene.store.fingerprint_owners(RECIPE, [fingerprint("a"), fingerprint("b"), fingerprint("c")]) == {
        fingerprint("a"): first.id,
        fingerprint("b"): other.id,
    }


def test_a_group_is_due_once_its_documents_have_settled(scene: Scene):
    first, second = scene.drafts("a", "b")
    scene.refine(kept_result(first, group="day"), settle=timedelta(seconds=30))
    assert scene.row(groups)["due_at"] == START + timedelta(seconds=30)
    scene.now = START + timedelta(seconds=10)
    scene.refine(kept_result(second, group="day"), settle=timedelta(seconds=30))
    row = scene.row(groups)
    assert (row["id"], row["name"], row["version"]) == (group_key(RECIPE, "day"), "day", 2)
    assert row["due_at"] == START + timedelta(seconds=40)
    assert scene.claim(Task.GATHER) == []


def test_a_document_that_changes_its_group_makes_both_groups_due(scene: Scene):
    (draft,) = scene.keep("a", group="monday")
    (group_batch,) = scene.claim(Task.GATHER)
    scene.store.finish_gather([GatherResult(group=group_batch.id, version=group_batch.version)], ME, START)
    scene.refine(kept_result(scene.change(draft, "changed"), group="tuesday"))
    assert {row["name"]: row["due_at"] for row in scene.rows(groups)} == {"monday": START, "tuesday": START}


def test_deliveries_open_once_per_route_and_revision(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(kept_result(draft, routes=("files", "hook")))
    rows = {row["route"]: row for row in scene.rows(deliveries)}
    assert set(rows) == {"files", "hook"}
    assert {(r["revision"], r["state"], r["due_at"], r["record_id"]) for r in rows.values()} == {
        (1, State.WAITING, START, draft.id)
    }
    again = scene.change(draft, "changed")
    scene.refine(kept_result(again, routes=("files",)))
    assert {row["route"]: row["revision"] for row in scene.rows(deliveries)} == {"files": 2, "hook": 1}


def test_an_ended_document_opens_no_delivery_and_makes_no_group_due(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(ended_result(draft, State.DROPPED, "spam"))
    assert scene.count(deliveries) == scene.count(groups) == 0


def test_what_a_document_held_before_stays_its_own_when_two_of_a_commit_lose(scene: Scene):
    (owner,) = scene.drafts("owner")
    scene.refine(kept_result(owner, fingerprints=(fingerprint("taken"),)))
    (old,) = scene.drafts("old")
    scene.refine(kept_result(old, fingerprints=(fingerprint("mine"),)))
    again = scene.change(old, "next")
    (new,) = scene.drafts("new")
    requested = (fingerprint("mine"), fingerprint("taken"), fingerprint("fresh"))
    lost = scene.refine(
        kept_result(again, fingerprints=requested),
        kept_result(new, fingerprints=(fingerprint("mine"), fingerprint("other"))),
    )
    assert sorted(lost) == sorted([old.id, new.id])
    owners = {row["value"]: row["document_id"] for row in scene.rows(fingerprints)}
    assert owners == {"taken": owner.id, "mine": old.id}
