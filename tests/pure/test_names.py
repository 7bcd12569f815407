"""Persons, organisations and countries without a model."""

from collections import Counter
from pathlib import Path

import pytest
from benchmarks import names as benchmark
from hypothesis import given
from hypothesis import strategies as st
from tests.support.poll_sessions import NOW

from headwater.documents.names.recognise import recognise_names
from headwater.documents.names.tag_names import TagNames
from headwater.documents.places.countries import find_countries
from headwater.model.document import Document
from headwater.model.recipe import EmptyKnowledge, StepContext


def names(*texts: str, language: str = "en") -> set[tuple[str, str]]:
    entities = recognise_names(texts, [language] * len(texts))
    return {(entity.label, entity.text) for text_entities in entities for entity in text_entities}


def test_g4_names_in_many_languages_are_found_without_a_model():
    rows = benchmark.read_rows(Path(benchmark.__file__).with_suffix(".tsv"))
    results = recognise_names([text for _, text, _ in rows], [language for language, _, _ in rows])
    count: Counter[str] = Counter()
    for (_, _, expected), entities in zip(rows, results, strict=True):
        count.update(
            benchmark.compare(expected, {(entity.label, entity.text.casefold()) for entity in entities})
        )
    figures = benchmark.totals(count)
    assert min(figures.values()) >= 0.85, figures


def test_a_family_name_alone_is_the_person_whom_another_text_names_in_full():
    recognised = recognise_names(["Minister Ilse Varn met envoys.", "Late at night Varn left."], ["en", "en"])
    assert [[entity.text for entity in text] for text in recognised] == [["Ilse Varn"], ["Ilse Varn"]]


def test_words_that_other_texts_write_in_lower_case_are_no_names():
    assert names("Bridge Collapse said nothing.", "The bridge fell in a collapse, he said.") == set()


def test_ships_and_places_that_follow_articles_and_prepositions_are_no_persons():
    texts = ["The Halcyon Dawn said nothing by radio.", "They boarded the Halcyon Dawn in Vela Norte."]
    assert names(*texts) == set()


@pytest.mark.parametrize(
    ("text", "language", "codes"),
    [
        ("Lanz gana la presidencia en Perú", "es", ["PE"]),
        ("Gull Island lies off Iceland", "en", ["IS"]),
        ("Island und Norwegen", "de", ["IS", "NO"]),
        ("Из-за того, что Грузия", "ru", ["GE"]),
        ("法国总统", "zh", ["FR"]),
    ],
)
def test_g4_a_country_is_not_a_verb_or_an_island(text: str, language: str, codes: list[str]):
    assert sorted(mention.subject for mention in find_countries(text, language)) == codes


@given(st.lists(st.text(alphabet="aB. ,'’-\nÄж中·ال\x00É", max_size=60), max_size=4))
def test_any_text_has_names_within_it_that_do_not_overlap(texts: list[str]):
    for text, entities in zip(texts, recognise_names(texts, ["de"] * len(texts)), strict=True):
        ends = [0]
        for entity in entities:
            assert ends[-1] <= entity.start < entity.end <= len(text)
            ends.append(entity.end)


def test_the_step_sets_entities_with_their_origin():
    document = Document(
        id="d",
        recipe="r",
        source="s",
        lead="l",
        url="u",
        title="Judge Clara Benning rules in Kenya",
        text="Clara Benning asked the Red Cross.",
        language="en",
    )
    (outcome,) = TagNames()([document], StepContext("r", NOW, EmptyKnowledge()))
    assert isinstance(outcome, Document)
    entities = outcome.attributes["entities"]
    assert entities["PERSON"] == [{"text": "Clara Benning", "score": 0.7, "count": 2}]
    assert [entities[kind][0]["text"] for kind in ("LOC", "ORG")] == ["Kenya", "Red Cross"]
    assert outcome.origins["entities"] == entities["meta"]["method"]
