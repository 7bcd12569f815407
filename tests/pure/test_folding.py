"""Folding treats the parts of a text that are not ASCII by themselves; the result is that of the whole text."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from headwater.text.folding import _PLAIN, fold_accents, fold_text

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


@given(TEXTS)
def test_the_accents_of_a_text_are_folded_as_if_it_was_decomposed_as_a_whole(text: str) -> None:
    decomposed = unicodedata.normalize("NFKD", text)
    unmarked = "".join(character for character in decomposed if not unicodedata.combining(character))
    assert fold_accents(text) == unmarked.translate(_PLAIN)


@given(TEXTS)
def test_a_folded_text_is_folded_already_and_has_no_marks(text: str) -> None:
    folded = fold_text(text)
    assert fold_text(folded) == folded
    assert not any(unicodedata.combining(character) for character in folded)


def test_letters_punctuation_and_ligatures_are_folded_in_one_text() -> None:
    assert fold_text("“Łódź” – Bjørn’s CAFÉ… ﬁve ½ Straße_Ω") == "lodz bjorn s cafe five 1 2 strasse ω"
