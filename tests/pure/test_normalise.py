"""Text in one normal form."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.cleaning.normalise import is_regular_ascii, normalise, normalise_whitespace
from headwater.model.document import Document
from headwater.model.outcomes import SetAside
from headwater.model.recipe import StepContext

words = st.text(st.characters() | st.sampled_from(" \t\n\r\u00a0\u2028e\u0301"))


@given(words)
def test_normalising_whitespace_is_idempotent(text: str):
    assert normalise_whitespace(normalise_whitespace(text)) == normalise_whitespace(text)


@given(words)
def test_normalised_text_has_single_spaces_and_at_most_one_blank_line(text: str):
    tidied = normalise_whitespace(text)
    assert "  " not in tidied
    assert "\n\n\n" not in tidied
    assert tidied == tidied.strip()
    assert unicodedata.is_normalized("NFC", tidied)


@given(words)
def test_normalising_loses_no_word(text: str):
    assert normalise_whitespace(text).split() == unicodedata.normalize("NFC", text).split()


def test_paragraphs_stay():
    assert normalise_whitespace(" One  two \r\n\r\n\r\n\r\nthree\n- four\t") == "One two\n\nthree\n- four"


@given(st.text(st.sampled_from("ab \n\t\r\x0b\x0c\x1c\x1f"), max_size=12))
def test_a_text_is_left_as_it_is_only_where_nothing_is_to_be_normalised(text: str):
    accented = f"{text}\u00e9"  # takes the other path
    if is_regular_ascii(text):
        assert normalise_whitespace(accented) == accented


def _normalise(**fields):
    document = Document(id="d", recipe="r", source="s", lead="l", url="https://wire.example/", **fields)
    (outcome,) = normalise([document], StepContext("r", None, None))
    return outcome


def test_a_title_is_one_line():
    assert _normalise(title=" A\n\n title ", text="x").title == "A title"


@pytest.mark.parametrize("fields", [{}, {"title": " \n", "text": "\t\u00a0"}])
def test_a_document_without_title_and_text_is_set_aside(fields: dict):
    assert _normalise(**fields) == SetAside("empty")


@pytest.mark.parametrize("fields", [{"title": "A"}, {"text": "a"}])
def test_a_title_or_a_text_is_enough(fields: dict):
    assert isinstance(_normalise(**fields), Document)
