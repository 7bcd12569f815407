"""Changed names are searched again in stored documents: in batches, resumable, repeatable without harm."""

from dataclasses import replace

import pytest
from tests.support.scene import RECIPE, Scene, ended_result, kept_result, make_document

from headwater.documents.mentions.find_mentions import FindMentions
from headwater.documents.mentions.matcher import build_matcher
from headwater.model.document import Document, Mention
from headwater.model.jobs import State, Task
from headwater.model.recipe import StepContext
from headwater.model.subject import Alias, Subject
from headwater.ops.mention_rerun import searched_with, with_mentions_entry
from headwater.store.changes.mentions import MentionStore, RewriteCounts
from headwater.store.dedupe.copies import SEEN_FOR
from headwater.store.schema.knowledge import aliases, mentions, subjects

BRINDLE = Subject(
    id="brindle", name="Brindle", aliases=(Alias("Brindle", "brindle"), Alias("BRF", "brindle", "ticker"))
)
CALDER = Subject(id="calder", name="Calder", aliases=(Alias("Calder", "calder"),))


@pytest.fixture
def stored(scene: Scene) -> MentionStore:
    return MentionStore(scene.store.engine)


def step_for(*names: str) -> FindMentions:
    return FindMentions(build_matcher(Alias(name, name.lower()) for name in names))


def search(
    scene: Scene, stored: MentionStore, step: FindMentions, *, limit: int = 2, stop_after: int = 99
) -> list[RewriteCounts]:
    results, after = [], ""
    context = StepContext(RECIPE, scene.now, scene.store)
    while (batch := stored.kept_documents(RECIPE, after, limit)) and len(results) < stop_after:
        after = batch[-1].id
        stale = [document for document in batch if not searched_with(document, step)]
        changed_documents = [outcome for outcome in step(stale, context) if isinstance(outcome, Document)]
        results.append(
            stored.rewrite([with_mentions_entry(document, step) for document in changed_documents])
        )
    return results


def mention_pairs(scene: Scene) -> set[tuple[str, str]]:
    return {(row["document_id"], row["subject_id"]) for row in scene.rows(mentions)}


def test_r83_changed_names_are_found_in_stored_documents(scene: Scene, stored: MentionStore):
    drafts = scene.keep(
        "a", "b", "c", text="Brindle sold its mill to Calder.", mentions=(Mention("old", "alias", 0.7),)
    )
    search(scene, stored, step_for("Brindle", "Calder"))
    assert mention_pairs(scene) == {(draft.id, key) for draft in drafts for key in ("brindle", "calder")}
    row = scene.row(mentions, document_id=drafts[0].id, subject_id="calder")
    assert (row["kind"], row["confidence"], row["count"], row["offsets"]) == ("alias", 0.7, 1, [[25, 31]])
    search(scene, stored, step_for("Calder"))
    assert mention_pairs(scene) == {(draft.id, "calder") for draft in drafts}


def test_a_second_search_changes_nothing(scene: Scene, stored: MentionStore):
    scene.keep("a", "b", "c", text="Brindle sold its mill.")
    step = step_for("Brindle")
    assert sum(result.changed for result in search(scene, stored, step)) == 3
    before = sorted(scene.rows(mentions), key=repr)
    assert search(scene, stored, step) == [RewriteCounts(), RewriteCounts()]
    assert sorted(scene.rows(mentions), key=repr) == before


def test_a_search_goes_on_where_it_stopped(scene: Scene, stored: MentionStore):
    scene.keep("a", "b", "c", "d", text="Brindle sold its mill.")
    step = step_for("Brindle")
    assert search(scene, stored, step, stop_after=1) == [RewriteCounts(changed=2)]
    assert search(scene, stored, step) == [RewriteCounts(), RewriteCounts(changed=2)]


def test_documents_that_a_worker_holds_or_revised_are_skipped(scene: Scene, stored: MentionStore):
    leased, revised = scene.keep("a", "b", text="Brindle sold its mill.")
    searched = [
        replace(document, mentions=(Mention("x", "alias", 0.7),))
        for document in stored.kept_documents(RECIPE, "", 9)
    ]
    scene.change(leased, "next")
    again = scene.change(revised, "other")
    scene.refine(kept_result(again, text="Nothing of note."))
    assert stored.rewrite(searched) == RewriteCounts(passed_over=2)
    assert mention_pairs(scene) == set()
    assert scene.claim(Task.REFINE) == []


def test_r57_links_of_copies_survive_a_search(scene: Scene, stored: MentionStore):
    first, second = scene.drafts("a", "b")
    copy = ended_result(second, State.DUPLICATE, "duplicate:near", of=first.id, score=0.9)
    copy = replace(copy, document=make_document(second, subjects=("garnet",)))
    scene.refine(kept_result(first, text="Brindle sold its mill."), copy)
    search(scene, stored, step_for("Brindle"))
    kinds = {row["subject_id"]: row["kind"] for row in scene.rows(mentions)}
    assert kinds == {"brindle": "alias", "garnet": SEEN_FOR}
    search(scene, stored, step_for("Mill", "Garnet"))
    kinds = {row["subject_id"]: row["kind"] for row in scene.rows(mentions)}
    assert kinds == {"mill": "alias", "garnet": SEEN_FOR}


def test_r77_subjects_and_their_names_follow_the_list(scene: Scene, stored: MentionStore):
    (draft,) = scene.keep("a", mentions=(Mention("brindle", "alias", 0.7),))
    stored.declare(RECIPE, [BRINDLE, CALDER])
    stored.declare(RECIPE, [replace(BRINDLE, aliases=BRINDLE.aliases[:1])])
    assert [(row["alias"], row["kind"]) for row in scene.rows(aliases, subject_id="brindle")] == [
        ("Brindle", "alias")
    ]
    assert {row["id"]: row["active"] for row in scene.rows(subjects)} == {"brindle": True, "calder": False}
    listed = {row["id"]: (row["names"], row["documents"]) for row in stored.list_subjects(RECIPE)}
    assert listed == {"brindle": (1, 1), "calder": (1, 0)}
    assert draft.revision == 1
