"""A text is found in the bytes of a page, whatever stands between its words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.text.passages import FIRST_WORDS, find_passage

WORDS = st.lists(st.text("abcdefghijé", min_size=1, max_size=8), min_size=1, max_size=FIRST_WORDS)
GAPS = st.sampled_from([" ", "\n  ", "</b> ", "&nbsp;", " <i class='x'>", "\u00a0"])


@given(WORDS, st.data())
def test_words_are_found_with_tags_and_spaces_between_them(words: list[str], data: st.DataObject):
    page = "<p>0 " + words[0] + "".join(data.draw(GAPS) + word for word in words[1:]) + " 0</p>"
    place = find_passage(page.encode(), " ".join(words))
    assert place is not None
    start, end = place
    passage = page.encode()[start:end].decode()
    assert passage.startswith(words[0])
    assert passage.endswith(words[-1])


@pytest.mark.parametrize(
    ("body", "text", "passage"),
    [
        (b"<p>Fish &amp; chips</p>", "Fish & chips", b"Fish &amp; chips"),
        (b"<p>Fish <b>&amp;</b> chips</p>", "Fish & chips", b"Fish <b>&amp;</b> chips"),
        (b"<p>nothing of it</p>", "Fish", None),
        (b"", "Fish", None),
        (b"<p>Fish</p>", "  ", None),
    ],
)
def test_entities_are_understood_and_what_is_not_there_is_not_found(body, text, passage):
    place = find_passage(body, text)
    assert (None if place is None else body[place[0] : place[1]]) == passage


def test_a_page_of_opened_tags_takes_linear_time():
    assert find_passage(b"<a " * 200_000, "not there") is None
