"""A copy that came for another subject says that its original concerns that subject too."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.scene import Scene, ended_result, kept_result, make_document, make_lead, make_source

from headwater.model.document import Mention
from headwater.model.jobs import Draft, RefineResult, State, Task
from headwater.store.dedupe.copies import SEEN_FOR
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import mentions


def copy(draft: Draft, of: Draft, *subjects: str) -> RefineResult:
    result = ended_result(draft, State.DUPLICATE, "duplicate:near", of=of.id, score=0.9)
    return replace(result, document=make_document(draft, subjects=subjects))


def mention_kinds(scene: Scene, draft: Draft) -> dict[str, str]:
    rows: list[dict[str, Any]] = scene.rows(mentions)
    return {row["subject_id"]: row["kind"] for row in rows if row["document_id"] == draft.id}


def test_r57_a_copy_for_another_subject_is_a_mention_of_the_original(scene: Scene):
    first, second = scene.drafts("a", "b")
    scene.refine(kept_result(first, subjects=("calder",)))
    scene.refine(copy(second, first, "brindle", "calder"))
    assert mention_kinds(scene, first) == {"brindle": SEEN_FOR}
    assert mention_kinds(scene, second) == {}


def test_r57_original_and_copy_in_one_commit(scene: Scene):
    first, second = scene.drafts("a", "b")
    scene.refine(kept_result(first), copy(second, first, "brindle"))
    assert mention_kinds(scene, first) == {"brindle": SEEN_FOR}


def test_r57_what_the_text_says_stands(scene: Scene):
    first, second, third = scene.drafts("a", "b", "c")
    mention = Mention("brindle", "ticker", 0.9, 2, ((0, 3), (9, 12)))
    scene.refine(kept_result(first, mentions=(mention,)), copy(second, first, "brindle"))
    scene.refine(copy(third, first, "brindle"))
    (row,) = scene.rows(mentions)
    assert (row["kind"], row["confidence"], row["count"]) == ("ticker", 0.9, 2)


def test_r57_a_revised_original_keeps_its_links(scene: Scene):
    first, second = scene.drafts("a", "b")
    scene.refine(kept_result(first), copy(second, first, "brindle"))
    second_lead = scene.change(first, "another body")
    assert second_lead.revision == 2
    scene.refine(kept_result(second_lead, mentions=(Mention("dovetail", "alias", 0.7),)))
    assert mention_kinds(scene, first) == {"brindle": SEEN_FOR, "dovetail": "alias"}


def test_r57_a_copy_that_was_not_written_links_nothing(scene: Scene):
    first, second = scene.drafts("a", "b")
    scene.refine(kept_result(first))
    scene.refine(copy(second, first, "brindle"), owner="another worker")
    assert mention_kinds(scene, first) == {}
    states = {row["id"]: row["state"] for row in scene.rows(documents)}
    assert states[second.id] == State.WAITING


@pytest.mark.parametrize("reported_before_it_was_kept", [True, False])
def test_r57_the_same_address_from_a_source_of_another_subject(
    scene: Scene, reported_before_it_was_kept: bool
):
    other = make_source("Post", subject="brindle")
    lead = scene.lead("a", subject="calder")
    second_lead = make_lead("p", source=other, url=lead.lead.url)
    scene.poll(lead)
    scene.fetch(lead)
    (draft,) = scene.claim(Task.REFINE)
    if reported_before_it_was_kept:
        scene.poll(second_lead, source=other)
    scene.refine(kept_result(draft, subjects=("calder",)))
    if not reported_before_it_was_kept:
        scene.poll(second_lead, source=other)
    assert mention_kinds(scene, draft) == {"brindle": SEEN_FOR}


def test_r57_the_same_address_as_a_copy_counts_for_the_original(scene: Scene):
    first, second = scene.drafts("a", "b")
    scene.refine(kept_result(first), copy(second, first))
    other = make_source("Post", subject="brindle")
    scene.poll(make_lead("p", source=other, url=second.lead.lead.url), source=other)
    assert mention_kinds(scene, first) == {"brindle": SEEN_FOR}
    assert mention_kinds(scene, second) == {}
