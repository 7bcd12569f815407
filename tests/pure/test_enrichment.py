"""Short bodies extended from the payload, without repetition."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.cleaning.enrichment import (
    EnrichShortBodies,
    SourcePayload,
    enrich_text,
    payload_of,
)
from headwater.model.document import Document
from headwater.model.recipe import EmptyKnowledge, StepContext
from headwater.text.folding import fold_text

CONTEXT = StepContext("r", datetime(2026, 11, 2, tzinfo=UTC), knowledge=EmptyKnowledge())
DESCRIPTION = "The harbour reopens on Monday. Ferries run twice a day. Tickets stay at nine crowns."


def document(**values: object) -> Document:
    return Document(id="d", recipe="r", source="s", lead="l", url="https://x.example/a", **values)  # type: ignore[arg-type]


def test_r71_a_short_body_gets_the_sentences_it_does_not_have() -> None:
    enriched = enrich_text(
        "Ferries run twice a day, the port says.",
        SourcePayload("<p>It reopens on Monday.</p> Tickets &amp; fares stay."),
    )
    assert enriched.text == (
        "Ferries run twice a day, the port says.\n\nIt reopens on Monday. Tickets & fares stay."
    )


@pytest.mark.parametrize(("length", "fuller"), [(499, True), (500, False)])
def test_r71_five_hundred_characters_are_enough(length: int, fuller: bool) -> None:
    text = ("x" * 9 + " ") * 60
    assert (enrich_text(text[:length], SourcePayload(DESCRIPTION)).added_text != "") is fuller


def test_r71_present_sentences_are_not_repeated() -> None:
    text = "THE HARBOUR reopens on Monday: ferries run twice a day. Tickets stay at nine crowns!"
    assert enrich_text(text, SourcePayload(DESCRIPTION)).text == text


@pytest.mark.parametrize(
    "beginning", ["The harbour reopens on Mon…", "The harbour reopens on Monday. Ferries [...]"]
)
def test_r71_a_truncated_beginning_is_replaced_by_the_full_text(beginning: str) -> None:
    assert enrich_text(beginning, SourcePayload(DESCRIPTION)).text == DESCRIPTION


def test_r71_an_empty_body_becomes_the_description() -> None:
    assert enrich_text("", SourcePayload(DESCRIPTION)).text == DESCRIPTION
    assert enrich_text("", SourcePayload()).text == ""


SENTENCES = st.lists(
    st.sampled_from(["It rose.", "It fell!", "Why?", "Boats sail", "é ü 語。"]), max_size=6
).map(" ".join)


@given(SENTENCES, SENTENCES)
def test_enriching_twice_changes_nothing_and_loses_no_word(text: str, description: str) -> None:
    once = enrich_text(text, SourcePayload(description))
    assert enrich_text(once.text, SourcePayload(description)).text == once.text
    assert set(fold_text(text).split()) <= set(fold_text(once.text).split())


def test_payloads_are_read_by_the_names_that_sources_use() -> None:
    item = {
        "summary": " Short. ",
        "tags": "ferries, fares",
        "author": [{"name": "Ilse Brandt"}, "Jon Doe"],
        "x": 3,
    }
    assert payload_of(item) == SourcePayload("Short.", ("ferries", "fares"), ("Ilse Brandt", "Jon Doe"))
    assert payload_of({"description": None, "keywords": 7, "authors": {}}) == SourcePayload()


def test_the_step_notes_the_origin_and_fills_empty_fields() -> None:
    def payloads(batch: Sequence[Document], context: StepContext) -> Mapping[str, SourcePayload]:
        assert context is CONTEXT
        return {document.id: SourcePayload(DESCRIPTION, ("ferries",), ("Ilse Brandt",)) for document in batch}

    step = EnrichShortBodies(payloads=payloads)
    (after,) = step(
        [document(text="Ferries are back.", origins={"text": "article"}, authors=("Jon Doe",))], CONTEXT
    )
    assert isinstance(after, Document)
    assert after.text.startswith("Ferries are back.\n\nThe harbour reopens")
    assert (after.keywords, after.authors) == (("ferries",), ("Jon Doe",))
    assert after.origins == {"text": "article + payload", "keywords": "payload", "description": "payload"}
    (second_result,) = step([after], CONTEXT)
    assert isinstance(second_result, Document)
    assert (second_result.text, second_result.origins) == (after.text, after.origins)


def test_the_step_uses_the_hints_of_the_lead_and_leaves_long_bodies_alone() -> None:
    long = document(text="word " * 200, description=DESCRIPTION)
    empty = document(text="", description=DESCRIPTION, origins={"description": "source"})
    unchanged, filled = EnrichShortBodies()([long, empty], CONTEXT)
    assert unchanged is long
    assert isinstance(filled, Document)
    assert (filled.text, filled.origins["text"]) == (DESCRIPTION, "payload")


class StoredHints(EmptyKnowledge):
    def source_hints(self, ids: Sequence[str]) -> Mapping[str, Sequence[Mapping[str, object]]]:
        short, full = (
            {"title": "Ferries", "summary": "It reopens."},
            {"summary": f"<p>{DESCRIPTION}</p>", "tags": ["ferries"]},
        )
        return {id_: [short, full] for id_ in ids}


def test_r71_the_longest_stored_description_is_used() -> None:
    context = StepContext("r", CONTEXT.now, StoredHints())
    before = document(
        text="Ferries are back.", description="A page about ferries.", origins={"description": "meta"}
    )
    (after,) = EnrichShortBodies()([before], context)
    assert isinstance(after, Document)
    assert after.text == f"Ferries are back.\n\n{DESCRIPTION}"
    assert (after.description, after.keywords) == ("A page about ferries.", ("ferries",))
