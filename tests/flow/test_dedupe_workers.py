"""Several workers with the same rules find the same families, at the same time and when they decide again."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog
from tests.flow.test_cli_dedupe import COPY, OTHER, STORY
from tests.support.deadline import DEADLINE
from tests.support.scene import HOUR, RECIPE, START, Scene, make_lead

from headwater.documents.dedupe.drop_duplicates import DropDuplicates
from headwater.engine.context import JobContext
from headwater.engine.refine import refine
from headwater.engine.retry_policy import RetryPolicy
from headwater.extract.plain_text import read_plain
from headwater.model.document import FingerprintLookup
from headwater.model.jobs import Job, State, Task
from headwater.model.recipe import Recipe
from headwater.model.source import StoredLead, Trigger
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import dedupe_bands, edges, sentence_counts
from headwater.store.sql_store import SqlStore

recipe = Recipe(
    name=RECIPE,
    version="1",
    sources=(),
    discover={},
    extract={"text/plain": read_plain},
    steps=(DropDuplicates(),),
    trigger=Trigger(every=HOUR),
)


@dataclass(frozen=True)
class InterruptedStore(SqlStore):
    """A store that calls `after_lookup` after its first lookup."""

    after_lookup: Callable[[], object] = lambda: None
    epochs: list[int] = field(default_factory=list)

    def look_up_fingerprints(self, *words: Any) -> FingerprintLookup:
        lookup = super().look_up_fingerprints(*words)
        self.epochs.append(lookup.epoch)
        if len(self.epochs) == 1:
            self.after_lookup()
        return lookup


def refine_batch(store: SqlStore, owner: str = "me", batch: int = 1, keys: tuple[str, ...] = ()) -> int:
    context = JobContext(
        owner=owner,
        recipes={RECIPE: recipe},
        store=store,
        archive=None,  # type: ignore[arg-type]
        clock=lambda: START + timedelta(days=1),
        log=structlog.get_logger(),
        retry_policy=RetryPolicy(batch=batch),
    )
    return refine(context, Job(RECIPE, Task.REFINE, keys))


def store_lead(scene: Scene, name: str, body: str, hours: int = 0, version: str = "v1") -> StoredLead:
    """A lead that brings its own text, so that nothing has to be fetched."""
    lead = make_lead(
        name,
        source=scene.source,
        title="Port widens channel",
        body=body,
        body_type="text/plain",
        published=START + hours * HOUR,
        version=version,
    )
    scene.poll(lead)
    return lead


def states(scene: Scene) -> list[tuple[str, str | None]]:
    return sorted(((row["state"], row["duplicate_of"]) for row in scene.rows(documents)), key=repr)


def assert_one_family(scene: Scene, size: int) -> None:
    """Asserts that one document was kept and that every other points to it once."""
    (original,) = [row["id"] for row in scene.rows(documents, state=State.KEPT)]
    copies = scene.rows(documents, state=State.DUPLICATE)
    assert len(copies) == size - 1
    assert {row["duplicate_of"] for row in copies} == {original}
    links = sorted((row["from_id"], row["to_id"]) for row in scene.rows(edges))
    assert links == sorted((row["id"], original) for row in copies)


def test_a_copy_stored_between_lookup_and_commit_is_noticed(scene: Scene):
    first, second = store_lead(scene, "a", STORY), store_lead(scene, "b", COPY, hours=1)
    store = InterruptedStore(
        scene.store.engine,
        after_lookup=lambda: refine_batch(scene.store, "you", keys=(second.document, first.document)),
    )
    assert refine_batch(store) == 1
    assert_one_family(scene, 2)
    assert store.epochs == [0, 1]


def test_workers_that_decide_copies_at_the_same_moment_keep_one(scene: Scene):
    workers = 4
    for number in range(workers):
        store_lead(scene, f"n{number}", STORY + f" Edition {number} closes late.", hours=number)
    barrier = threading.Barrier(workers, timeout=DEADLINE)
    stores = [InterruptedStore(scene.store.engine, after_lookup=barrier.wait) for _ in range(workers)]
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            refine_batch(stores[number], f"worker {number}")
        except BaseException as error:  # noqa: BLE001 - reported by the thread that asserts
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    assert errors == []
    assert_one_family(scene, workers)


def test_the_copies_of_an_overtaken_original_follow_it(scene: Scene):
    """All three are copies; the batch of two is overtaken by the one that comes in between."""
    batch_leads = [store_lead(scene, name, STORY + f" Edition {name}.", hours=1) for name in ("a", "b")]
    between = store_lead(scene, "c", STORY)
    store = InterruptedStore(
        scene.store.engine, after_lookup=lambda: refine_batch(scene.store, "you", keys=(between.document,))
    )
    assert refine_batch(store, batch=2, keys=tuple(lead.document for lead in batch_leads)) == 2
    assert_one_family(scene, 3)
    assert scene.row(documents, state=State.KEPT)["id"] == between.document


def test_a_document_decided_again_is_not_a_copy_of_its_own_copies(scene: Scene):
    original = store_lead(scene, "a", STORY)
    refine_batch(scene.store)
    store_lead(scene, "b", COPY, hours=1)
    refine_batch(scene.store)
    assert_one_family(scene, 2)
    store_lead(scene, "a", STORY + " Pilots met on Tuesday.", version="v2")
    assert refine_batch(scene.store) == 1
    row = scene.row(documents, id=original.document)
    assert (row["state"], row["revision"], row["reason"]) == (State.KEPT, 2, None)
    assert row["text"].endswith("Pilots met on Tuesday.")
    assert_one_family(scene, 2)


def test_a_document_decided_again_is_not_a_copy_of_a_longer_one_that_came_later(scene: Scene):
    news = (
        "In the afternoon the ministry stopped the plan. Minister Ada Moss told parliament that the seabed holds a "
        "wreck from 1788, found by divers of the Kilrane museum, and that nothing may be dredged before it is lifted. "
        "The museum expects to need three summers and asks for 7 million crowns. Two members of the board resigned, "
        "and shares of the builder Penrose Marine fell by 12 percent. A hearing is set for 9 December in Kilrane."
    )
    original = store_lead(scene, "a", STORY)
    refine_batch(scene.store)
    longer = store_lead(scene, "b", f"{STORY} {news}", hours=6)
    refine_batch(scene.store)
    assert states(scene) == [(State.KEPT, None), (State.KEPT, None)]
    store_lead(scene, "a", STORY.replace("overdue", "long overdue"), version="v2")
    refine_batch(scene.store)
    row = scene.row(documents, id=original.document)
    assert (row["state"], row["revision"], row["reason"]) == (State.KEPT, 2, None)
    assert [(e["from_id"], e["to_id"]) for e in scene.rows(edges)] == [(longer.document, original.document)]


def test_a_copy_decided_again_stays_the_same_copy(scene: Scene):
    store_lead(scene, "a", STORY, hours=2)
    refine_batch(scene.store)
    copy = store_lead(scene, "b", COPY)
    store_lead(scene, "c", OTHER)
    refine_batch(scene.store, batch=2)
    before = [scene.rows(table) for table in (dedupe_bands, sentence_counts, edges)]
    store_lead(scene, "b", COPY, version="v2")
    assert refine_batch(scene.store) == 1
    assert scene.row(documents, id=copy.document)["state"] == State.DUPLICATE
    assert [scene.rows(table) for table in (dedupe_bands, sentence_counts, edges)] == before


def test_the_earliest_of_a_batch_is_the_original_in_any_order(scene: Scene):
    late, other, early = (
        store_lead(scene, name, body, hours)
        for name, body, hours in (("a", STORY, 2), ("b", OTHER, 1), ("c", COPY, 0))
    )
    refine_batch(scene.store, batch=3)
    originals = {row["id"]: row["duplicate_of"] for row in scene.rows(documents)}
    assert originals == {late.document: early.document, other.document: None, early.document: None}
