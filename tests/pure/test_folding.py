"""Folding treats the parts of a text that are not ASCII by themselves; the result is that of the whole text."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from headwater.text.folding import fold_accents, fold_text

TEXTS = st.text(
    st.one_of(
        st.sampled_from("aZ 9_-."),
        st.characters(min_codepoint=0xA0, max_codepoint=0x24F),
        st.characters(min_codepoint=0x300, max_codepoint=0x36F),
        st.characters(min_codepoint=0x370, max_codepoint=0x5FF),
        st.characters(min_codepoint=0x1E00, max_codepoint=0x2200),
        st.characters(min_codepoint=0xF900, max_codepoint=0xFB10),
    ),
    max_size=40,
)


@given(TEXTS, TEXTS)
def test_folding_two_texts_with_ascii_between_them_equals_folding_the_whole(first: str, second: str) -> None:
    assert fold_accents(f"{first}a{second}") == f"{fold_accents(first)}a{fold_accents(second)}"


@given(TEXTS)
def test_a_folded_text_is_folded_already_and_has_no_marks(text: str) -> None:
    folded = fold_text(text)
    assert fold_text(folded) == folded
    assert not any(unicodedata.combining(character) for character in folded)


def test_letters_punctuation_and_ligatures_are_folded_in_one_text() -> None:
    assert fold_text("“Łódź” – Bjørn’s CAFÉ… ﬁve ½ Straße_Ω") == "lodz bjorn s cafe five 1 2 strasse ω"
