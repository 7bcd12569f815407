"""Summaries: sentences of the documents of a story, each with its sources."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.stories.extractive_summary import (
    MAX_SENTENCES,
    SummarySource,
    summarise,
    summarise_stories,
)
from headwater.stories.summary_words import StoryText, StoryWords
from headwater.text.sentences import split_sentences

HARBOUR = (
    "The harbour authority of Dunmore will widen the northern channel by forty metres next year. "
    "Weather was mild. "
    "Dredging of the channel begins in March and costs the harbour 18 million crowns. "
    "Captain Orla Finch, who leads the pilots of the harbour, called the wider channel overdue. "
    "She likes tea. "
    "A bakery near the station sold out of bread on Sunday, neighbours told a reporter who passed by."
)
AGAIN = (
    "Dredging of the channel begins in March and costs the harbour 18 million crowns. "
    "Fishing boats of Dunmore keep their right of way in the harbour while the channel is widened."
)
texts = st.text(alphabet=st.sampled_from("abc DEF. !?\n。é"), max_size=200)


def test_g13_a_summary_consists_of_central_sentences():
    sentences = [claim.text for claim in summarise([SummarySource("a", HARBOUR)])]
    assert len(sentences) >= 2
    assert sentences[0].startswith("The harbour authority")
    assert not any("tea" in text or "bakery" in text for text in sentences)


def test_every_sentence_cites_every_document_that_contains_it():
    claims = summarise([SummarySource("b", AGAIN), SummarySource("a", HARBOUR)], 4)
    by_text = {claim.text: claim.documents for claim in claims}
    shared = next(text for text in by_text if text.startswith("Dredging"))
    assert by_text[shared] == ("a", "b")
    assert len(by_text) == 4


@settings(max_examples=60)
@given(st.lists(texts, max_size=5), st.integers(0, 6), st.randoms(use_true_random=False))
def test_sentences_are_quoted_with_their_documents_whatever_the_order(parts, count, chance):
    documents = [SummarySource(f"{number}", text) for number, text in enumerate(parts)]
    claims = summarise(documents, count)
    assert len(claims) <= count
    sentences = {source.id: split_sentences(source.text) for source in documents}
    for claim in claims:
        assert any(claim.text in sentences[name] for name in claim.documents)
    chance.shuffle(documents)
    assert summarise(documents, count) == claims


def test_a_letter_that_casefolding_spells_differently_is_no_capital():
    sentences = ["Er sagt, daß Orla segelt.", "Ο λιμένας της πόλης, ΤΗΣ Ορλα."]
    words = StoryWords.read([StoryText(sentences, [0, 1], 1)])
    tokens = [words.words[number] for number in words.occurrences]
    assert [token for token, capital in zip(tokens, words.capitals, strict=True) if capital] == [
        "orla",
        "τησ",
        "ορλα",
    ]


def test_a_summary_of_long_sentences_has_fewer_of_them():
    long = " ".join(
        f"{name} harbour channel dredging pilots" for name in ("North", "South", "East", "West", "Inner")
    )
    text = f"{long} opens. Dredging begins in March. {long} closes. Pilots called the channel overdue."
    words = sum(len(claim.text.split()) for claim in summarise([SummarySource("a", text)], 3))
    assert words <= 75


def test_what_is_said_once_is_not_said_again():
    again = "Dredging of the harbour channel begins in March and costs 18 million crowns."
    claims = summarise([SummarySource("a", HARBOUR), SummarySource("b", f"{again} {AGAIN}")], 5)
    assert sum("18 million" in claim.text for claim in claims) == 1


def test_the_summary_of_several_documents_has_the_sentences_that_are_wanted():
    documents = [SummarySource("a", HARBOUR), SummarySource("b", AGAIN)]
    assert len(summarise(documents, 4)) == 4


@pytest.mark.parametrize(
    "text",
    [
        "\x00\x07 \u200b",
        "." * 500,
        "?! ?! ?!",
        "“”",
        "a" * 200_000,
        "堤坝决口，一万四千人逃离。" * 30,
        "Порт закрыт from noon 港口关闭. \ud800 Suite.",
    ],
)
def test_any_text_has_a_summary_or_none_without_a_warning(text: str):
    with np.errstate(all="raise"):
        claims = summarise([SummarySource("a", text)])
    assert all(claim.text.strip() for claim in claims)


def test_no_documents_have_no_summary():
    assert summarise([]) == ()
    assert summarise([SummarySource("a", " \n ")]) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Hale met Dr. Finch. They talked.", ["Mr. Hale met Dr. Finch.", "They talked."]),
        ("The U.S. Navy sailed. It rained.", ["The U.S. Navy sailed.", "It rained."]),
        ("¿Qué pasó? El puerto cerró. Nada más.", ["¿Qué pasó?", "El puerto cerró.", "Nada más."]),
        ("港が閉鎖された。船は待つ。", ["港が閉鎖された。", "船は待つ。"]),
        ("兰斯说：“我们留下。”人群散去。", ["兰斯说：“我们留下。”", "人群散去。"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("It rose 3.5 percent to 4.2. Good", ["It rose 3.5 percent to 4.2.", "Good"]),
        ("A headline\n\nA paragraph", ["A headline", "A paragraph"]),
        ("Порт закрыт. Суда ждут.", ["Порт закрыт.", "Суда ждут."]),
    ],
)
def test_sentences_are_split_at_their_ends(text: str, expected: list[str]):
    assert split_sentences(text) == expected


def test_only_the_start_of_a_very_long_text_is_read():
    start = "The harbour of Dunmore opened again. " * MAX_SENTENCES
    late = "Larkspur Motors recalled nine lorries. " * 5000
    assert {claim.text for claim in summarise([SummarySource("a", start + late)])} == {
        "The harbour of Dunmore opened again."
    }


def test_stories_summarised_together_have_the_summaries_that_each_has_alone():
    stories = [
        [SummarySource("a", HARBOUR)],
        [],
        [SummarySource("a", HARBOUR), SummarySource("b", AGAIN)],
        [SummarySource("c", "...")],
        [SummarySource("b", AGAIN)],
    ]
    assert summarise_stories(stories, 3) == [summarise(documents, 3) for documents in stories]


def test_no_more_sentences_are_split_than_are_wanted():
    text = "\n\n Ships waited. Mr. Orla sailed. \n\nThe tide fell. Nobody came."
    assert split_sentences(text, 2) == split_sentences(text)[:2] == ["Ships waited.", "Mr. Orla sailed."]
    assert split_sentences(text, 9) == split_sentences(text)
