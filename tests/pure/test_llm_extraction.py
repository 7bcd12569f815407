"""The question to a model about a document, and the answers that are accepted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.stories.llm.answers import InvalidAnswer, retry_messages
from headwater.stories.llm.extraction import extraction_messages, parse_extraction, question_for_queue
from headwater_recipes.markets.questions import QUESTIONS, Extraction, MacroClassification

EXTRACTION, MACRO = QUESTIONS["extraction"], QUESTIONS["macro_classification"]
GOOD = {
    "summary": "Northgate raised its outlook.",
    "sentiments": [{"company": "Northgate", "ticker": "NGSC", "sentiment": "positive", "score": 0.7}],
    "events": [{"type": "guidance", "description": "Outlook raised.", "date": "2026-11-13"}],
}
MACRO_GOOD = {
    "summary": "The central bank held its rate.",
    "category": "monetary_policy",
    "regions": ["Euro area"],
    "importance": "high",
    "sentiment": "neutral",
}


def test_r86_the_queue_determines_the_question():
    assert question_for_queue(QUESTIONS, "app:queue:extraction") is EXTRACTION
    assert question_for_queue(QUESTIONS, "desk:queue:macro_classification") is MACRO
    assert question_for_queue(QUESTIONS, "app:queue:parsing") is None


def test_a_valid_answer_is_accepted_with_or_without_a_code_fence():
    plain = json.dumps(GOOD)
    answer = parse_extraction(EXTRACTION, plain)
    assert isinstance(answer, Extraction)
    assert answer.sentiments[0].ticker == "NGSC"
    assert parse_extraction(EXTRACTION, f"```json\n{plain}\n```") == answer
    assert isinstance(parse_extraction(MACRO, json.dumps(MACRO_GOOD)), MacroClassification)


@pytest.mark.parametrize(
    "change",
    [
        {"summary": ""},
        {"summary": None},
        {"sentiments": [{"company": "Northgate", "sentiment": "splendid", "score": 0.1}]},
        {"sentiments": [{"company": "Northgate", "sentiment": "positive", "score": 7}]},
        {"events": [{"type": "other", "description": "x", "date": "soon"}]},
        {"transfer": "all the money"},
        {"events": [{"type": "other", "description": "x"}] * 51},
    ],
)
def test_an_answer_that_does_not_fit_the_schema_is_invalid(change):
    with pytest.raises(InvalidAnswer, match="schema"):
        parse_extraction(EXTRACTION, json.dumps(GOOD | change))


@pytest.mark.parametrize("text", ["", "  ", "Certainly! Here it is.", "{", "[" * 100_000, "\ud800", "``````"])
def test_an_answer_that_is_not_json_is_invalid(text: str):
    with pytest.raises(InvalidAnswer) as caught:
        parse_extraction(EXTRACTION, text)
    assert len(str(caught.value)) <= 300


@given(st.text())
def test_a_document_stays_one_string_inside_the_message_whatever_it_says(text: str):
    system, user = extraction_messages(
        EXTRACTION, {"document_id": "d1", "ticker": "NGSC", "normalized_text": text}
    )
    assert text not in system["content"] or len(text) < 40
    assert json.loads(user["content"])["normalized_text"] == text
    assert "data" in system["content"]
    assert "JSON schema" in system["content"]


def test_a_second_call_names_the_error_and_a_part_of_the_answer():
    text, complaint = retry_messages("x" * 100_000, "schema: Expected `str`")
    assert len(text["content"]) <= 4_000
    assert "schema: Expected `str`" in complaint["content"]
