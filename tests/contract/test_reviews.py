"""Samples for reviews and their verdicts, on both databases."""

import pytest
from tests.support.scene import HOUR, RECIPE, Scene, ended_result

from headwater.model.errors import Refused
from headwater.model.jobs import State
from headwater.model.review import ReviewVerdict
from headwater.store.changes.reviews import ReviewStore, SampleRequest


def test_a_sample_keeps_its_documents_and_verdicts_when_it_is_drawn_again(scene: Scene):
    drafts = scene.keep(*(f"page-{number}" for number in range(20)))
    (copy,) = scene.drafts("copy")
    scene.refine(ended_result(copy, State.DUPLICATE, "duplicate:text", of=drafts[0].id))
    store = ReviewStore(scene.store.engine)
    request = SampleRequest(recipe=RECIPE, share=0.2, seed="s1")
    assert store.draw(request, scene.now) == 4
    sample = [row["document_id"] for row in store.list_reviews("trial-s1")]
    assert copy.id not in sample
    verdict = {"reviewer": "Ada Vane", "reason": "another date", "fields": ["published"]}
    with pytest.raises(Refused, match="no field 'publishd'; it has: "):
        store.give_verdict(
            sample[0], ReviewVerdict.WRONG, now=scene.now, **verdict | {"fields": ["publishd"]}
        )
    names = store.give_verdict(sample[0], ReviewVerdict.WRONG, now=scene.now + HOUR, **verdict)
    assert names == ["trial-s1"]
    assert store.draw(request, scene.now + HOUR) == 0
    assert store.draw(SampleRequest(recipe=RECIPE, share=0.2, seed="s2"), scene.now) == 4
    (row,) = [row for row in store.list_reviews("trial-s1") if row["verdict"]]
    assert (row["document_id"], row["verdict"], row["reviewer"]) == (sample[0], "wrong", "Ada Vane")
    assert (row["reason"], row["fields"], row["reviewed_at"]) == (
        "another date",
        ["published"],
        scene.now + HOUR,
    )
    assert len(store.list_reviews("trial-s1", open_only=True)) == 3


def test_duplicates_can_be_drawn_to_judge_the_verdict_about_them(scene: Scene):
    (original,) = scene.keep("page")
    (copy,) = scene.drafts("copy")
    scene.refine(ended_result(copy, State.DUPLICATE, "duplicate:text", of=original.id))
    store = ReviewStore(scene.store.engine)
    request = SampleRequest(recipe=RECIPE, share=1.0, seed="s", states=(State.DUPLICATE,))
    assert store.draw(request, scene.now) == 1
    (row,) = store.list_reviews()
    assert (row["document_id"], row["duplicate_of"]) == (copy.id, original.id)


def test_a_period_bounds_the_sample_and_a_document_outside_any_sample_gets_no_verdict(scene: Scene):
    (draft,) = scene.keep("page")
    store = ReviewStore(scene.store.engine)
    request = SampleRequest(recipe=RECIPE, share=1.0, seed="s", since=scene.now + HOUR)
    assert store.draw(request, scene.now) == 0
    with pytest.raises(Refused, match="no sample has"):
        store.give_verdict(draft.id, ReviewVerdict.RIGHT, reviewer="Ada", reason="", fields=(), now=scene.now)
