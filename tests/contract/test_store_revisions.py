"""A page that changed is a new revision of the same document; no revision disappears."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.scene import HOUR, ME, RECIPE, START, Scene, ended_result, kept_result

from headwater.model.document import FactValue, Mention, TrailEntry
from headwater.model.jobs import Draft, FetchResult, Postponement, Quarantine, State, Task
from headwater.model.source import StoredLead
from headwater.store.changes.operations import Operations
from headwater.store.schema.flow import documents, quarantine, revisions
from headwater.store.schema.knowledge import edges, facts, mentions


def test_a_new_revision_replaces_the_document_and_the_old_one_is_kept_beside_it(scene: Scene):
    (first,) = scene.keep(
        "a", title="Old", text="Old text", published=START, trail=(TrailEntry("extract", "1"),)
    )
    scene.now = START + HOUR
    second = scene.change(first, "changed")
    assert (second.id, second.revision) == (first.id, 2)
    assert scene.store.documents([first.id])[first.id].text == "Old text"
    scene.refine(kept_result(second, title="New", text="New text"))
    row = scene.row(documents)
    assert (row["revision"], row["title"], row["text"], row["state"]) == (2, "New", "New text", State.KEPT)
    assert (row["capture_id"], row["next_capture_id"]) == (second.capture.id, None)
    old = scene.row(revisions)
    assert (old["revision"], old["title"], old["text"], old["state"]) == (1, "Old", "Old text", State.KEPT)
    assert (old["capture_id"], old["created_at"]) == (first.capture.id, START)
    assert old["trail"][0]["step"] == "extract"


def test_a_revision_replaces_what_was_found_out(scene: Scene):
    fields = {
        "facts": {"f": FactValue(1, "s", "1"), "old": FactValue(2)},
        "mentions": (Mention("one", "k", 1.0),),
    }
    (first,) = scene.keep("a", **fields)
    scene.refine(
        kept_result(
            scene.change(first, "x"),
            facts={"f": FactValue(9, "s", "2")},
            mentions=(Mention("two", "k", 0.5),),
        )
    )
    assert [(row["name"], row["value"], row["version"]) for row in scene.rows(facts)] == [("f", 9, "2")]
    assert [row["subject_id"] for row in scene.rows(mentions)] == ["two"]


@pytest.mark.parametrize("state", [State.DROPPED, State.ASIDE, State.QUARANTINED, State.DUPLICATE])
def test_a_worse_revision_does_not_replace_a_good_one(scene: Scene, state: State):
    (first,) = scene.keep("a", text="Good", facts={"f": FactValue(1)})
    second = scene.change(first, "bad")
    of = first.id if state is State.DUPLICATE else None
    scene.refine(ended_result(second, state, "paywall", of=of))
    row = scene.row(documents)
    assert (row["state"], row["revision"], row["text"]) == (State.KEPT, 1, "Good")
    assert (row["due_at"], row["lease_owner"], row["next_capture_id"]) == (None, None, None)
    assert "paywall" in row["reason"]
    beside = scene.row(revisions)
    assert (beside["revision"], beside["state"], beside["reason"]) == (2, state, "paywall")
    assert beside["capture_id"] == second.capture.id
    assert scene.count(facts) == 1
    assert scene.count(edges) == 0


def test_worse_revisions_have_numbers_of_their_own_and_none_is_overwritten(scene: Scene):
    (first,) = scene.keep("a", text="one")
    for number, body in enumerate(("bad", "worse"), start=2):
        draft = scene.change(first, body, version=f"v{number}")
        assert draft.revision == number
        scene.refine(ended_result(draft, State.DROPPED, body))
    fourth = scene.change(first, "good", version="v4")
    scene.refine(kept_result(fourth, text="four"))
    fifth = scene.change(first, "better", version="v5")
    scene.refine(kept_result(fifth, text="five"))
    assert (scene.row(documents)["revision"], scene.row(documents)["text"]) == (5, "five")
    beside = {row["revision"]: row for row in scene.rows(revisions)}
    assert {number: row["state"] for number, row in beside.items()} == {
        1: State.KEPT,
        2: State.DROPPED,
        3: State.DROPPED,
        4: State.KEPT,
    }
    assert (beside[1]["text"], beside[4]["text"]) == ("one", "four")
    assert (beside[2]["reason"], beside[3]["reason"]) == ("bad", "worse")


def test_a_better_revision_brings_an_ended_document_in_and_its_end_stays_on_record(scene: Scene):
    first, other = scene.drafts("a", "b")
    scene.refine(ended_result(first, State.DUPLICATE, "duplicate:text", of=other.id), kept_result(other))
    scene.refine(kept_result(scene.change(first, "own words"), text="Own words"))
    row = scene.row(documents, id=first.id)
    assert (row["state"], row["revision"], row["duplicate_of"], row["reason"]) == (State.KEPT, 2, None, None)
    beside = scene.row(revisions)
    assert (beside["revision"], beside["state"], beside["reason"]) == (1, State.DUPLICATE, "duplicate:text")
    assert scene.rows(edges, from_id=first.id, relation="duplicate") == []


def test_a_capture_that_comes_while_the_document_is_refined_is_refined_next(scene: Scene):
    (first,) = scene.drafts("a")
    changed = scene.lead("a", version="v2")
    scene.poll(changed)
    (newer,) = scene.fetch(changed, body="newer")
    scene.refine(kept_result(first, text="from the older capture"))
    row = scene.row(documents)
    assert (row["state"], row["revision"], row["capture_id"]) == (State.KEPT, 1, first.capture.id)
    (second,) = scene.claim(Task.REFINE)
    assert (second.revision, second.capture) == (2, newer)
    scene.refine(kept_result(second, text="from the newer capture"))
    assert scene.row(documents)["text"] == "from the newer capture"
    assert scene.claim(Task.REFINE) == []


@pytest.mark.parametrize("state", [State.DROPPED, State.QUARANTINED, None])
def test_a_newer_capture_is_refined_whatever_became_of_the_older(scene: Scene, state: State | None):
    (first,) = scene.drafts("a")
    changed = scene.lead("a", version="v2")
    scene.poll(changed)
    (newer,) = scene.fetch(changed, body="newer")
    later = Postponement(at=START, reason="busy") if state is None else None
    scene.refine(ended_result(first, state or State.WAITING, "bad", later=later, document=False))
    (again,) = scene.claim(Task.REFINE)
    assert again.capture == newer


def test_a_good_document_with_a_newer_capture_survives_a_bad_one_in_between(scene: Scene):
    (first,) = scene.keep("a", text="one")
    second = scene.change(first, "bad")
    third = scene.lead("a", version="v3")
    scene.poll(third)
    (newer,) = scene.fetch(third, body="good again")
    scene.refine(ended_result(second, State.DROPPED, "bad"))
    (again,) = scene.claim(Task.REFINE)
    assert (again.capture, again.revision) == (newer, 3)


def test_a_later_success_ends_the_quarantine(scene: Scene):
    (first,) = scene.drafts("a")
    scene.refine(ended_result(first, State.QUARANTINED, "error:X"))
    assert scene.count(quarantine) == 1
    scene.refine(kept_result(scene.change(first, "better")))
    assert scene.count(quarantine) == 0


def test_a_kept_document_whose_revision_was_quarantined_stays_kept_when_that_is_dropped(scene: Scene):
    (first,) = scene.keep("a", text="one")
    scene.refine(ended_result(scene.change(first, "bad"), State.QUARANTINED, "error:X"))
    assert Operations(scene.store.engine).drop([first.id], None) == 1
    row = scene.row(documents)
    assert (row["state"], row["text"], row["due_at"]) == (State.KEPT, "one", None)
    assert scene.count(quarantine) == 0


def test_a_quarantined_revision_of_a_kept_document_is_tried_again_from_its_own_capture(scene: Scene):
    (first,) = scene.keep("a", text="one")
    second = scene.change(first, "new bytes")
    scene.refine(ended_result(second, State.QUARANTINED, "error:X"))
    assert Operations(scene.store.engine).retry([first.id], RECIPE, START) == 1
    assert scene.row(documents)["state"] == State.KEPT
    (again,) = scene.claim(Task.REFINE)
    assert again.capture == second.capture
    scene.refine(kept_result(again, text="two"))
    assert (scene.row(documents)["text"], scene.row(documents)["revision"]) == ("two", again.revision)
    assert sorted(row["text"] for row in scene.rows(revisions) if row["state"] == State.KEPT) == ["one"]


def corrected_lead(draft: Draft, **fields: Any) -> StoredLead:
    return replace(draft.lead, lead=replace(draft.lead.lead, version="v2", **fields))


def fetch_in_vain(scene: Scene, **result: Any) -> None:
    """The page is requested again, and brings nothing new."""
    (lead,) = scene.claim(Task.FETCH)
    outcome = FetchResult(lead=lead.id, version=lead.lead.version, **({"result": None} | result))
    scene.store.finish_fetch([outcome], ME, scene.now)


@pytest.mark.parametrize(
    "result",
    [{}, {"drop_reason": "http_404"}, {"result": Quarantine(reason="reset")}],
    ids=["same", "gone", "down"],
)
def test_an_item_that_its_source_corrects_gets_a_revision_although_its_page_is_the_same(
    scene: Scene, result: dict[str, Any]
):
    (draft,) = scene.keep("a")
    scene.poll(corrected_lead(draft, title="The corrected title"))
    fetch_in_vain(scene, **result)
    (next_draft,) = scene.claim(Task.REFINE)
    assert (next_draft.revision, next_draft.lead.lead.title) == (2, "The corrected title")
    assert next_draft.capture == draft.capture


def test_a_correction_with_a_changed_page_is_one_revision(scene: Scene):
    (draft,) = scene.keep("a")
    lead = corrected_lead(draft, title="The corrected title")
    scene.poll(lead)
    scene.fetch(lead, body="The corrected page.")
    (next_draft,) = scene.claim(Task.REFINE)
    scene.refine(kept_result(next_draft))
    assert (next_draft.revision, scene.claim(Task.REFINE)) == (2, [])


def test_a_correction_that_comes_while_the_document_is_refined_is_not_lost(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.poll(corrected_lead(draft, title="The corrected title"))
    fetch_in_vain(scene)
    scene.refine(kept_result(draft))
    (next_draft,) = scene.claim(Task.REFINE)
    assert (next_draft.revision, next_draft.lead.lead.title) == (1, "The corrected title")


def test_a_page_that_is_only_visited_again_gets_no_revision(scene: Scene):
    (draft,) = scene.keep("a")
    scene.poll(corrected_lead(draft))
    fetch_in_vain(scene)
    assert scene.claim(Task.REFINE) == []
