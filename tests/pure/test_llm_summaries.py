"""Summaries by a language model: prompts, checked answers, prices, and the lines of batches."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.errors import Permanent, Temporary
from headwater.model.summaries import RemoteBatch
from headwater.stories.llm.answers import InvalidAnswer
from headwater.stories.llm.batch_api import parse_result_lines, request_line
from headwater.stories.llm.batch_status import batch_error_code, rejected_lines
from headwater.stories.llm.plan import top_share
from headwater.stories.llm.prices import Price, estimate_cost, find_price, total_cost
from headwater.stories.llm.story_prompt import (
    MAX_TOKENS,
    PromptArticle,
    content_fingerprint,
    max_answer_tokens,
    parse_summary,
    request_id,
    summary_messages,
)

FERRY = PromptArticle(
    "d1", "Ferry late", "The ferry Halcyon reached Dunmore two hours late after an engine failure."
)
FIRE = PromptArticle("d2", "Fire in port", "A warehouse fire closed the northern quay of Dunmore on Tuesday.")
ARTICLES = (FERRY, FIRE)
COMPLETION = {"choices": [{"message": {"content": "Yes."}}], "model": "m"}
REFUSAL = {"choices": [{"message": {"refusal": "No."}}], "model": "m"}


def answer(*sentences: tuple[str, list[int]]) -> str:
    return json.dumps({"sentences": [{"text": text, "sources": sources} for text, sources in sentences]})


def test_g13_every_sentence_names_documents_of_the_request():
    summary = parse_summary(answer(("One thing.", [1, 1, 7]), ("Another.", [2, 1])), ARTICLES)
    assert [claim.documents for claim in summary.claims] == [("d1",), ("d2", "d1")]
    assert summary.text == "One thing. Another."


def test_a_sentence_without_a_number_is_matched_with_an_article_or_dropped():
    sentences = (
        ("The ferry was late.", [1]),
        ("A warehouse fire closed the northern quay of Dunmore.", []),
        ("The mayor resigned over it.", [3]),
    )
    summary = parse_summary(answer(*sentences), ARTICLES)
    assert [claim.documents for claim in summary.claims] == [("d1",), ("d2",)]
    assert (summary.dropped, summary.repaired) == (1, 1)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "Certainly!",
        "[]",
        '{"sentences": []}',
        '{"sentences": [{"text": "A.", "sources": [1]}], "transfer": true}',
        '{"sentences": [{"text": "A.", "sources": ["1"]}]}',
        answer(("Only one.", [1])),
        answer(
            ("Yes.", [1]), ("No.", [1]), ("Nobody knows this.", []), ("Nor this.", []), ("Nor that.", [0])
        ),
        answer(("See https://evil.example.", [1]), ("Read [this](x).", [1]), ("<b>Bold</b>.", [1])),
        answer(("\u202e \x1b[31m", [1]), (" ", [1])),
    ],
)
def test_an_answer_without_enough_sentences_with_sources_is_invalid(words: str):
    with pytest.raises(InvalidAnswer):
        parse_summary(words, ARTICLES)


def test_a_sentence_that_names_an_unknown_site_is_dropped():
    board = PromptArticle(
        "d3", "Timetable", "The board tells passengers to look at ferries.dunmore.example for times."
    )
    sentences = (
        ("The U.S. ferry was late.", [1]),
        ("Times are at Ferries.Dunmore.example now.", [3]),
        ("Buy tickets at cheap-ferries.example today.", [3]),
    )
    summary = parse_summary(answer(*sentences), (*ARTICLES, board))
    assert [claim.text for claim in summary.claims] == [text for text, _ in sentences[:2]]
    assert summary.dropped == 1


def test_control_characters_are_removed():
    summary = parse_summary(answer(("Red \x1b[31m\nletters.", [1]), ("More.", [1])), ARTICLES)
    assert summary.claims[0].text == "Red [31m letters."


@given(st.text(max_size=200))
def test_any_answer_is_a_summary_with_sources_or_invalid(words: str):
    try:
        summary = parse_summary(words, ARTICLES)
    except InvalidAnswer:
        return
    assert all(claim.documents for claim in summary.claims)


@given(st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=5), st.randoms())
def test_the_version_of_a_story_does_not_depend_on_order(documents, chance):
    shuffled = list(documents)
    chance.shuffle(shuffled)
    assert content_fingerprint(documents) == content_fingerprint(shuffled)


@given(st.tuples(st.text(), st.text(), st.text()), st.tuples(st.text(), st.text(), st.text()))
def test_another_text_is_another_version(first, other):
    assert (content_fingerprint([first]) == content_fingerprint([other])) == (first == other)


def test_a_request_id_is_short_enough_for_the_api():
    assert len(request_id("f" * 24, content_fingerprint([("a", "b", "c")]), "standard")) <= 64


@given(st.text(max_size=300), st.text(max_size=300))
def test_articles_are_quoted_whatever_they_say(title, text):
    system, user = summary_messages("Story", [PromptArticle("d", title, text)])
    content = json.loads(user["content"])
    assert (content["articles"][0]["title"], content["articles"][0]["text"]) == (title, text)
    assert system == summary_messages("Other", [])[0]


def test_an_answer_may_grow_with_the_articles_within_bounds():
    small = summary_messages("S", [FERRY])
    large = summary_messages("S", [PromptArticle(str(n), "t", "word " * 2_000) for n in range(15)])
    assert max_answer_tokens(small) < max_answer_tokens(large) == MAX_TOKENS


def test_prices_of_dated_models_are_those_of_their_family():
    assert find_price("gpt-4o-mini-2024-07-18", {}) == Price(0.15, 0.60)
    assert find_price("gpt-4o", {"gpt-4o": Price(1, 2)}) == Price(1, 2)
    assert find_price("gpt-4o-audio", {}) is None
    assert estimate_cost(Price(2, 8), 500_000, 250_000, batch=False) == 3.0
    assert estimate_cost(Price(2, 8), 500_000, 250_000, batch=True) == 1.5
    assert total_cost([1.0, 2.0]) == 3.0
    assert total_cost([1.0, None]) is None


def test_g14_lines_come_back_in_any_order_and_the_status_decides():
    raw = b"\n".join(
        json.dumps(first).encode()
        for first in (
            {"custom_id": "c", "response": None, "error": {"code": "batch_expired"}},
            {
                "custom_id": "b",
                "response": {"status_code": 400, "body": {"error": {"code": "bad"}}},
                "error": None,
            },
            {"custom_id": "d", "response": {"status_code": 429, "body": None}, "error": None},
            {"custom_id": "a", "response": {"status_code": 200, "body": COMPLETION}, "error": None},
            {"custom_id": "e", "response": {"status_code": 200, "body": {"x": 1}}, "error": None},
            {"custom_id": "f", "response": {"status_code": 200, "body": REFUSAL}, "error": None},
        )
    )
    results = {result.id: result for result in parse_result_lines(raw + b"\nnot json\n")}
    assert results["a"].reply is not None
    assert results["a"].reply.text == "Yes."
    assert (type(results["e"].error), type(results["f"].error)) == (Temporary, Permanent)
    failed = {name: (results[name].reply, results[name].reason, results[name].transient) for name in "bcd"}
    assert failed == {
        "b": (None, "bad", False),
        "c": (None, "batch_expired", True),
        "d": (None, "http_429", True),
    }


def test_g14_a_line_is_a_request_of_its_own():
    line = json.loads(request_line("a", {"model": "m"}))
    assert line == {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m"}}


def test_g14_lines_are_rejected_by_number_unless_their_error_is_transient():
    errors = (("invalid_json_line", 2), ("token_limit_exceeded", 1), ("x", 9))
    batch = RemoteBatch(id="b", status="failed", errors=errors)
    assert rejected_lines(batch, ["one", "two"]) == {"two": "invalid_json_line"}
    assert batch_error_code(batch) == "invalid_json_line"
    assert batch_error_code(RemoteBatch(id="b", status="failed")) == "failed"


def test_g18_the_top_tenth_is_at_least_one():
    assert top_share({}) == ()
    assert top_share({"b": 0.5, "a": 0.5}) == ("a",)
    assert top_share({f"{n:02}": n / 40 for n in range(40)}) == ("39", "38", "37", "36")
