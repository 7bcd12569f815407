"""The arrays of the search index, the scores over them, and the passages that are shown."""

import tracemalloc
from datetime import UTC, datetime
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from headwater.search.analysis import word_terms
from headwater.search.coverage import text_coverage
from headwater.search.entry_terms import entry_terms, key_hash, term_hash
from headwater.search.fusion import ENGLISH, MULTILINGUAL, VectorScores, fuse, scaled, whole_weight
from headwater.search.matching import clause_places, has_phrase
from headwater.search.postings import (
    COLUMNS,
    PAGE_POSTINGS,
    Directory,
    join_entries,
    merge_postings,
    page_postings,
    read_all_pages,
    sort_postings,
    write_pages,
)
from headwater.search.query import Clause, parse_query
from headwater.search.scoring import SegmentPostings, score_words, statistics_of
from headwater.search.snippets import find_matches, make_snippet, query_terms
from headwater.search.text_terms import KEEPS_BEGINNINGS, TextTerms
from headwater.search.vector_codes import code_distances, encode_bits, read_vectors, smallest, store_vectors
from headwater.store.search.index_reader import IndexReader, Segment

NOW = datetime(2026, 11, 14, tzinfo=UTC)
TEXTS = st.lists(st.text("abc ", max_size=40), min_size=1, max_size=12)


def entry(text: str, *keys: str) -> bytes:
    return entry_terms(TextTerms(("", "", text), "xx"), keys).postings


@given(TEXTS)
def test_pages_return_what_was_written(texts: list[str]) -> None:
    arrays = sort_postings(join_entries([entry(text, "language:xx") for text in texts]))
    directory, pages = write_pages(arrays)
    assert np.array_equal(read_all_pages(pages).hashes, arrays.hashes)
    directory = Directory.from_bytes(directory.to_bytes())
    for word in {word for text in texts for word in text.split()} | {"missing"}:
        term = term_hash(word)
        places = [
            place for page in directory.pages_of([term])[0] for place in page_postings(pages[page], term)[0]
        ]
        assert places == [place for place, text in enumerate(texts) if word in text.split()]
    everyone = [
        p
        for page in directory.pages_of([key_hash("language:xx")])[0]
        for p in page_postings(pages[page], key_hash("language:xx"))[0]
    ]
    assert everyone == list(range(len(texts)))


@given(TEXTS, st.data())
def test_merged_segments_hold_the_documents_that_are_left(texts: list[str], data: st.DataObject) -> None:
    live = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))), dtype=bool)
    middle = len(texts) // 2
    parts = [
        (sort_postings(join_entries([entry(text) for text in texts[part]])), live[part])
        for part in (slice(0, middle), slice(middle, None))
    ]
    expected = sort_postings(
        join_entries([entry(text) for text, stays in zip(texts, live, strict=True) if stays])
    )
    merged = merge_postings(parts)
    assert np.array_equal(merged.hashes, expected.hashes)
    assert np.array_equal(merged.positions, expected.positions)
    assert np.array_equal(merged.counts, expected.counts)


def test_rare_words_short_texts_and_repetition_raise_the_score() -> None:
    texts = ["grain port", "grain grain grain port", "port", "port " * 30 + "grain", "port authority"]
    columns = np.zeros(len(texts), dtype=COLUMNS)
    columns["length"] = [len(text.split()) for text in texts]
    grain, port = (term_hash("grain"),), (term_hash("port"),)
    arrays = join_entries([entry(text) for text in texts])
    segment = SegmentPostings(columns, ["xx"], ["r"], arrays.of([*grain, *port]))
    statistics = statistics_of([segment], [grain, port], len(texts), int(columns["length"].sum()))
    by_grain = score_words(segment, [grain], statistics)
    assert by_grain[1] > by_grain[0] > by_grain[3] > by_grain[2] == 0
    assert by_grain[0] > score_words(segment, [port], statistics)[0]


def test_alternatives_count_once() -> None:
    columns = np.zeros(1, dtype=COLUMNS)
    columns["length"] = 2
    first, second = term_hash("aa"), term_hash("bb")
    segment = SegmentPostings(columns, ["xx"], ["r"], join_entries([entry("aa bb")]).of([first, second]))
    both, one = (first, second), (first,)
    statistics = statistics_of([segment], [both, one], 1, 2)
    assert score_words(segment, [both], statistics) == score_words(segment, [one], statistics)


@given(st.integers(1, 50), st.integers(1, 60), st.integers(0, 2**32))
def test_codes_order_vectors_by_their_signs_and_stored_vectors_keep_their_angle(
    count: int, wanted_count: int, seed: int
) -> None:
    vectors = np.random.default_rng(seed).standard_normal((count, 96)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    codes = encode_bits(vectors)
    distances = code_distances(codes, encode_bits(vectors[:1]))
    assert [int(d) for d in distances] == [int(((row > 0) != (vectors[0] > 0)).sum()) for row in vectors]
    chosen = smallest(distances, wanted_count)
    assert sorted(distances[chosen]) == sorted(distances)[:wanted_count]
    assert np.allclose((read_vectors(store_vectors(vectors)) * vectors).sum(axis=1), 1.0, atol=1e-3)


@pytest.mark.parametrize(
    ("query", "document", "english", "multilingual"),
    [("en", "en", 0.45, 0.4), ("", "en-GB", 0.45, 0.4), ("es", "en", 0.0, 0.45), ("xx", "en", 0.0, 0.045)],
)
def test_vectors_count_as_much_as_the_encoder_knows_the_languages(
    query: str, document: str, english: float, multilingual: float
) -> None:
    quality = {"en": 1.0, "es": 1.0}
    weights = type(MULTILINGUAL)(
        same=MULTILINGUAL.same, across=MULTILINGUAL.across, quality=quality, other=0.1
    )
    assert ENGLISH.weights(query, document)[1] == pytest.approx(english)
    assert weights.weights(query, document)[1] == pytest.approx(multilingual)


def test_scores_are_scaled_and_added() -> None:
    assert scaled(np.array([0.9, 0.5, 0.1], dtype=np.float32), pool=3).tolist() == pytest.approx(
        [1.0, 0.5, 0.0]
    )
    assert scaled(np.array([0.05, 0.01], dtype=np.float32)).tolist() == [0.0, 0.0]
    poor = np.array([0.2, 0.1], dtype=np.float32)
    assert scaled(poor, whole_weight([0.2])).tolist() == pytest.approx([1.0, 0.5])
    assert scaled(poor, whole_weight([0.2, 0.7])).tolist() == pytest.approx([0.5, 0.25])  # another is sure
    words = np.array([10.0, 5.0, 0.0], dtype=np.float32)
    half = np.full(3, 0.5, dtype=np.float32)
    parts = [VectorScores(np.array([0.0, 1.0, 1.0], dtype=np.float32), half, half)]
    assert fuse(words, 10.0, parts).tolist() == pytest.approx([0.5, 0.75, 0.5])
    assert fuse(words, 10.0, []).tolist() == pytest.approx([1.0, 0.5, 0.0])


@given(st.text(max_size=400), st.text(max_size=30))
def test_highlights_are_the_same_words_in_the_snippet_and_in_the_text(text: str, query: str) -> None:
    terms = query_terms(parse_query("word " + query.replace(":", " "), NOW), "en")
    snippet = make_snippet(text, find_matches(text, "en", terms))
    lines = str.maketrans("\n\t\r", "   ")
    for (first, last), (start, end) in zip(snippet.matches, snippet.offsets, strict=True):
        assert snippet.text[first:last] == text[start:end].translate(lines)


@pytest.mark.parametrize(("query", "marked"), [("españ*", "España"), ("lod*", "Łódź"), ("aero", "Ærø")])
def test_highlights_ignore_accents_and_letters_with_strokes(query: str, marked: str) -> None:
    text = "Trains from España to Łódź and Ærø"
    terms = query_terms(parse_query(query, NOW), "en")
    assert [text[first:last] for first, last, _ in find_matches(text, "en", terms)] == [marked]


def test_a_snippet_shows_where_most_words_stand() -> None:
    text = "grain. " + "nothing " * 60 + "grain in the port of Odesa " + "nothing " * 60
    snippet = make_snippet(text, find_matches(text, "en", query_terms(parse_query("grain odesa", NOW), "en")))
    assert "grain in the port of Odesa" in snippet.text
    assert snippet.text.startswith("… ")
    assert snippet.text.endswith(" …")
    assert make_snippet("short", []).text == "short"


def test_coverage_is_the_share_of_the_words_that_carry_content() -> None:
    assert text_coverage("permisos de pesca", "Permiso para cazar", "es") == 0.5
    assert text_coverage("the port", "ports", "en") == 1.0
    assert text_coverage("", "ports", "en") == 0.0


def test_a_phrase_is_highlighted_only_where_it_stands() -> None:
    text = "Port of Odesa. The strike at the port, a port strike, strikes. 東京都と京都"

    def marked(query: str) -> list[str]:
        terms = query_terms(parse_query(query, NOW), "en")
        return [text[first:last] for first, last, _ in find_matches(text, "en", terms)]

    assert marked('"port strike"') == ["port", "strike"]
    assert marked('"port stri*"') == ["port", "strike"]
    assert marked('"port strike" odesa') == ["Odesa", "port", "strike"]
    assert marked("strike") == ["strike", "strike", "strikes"]
    assert marked('"東京都"') == ["東京", "京都"]


def test_marks_of_headings_are_not_in_a_snippet() -> None:
    text = "# Ports\n\nThe strike.\n## Night shifts\nTalks #2 about shifts failed."
    snippet = make_snippet(text, find_matches(text, "en", query_terms(parse_query("shifts", NOW), "en")))
    assert snippet.text == "Ports  The strike. Night shifts Talks #2 about shifts failed."
    assert [snippet.text[first:last] for first, last in snippet.matches] == ["shifts", "shifts"]
    assert [text[first:last] for first, last in snippet.offsets] == ["shifts", "shifts"]


def test_the_floor_of_similarity_depends_on_the_encoder_and_the_languages() -> None:
    assert ENGLISH.floor("en", "en").below(0.3) == 0.2
    assert ENGLISH.floor("", "en").below(0.9) == pytest.approx(0.36)
    assert MULTILINGUAL.floor("es", "en").below(0.2) == pytest.approx(0.01)
    assert MULTILINGUAL.floor("de", "de-AT").below(0.2) == pytest.approx(0.08)


@given(code=st.sampled_from(sorted(KEEPS_BEGINNINGS)), word=st.text("abcdefghijklmnoprstuvz", min_size=1))
@settings(max_examples=300)
def test_stemmers_that_keep_the_first_letter_do(code: str, word: str) -> None:
    assert {term[0] for term in word_terms(word, code)} == {word[0]}


WRITTEN = st.lists(
    st.sampled_from(
        ["port", "ports", "strike", "the", "español", "日本", "x-ray", "s" + "a" * 80, "po\x01rt", "\x01"]
    ),
    max_size=8,
)


@given(written=WRITTEN, phrase=st.lists(st.sampled_from(["port", "strikes", "espanol", "the"]), min_size=2))
def test_a_text_that_is_read_for_one_phrase_has_it_if_its_terms_do(
    written: list[str], phrase: list[str]
) -> None:
    text, clause = TextTerms(("", "", " ".join(written)), "es"), Clause(tuple(phrase))
    places = clause_places(clause, "es")
    assert text.has_spoken(places) in (None, has_phrase(clause, places, text))


def test_a_phrase_is_looked_for_without_copies_of_the_text() -> None:
    text = "port strait, " * 15_000
    places = clause_places(Clause(("port", "strike")), "en")
    tracemalloc.start()
    try:
        assert TextTerms(("", "", text), "en").has_spoken(places) is False
        assert tracemalloc.get_traced_memory()[1] < 3.5 * len(text)
    finally:
        tracemalloc.stop()


def test_words_with_a_beginning_are_read_as_far_as_their_pages_allow() -> None:
    arrays = sort_postings(join_entries([entry(" ".join(f"w{number}" for number in range(9_000)))]))
    directory, pages = write_pages(arrays)
    assert len(pages) == 3
    segment = Segment(1, np.zeros(1, dtype=COLUMNS), ["xx"], ["r"], [1], directory)
    index = IndexReader(cast("Connection", None), (segment, segment), 1, 1)
    terms = [int(value) for value in arrays.hashes]
    assert index.first_affordable(terms, 6) == 9_000
    assert index.first_affordable(terms, 4) == PAGE_POSTINGS * 2
    assert index.first_affordable(terms, 1) == 1
