"""A duplicate keeps its evidence and not its text: what depends on the text works without it."""

from hashlib import sha256

from tests.flow.test_cli_dedupe import COPY, OTHER, STORY
from tests.flow.test_dedupe_workers import assert_one_family, refine_batch, store_lead
from tests.support.scene import Scene

from headwater.model.jobs import State
from headwater.store.schema.flow import documents, revisions
from headwater.store.schema.knowledge import edges


def test_a_duplicate_keeps_everything_but_its_text(scene: Scene):
    original = store_lead(scene, "a", STORY)
    copy = store_lead(scene, "b", COPY, hours=3)
    refine_batch(scene.store, batch=2)
    assert scene.row(documents, id=original.document)["text"]
    row = scene.row(documents, id=copy.document)
    assert (row["state"], row["text"], row["title"]) == (State.DUPLICATE, "", "Port widens channel")
    assert row["published_at"] is not None
    last = row["trail"][-1]
    assert (last["notes"]["of"], last["notes"]["characters"]) == (original.document, len(COPY.strip()))
    assert last["notes"]["sha256"] == sha256(COPY.strip().encode()).hexdigest()
    (edge,) = scene.rows(edges)
    assert edge["evidence"]["compared_with"] == original.document


def test_copies_of_copies_are_recognised_by_the_text_of_the_original_one_by_one_and_together(scene: Scene):
    bodies = {"b": COPY, "c": f"{COPY} The port expects more ships.", "d": COPY.replace("18", "19")}
    store_lead(scene, "a", STORY)
    refine_batch(scene.store)
    for hours, (name, body) in enumerate(bodies.items(), 1):
        store_lead(scene, name, body, hours=hours)
        refine_batch(scene.store)
    assert_one_family(scene, 4)
    for hours, (name, body) in enumerate(bodies.items(), 10):
        store_lead(scene, name * 2, body, hours=hours)
    refine_batch(scene.store, batch=9)
    assert_one_family(scene, 7)
    assert {row["text"] for row in scene.rows(documents, state=State.DUPLICATE)} == {""}


def test_a_duplicate_that_becomes_another_report_is_kept_with_its_text(scene: Scene):
    store_lead(scene, "a", STORY)
    copy = store_lead(scene, "b", COPY, hours=3)
    refine_batch(scene.store, batch=2)
    store_lead(scene, "b", OTHER, hours=3, version="v2")
    refine_batch(scene.store)
    row = scene.row(documents, id=copy.document)
    assert (row["state"], row["text"], row["revision"]) == (State.KEPT, OTHER.strip(), 2)
    assert scene.row(revisions)["text"] == ""


def test_a_text_that_the_source_changes_into_that_of_another_document_is_not_shown_as_it_was(scene: Scene):
    first = store_lead(scene, "a", STORY, hours=3)
    other = store_lead(scene, "b", OTHER, hours=3)
    refine_batch(scene.store, batch=2)
    store_lead(scene, "a", OTHER, hours=3, version="v2")
    refine_batch(scene.store)
    row = scene.row(documents, id=first.document)
    assert (row["state"], row["duplicate_of"], row["revision"]) == (State.DUPLICATE, other.document, 2)
    assert scene.row(revisions)["text"] == STORY.strip()
