"""Words, numbers and sentences."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.dedupe.page import dateline_length, find_boilerplate
from headwater.documents.dedupe.token_batch import tokenise_pages
from headwater.documents.dedupe.tokens import CHARACTER_LIMIT, sentence_runs, tokenise, tokenise_pair


def words(text):
    tokens = tokenise(text)
    return [tokens.word(position) for position in range(len(tokens))]


def hashes(text):
    return tokenise(text).hashes.tolist()


def test_a_text_is_split_into_words_and_numbers():
    assert words("Revenue rose 1,993.7 mln, or 3.5%, in the U.S.") == [
        "Revenue",
        "rose",
        "1993.7",
        "mln",
        "or",
        "3.5",
        "in",
        "the",
        "U",
        "S",
    ]


def test_case_accents_commas_and_composition_fall_together():
    assert hashes("CAFÉ 1,200") == hashes("cafe\u0301 1200") == hashes("Cafe 1200")


def test_scripts_without_spaces_yield_one_token_per_character():
    assert words("東京 2026年") == ["東", "京", "2026", "年"]


def test_numbers_are_distinguished_from_words_with_digits():
    assert tokenise("3.5 1990s B2B 5even 7th 2026").is_number().tolist() == [
        True,
        True,
        False,
        False,
        False,
        True,
    ]


@given(st.text(max_size=200))
def test_any_text_is_accepted(text):
    tokens = tokenise(text)
    assert len(tokens.hashes) == len(tokens.starts) == len(tokens.ends)
    assert all(words(text))


@given(
    st.lists(st.sampled_from(["alpha", "Beta", "3.5", "7", "déjà"]), max_size=30),
    st.sampled_from([" ", "  ", "\n", " - ", "; "]),
)
def test_separators_do_not_matter(parts, separator):
    assert hashes(separator.join(parts)) == hashes(" ".join(parts))


def test_a_very_long_page_is_cut():
    assert len(tokenise("word " * CHARACTER_LIMIT)) == CHARACTER_LIMIT // 5


def test_sentences_have_stable_hashes():
    first = sentence_runs(tokenise("It rained. The harbour was shut!\nBoats waited."))
    second = sentence_runs(tokenise("The harbour was shut! Boats waited."))
    assert first.hashes[1:] == second.hashes
    assert first.lengths.tolist() == [2, 4, 2]
    assert sentence_runs(tokenise("")).hashes == ()


def test_boilerplate_is_recognised_by_its_words():
    tokens = tokenise(
        "By Ana Reed\n\nThe mill shut on Monday. Sign up for our newsletter. Workers wept. All rights reserved."
    )
    assert find_boilerplate(tokens, sentence_runs(tokens)).tolist() == [True, False, True, False, True]


def test_datelines_end_where_the_story_begins():
    def without_dateline(text):
        return text[dateline_length(text) :]

    assert without_dateline("ARDEN, March 3 (Wire) -- The mill shut.") == "The mill shut."
    assert without_dateline("By Ana Reed\n\nARDEN (Wire) - The mill shut.") == "The mill shut."
    assert without_dateline("Port Arden: The mill shut.") == "The mill shut."
    assert without_dateline("The mill - long in trouble - shut.") == "The mill - long in trouble - shut."


TITLES = st.text(max_size=30) | st.sampled_from(["Storm", "Año nuevo", "東京", ""])
TEXTS = (
    st.text(max_size=120) | st.text('ab1., \n"é東ก', max_size=120) | st.sampled_from(["", "One. Two!\nThree"])
)


@given(st.lists(st.tuples(TITLES, TEXTS), max_size=12))
def test_pages_tokenised_together_are_as_each_alone(pairs):
    for pair, (title, body, sentences) in zip(pairs, tokenise_pages(pairs), strict=True):
        alone = tokenise_pair(*pair)
        assert [tokens.hashes.tolist() for tokens in (title, body)] == [t.hashes.tolist() for t in alone]
        assert [tokens.text() for tokens in (title, body)] == [t.text() for t in alone]
        assert (title.starts.tolist(), body.ends.tolist()) == (
            alone[0].starts.tolist(),
            alone[1].ends.tolist(),
        )
        expected = sentence_runs(alone[1])
        assert sentences.hashes == expected.hashes
        assert sentences.starts.tolist() == expected.starts.tolist()
        assert sentences.lengths.tolist() == expected.lengths.tolist()


def test_a_batch_of_more_text_than_fits_in_one_array_is_divided():
    pairs = [
        ("Title", "word " * 3_000),
        ("Título", "ñandú " * 7_500),
        ("Long", "x" * 2 * CHARACTER_LIMIT),
    ] * 3
    for pair, (_, body, _) in zip(pairs, tokenise_pages(pairs), strict=True):
        assert body.hashes.tolist() == tokenise_pair(*pair)[1].hashes.tolist()
