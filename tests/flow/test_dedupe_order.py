"""The order of arrival within a batch changes nothing, nor does deciding again: over near copies, on both stores."""

import random
from collections.abc import Sequence
from datetime import timedelta

import pytest
from tests.flow.test_cli_dedupe import OTHER, STORY
from tests.flow.test_dedupe_workers import refine_batch, store_lead
from tests.support.scene import HOUR, RECIPE, START, Scene

from headwater.documents.dedupe.articles import Article
from headwater.documents.dedupe.deduplicator import Deduplicator
from headwater.documents.dedupe.drop_duplicates import DropDuplicates, StoredIndex
from headwater.documents.dedupe.index import IndexEntry, MemoryIndex
from headwater.documents.dedupe.page import page_of
from headwater.documents.dedupe.rules import DEFAULT
from headwater.model.document import Document, FingerprintLookup
from headwater.model.outcomes import Drop
from headwater.model.recipe import StepContext
from headwater.store.schema.flow import documents

HARBOUR = (
    "The harbour of Dunmore opened again on Monday after three days of storm, the port office said. Some 41 ships had been "
    "waiting in the bay.\n\nFour tugs brought the largest of them in first. Fuel is short in the islands, where pumps had "
    "run dry by Sunday. The pilots worked without a break until the evening tide.\n\nDamage to the eastern mole is put at "
    "6 million. Repairs begin in June and will take 14 weeks, said the engineer in charge, Nerys Quarles."
)
FOOTER = "Letters to the editor are answered on working days between nine and four."


def edits(body: str) -> list[str]:
    """Near copies, none of them equal: with a footer, abridged, with a sentence more, with a dateline and a slip."""
    first, *paragraphs = body.split("\n\n")
    return [
        f"{body}\n\nAll rights reserved. Follow us for more.",
        "\n\n".join((first, *paragraphs[:-1])) if len(paragraphs) > 1 else body.rsplit(". ", 1)[0] + ".",
        f"{body} The council meets next week.",
        f"OSTWICK, March 4 (Estuary) -- {body.replace('the', 'teh', 1)}",
    ]


def make_batch() -> list[Document]:
    bodies = [
        *edits(STORY),
        *edits(HARBOUR),
        HARBOUR,
        OTHER,
        HARBOUR.replace("Dunmore", "Corvale").replace("41", "17"),
    ]
    return [
        Document(
            id=f"b{number:02}",
            recipe=RECIPE,
            source="s",
            lead=f"l{number}",
            url=f"https://p{number % 3}.example/{number}",
            publisher=f"P{number % 3}",
            title="News from the coast",
            text=body,
            published=None if number == 5 else START + timedelta(hours=(number * 7) % 20),
        )
        for number, body in enumerate(bodies)
    ]


def decisions(scene: Scene, batch: Sequence[Document]) -> dict[str, tuple[str, str | None]]:
    outcomes = DropDuplicates()(batch, StepContext(RECIPE, scene.now, scene.store))
    return {
        document.id: (outcome.reason, outcome.of) if isinstance(outcome, Drop) else ("kept", None)
        for document, outcome in zip(batch, outcomes, strict=True)
    }


@pytest.mark.parametrize("seed", range(6))
def test_order_within_a_batch_changes_nothing_on_a_filled_store(scene: Scene, seed: int):
    stored = store_lead(scene, "a", STORY, hours=-3)
    store_lead(scene, "c", OTHER, hours=-2)
    refine_batch(scene.store, batch=5)
    batch = make_batch()
    expected = decisions(scene, batch)
    random.Random(seed).shuffle(batch)
    assert decisions(scene, batch) == expected
    assert {expected[f"b{n:02}"][1] for n in range(4)} == {stored.document}
    assert len({expected[f"b{n:02}"][1] for n in range(4, 9)} - {None}) == 1
    assert expected["b10"] == ("kept", None)


@pytest.mark.parametrize("seed", range(3))
def test_families_do_not_depend_on_arrival_and_deciding_again_changes_nothing(scene: Scene, seed: int):
    bodies = list(enumerate([*edits(HARBOUR), HARBOUR, *edits(STORY), OTHER]))
    random.Random(seed).shuffle(bodies)
    names = {store_lead(scene, f"n{number}", body, hours=number).document: number for number, body in bodies}
    refine_batch(scene.store, batch=50)
    families: dict[int, set[int]] = {}
    for row in scene.rows(documents):
        families.setdefault(names[row["duplicate_of"] or row["id"]], set()).add(names[row["id"]])
    assert families == {0: {0, 1, 2, 3, 4}, 5: {5, 6, 7, 8}, 9: {9}}
    before = {row["id"]: (row["state"], row["reason"], row["duplicate_of"]) for row in scene.rows(documents)}
    for number, body in bodies:
        scene.now += HOUR
        store_lead(scene, f"n{number}", body, hours=number, version="v2")
    refine_batch(scene.store, batch=50)
    after = {row["id"]: (row["state"], row["reason"], row["duplicate_of"]) for row in scene.rows(documents)}
    assert after == before


def entry_of(article: Article, original: str | None = None) -> IndexEntry:
    entry = Deduplicator(DEFAULT, MemoryIndex()).decide(article)[1]
    return (
        entry
        if original is None
        else IndexEntry(
            article=article,
            original=original,
            scheme=entry.scheme,
            fingerprints=(),
            keys=(),
            sentences=entry.sentences,
        )
    )


def test_stories_stored_and_stories_of_the_batch_are_counted_together(scene: Scene):
    stored = [store_lead(scene, name, f"{body}\n\n{FOOTER}") for name, body in (("a", STORY), ("b", HARBOUR))]
    refine_batch(scene.store, batch=5)
    footer = page_of(Article(id="f", body=FOOTER)).sentences.hashes
    memory = StoredIndex(RECIPE, scene.store, FingerprintLookup(0, {}, {}))
    publisher = scene.rows(documents)[0]["publisher"]
    assert memory.repeated_sentences(publisher, footer) == frozenset()
    echo = Article(id="e", body=f"{STORY}\n\n{FOOTER}", publisher=publisher)
    memory.add(entry_of(echo, stored[0].document))
    assert memory.repeated_sentences(publisher, footer) == frozenset()
    memory.add(entry_of(Article(id="o", body=f"{OTHER}\n\n{FOOTER}", publisher=publisher)))
    assert memory.repeated_sentences(publisher, footer) == frozenset(footer)
