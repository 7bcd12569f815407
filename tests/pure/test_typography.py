"""Texts that are ASCII but for the marks of printed text are read in a faster way, with the same result."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.search.text_terms import CHUNK, chunks_of
from headwater.stories.summary_words import StoryText, StoryWords
from headwater.stories.terms import list_terms
from headwater.text.folding import fold_text
from headwater.text.typography import APOSTROPHE, MARKS, space_marks
from headwater.text.words import WORD, split_words

SIGNS = [*MARKS, APOSTROPHE, *" .,'-_aAbS3\n", "é", "ß", "Σ", "İ", "\u0301", "。", "漢", "ไ", "\u2028"]
texts = st.lists(st.sampled_from(SIGNS), max_size=30).map("".join)


@pytest.mark.parametrize("mark", [*MARKS, APOSTROPHE])
def test_a_mark_is_no_part_of_a_word(mark: str):
    assert not CHUNK.search(mark)
    assert not WORD.search(mark)
    assert space_marks(f"a{mark}b") == "a b"


@given(texts)
def test_chunks_are_what_stands_between_gaps(text: str):
    assert chunks_of(text) == CHUNK.findall(text.lower())


@given(texts)
def test_words_are_the_same_with_and_without_marks(text: str):
    assert split_words(text) == WORD.findall(text)


def test_marks_separate_words_of_stories_and_of_summaries():
    text = "“Ships…” waited—the pilot’s «boat» too"
    plain = "Ships waited the pilot's boat too"
    assert fold_text(text) == "ships waited the pilot s boat too"
    assert list_terms(text) == list_terms(plain)
    words = StoryWords.read([StoryText([text, plain], [0, 1], 1)])
    assert words.words == ["ships", "waited", "the", "pilot", "s", "boat", "too"]
    assert words.lengths.tolist() == [7, 7]
