"""The signature scheme is stored: its values must never change under the same name."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.dedupe.minhash import (
    ANCHORS,
    BANDS,
    PERMUTATIONS,
    SCHEME,
    TITLE_PAIRS,
    jaccard,
    keys_of_pages,
    signature,
)
from headwater.documents.dedupe.tokens import tokenise_pair

TITLE = "Harbour reopens after the storm"
BODY = (
    "The harbour of Arden reopened on Monday, three days after the storm, and 14 ships left before noon. "
    "Damage was put at 2.5 mln crowns. Café owners on the quay said trade was back to normal."
)


def test_the_golden_values_of_scheme_hw2_never_change():
    signed_text = signature(TITLE, BODY)
    digest = hashlib.sha256(signed_text.minhash.astype("<u4").tobytes()).hexdigest()
    assert SCHEME == "hw2"
    assert digest == "53175d59ae38a8f9f0bd6ff01577b8f096cdad636457767007318bc8df519a69"
    assert signed_text.bands[:2] == (-2055034601532917467, -3324972258609126140)
    assert signed_text.anchors[:2] == (2007446120817720282, 2210518907208475798)
    assert signed_text.title == 1585737687079394078
    assert signed_text.title_pairs[:2] == (5322009131903339773, -7145755163279696986)


def test_titles_that_share_two_neighbouring_words_share_a_key():
    first, second = signature("Calder Steel to close mill", BODY), signature("Strike at Calder Steel", "")
    assert len(set(first.title_pairs) & set(second.title_pairs)) == 1


def test_keys_fit_a_database_and_are_few():
    keys = signature(TITLE, BODY).keys
    assert len(keys) <= BANDS + ANCHORS + 1 + TITLE_PAIRS
    assert all(-(2**63) <= key < 2**63 for key in keys)


def test_case_spacing_and_punctuation_do_not_matter():
    assert signature(TITLE.upper(), BODY.replace(", ", " ; ").upper()).keys == signature(TITLE, BODY).keys


def test_the_title_key_does_not_depend_on_the_order_of_its_words():
    assert signature("a storm hits Arden", BODY).title == signature("Arden: a storm hits", BODY).title


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_text_has_a_signature(title, body):
    signed = signature(title, body)
    assert len(signed.minhash) == PERMUTATIONS
    assert jaccard(signed, signed) == 1.0


def test_a_different_text_has_a_distant_signature():
    second = signature(
        "Budget vote", "The council voted for the budget with a majority of nine to four after a long debate."
    )
    assert jaccard(signature(TITLE, BODY), second) < 0.1


@given(st.lists(st.tuples(st.text(max_size=40), st.text(max_size=120)), max_size=8))
def test_keys_of_pages_signed_together_are_as_of_each_alone(pairs):
    pages = [tokenise_pair(*pair) for pair in pairs]
    assert keys_of_pages(pages) == [signature(*pair).keys for pair in pairs]
