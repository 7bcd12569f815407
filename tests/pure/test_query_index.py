"""Many queries against one document: the index returns what checking every query returns."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.story import Member, Story
from headwater.search.analysis import analyse
from headwater.search.matching import (
    SearchedDocument,
    clause_occurs,
    clause_places,
    matches,
    searched_document,
    searched_story,
)
from headwater.search.query import Clause, SearchFilters, SearchQuery, parse_query, query_words
from headwater.search.query_index import QueryIndex
from headwater.search.text_terms import TextTerms, term_positions, word_run

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
# Few words, so that queries and texts meet: with other forms, accents, scripts without spaces, and words of one letter.
WORDS = (
    "grain", "grains", "ships", "shipping", "the", "Odesa", "renovación", "renovacion", "Häuser", "haus", "日本経済", "経済",
    "เศรษฐกิจ", "a", "x", "state-of-the-art", "İstanbul", "http://wire.example/a", "\u0301", "w" * 70,
)  # fmt: skip
FIELDS = (
    "recipe:news",
    "recipe:other",
    "source:wire.example",
    "language:en",
    "language:es",
    "country:UA",
    "quality:0.5",
)
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
clauses = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS).map(lambda word: f"{word}*"),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(lambda words: f'"{" ".join(words)}"'),
    st.sampled_from(WORDS).map(lambda word: f"title:{word}"),
    st.sampled_from(WORDS).map(lambda word: f"-{word}"),
    st.sampled_from(FIELDS),
    st.sampled_from(FIELDS).map(lambda value: f"-{value}"),
    st.sampled_from(["OR", "since:24h", "until:2026-11-13", "*", '"', "-"]),
    st.text(max_size=5),
)


def parse(text: str) -> SearchQuery:
    try:
        return parse_query(text, NOW)
    except Refused:
        return SearchQuery()


queries = st.lists(st.lists(clauses, max_size=4).map(" ".join).map(parse), max_size=12)
documents = st.builds(
    lambda title, text, language, recipe: searched_document(
        Document(
            id="d", recipe=recipe, source="s", lead="l", url="https://news.wire.example/a", title=title, text=text,
            language=language, quality=0.6, published=NOW, attributes={"geo_entities": [{"alpha2": "UA"}]},
        )
    ),
    texts,
    texts | st.text(max_size=20),
    st.sampled_from(["", "en", "es-MX", "de", "tr", "zh", "th", "xx"]),
    st.sampled_from(["news", "other"]),
)  # fmt: skip


@given(queries, st.lists(documents, min_size=1, max_size=4))
def test_the_index_returns_what_checking_every_query_returns(
    many: list[SearchQuery], searched: list[SearchedDocument]
) -> None:
    index = QueryIndex(many, sampled=2)  # filed anew after the second document
    for document in searched:
        assert index.matching(document) == [
            position for position, query in enumerate(many) if matches(query, document)
        ]


@given(st.lists(st.sampled_from(WORDS), min_size=2, max_size=3), documents)
def test_a_phrase_is_the_same_in_the_sequence_of_words_and_by_positions(
    words: list[str], document: SearchedDocument
) -> None:
    clause = Clause(query_words(" ".join(words)))
    places, text = clause_places(clause, document.text.code), document.text
    if len(places) > 1 and (has_sequence := text.has_sequence(places)) is not None:
        assert has_sequence == clause_occurs(clause, text.body, text.code)
        if all(len(place) == 1 for place in places):
            terms = [term for (term,) in places]
            assert text.has_run(word_run(terms), terms) in (None, has_sequence)


@given(st.text(max_size=200) | texts, st.sampled_from(["", "en", "es", "ru", "zh", "th", "xx"]))
def test_a_text_has_the_same_terms_whether_it_is_read_at_once_or_in_chunks(text: str, language: str) -> None:
    positions = term_positions([text], language)
    assert sorted((place, term) for term, places in positions.items() for place in places) == sorted(
        (place, term) for place, terms in enumerate(analyse(text, language)) for term in terms
    )
    read = TextTerms((text,), language)
    assert read.terms == set(positions)
    (part,) = read.fields
    assert part.counts == {term: len(places) for term, places in positions.items()}
    assert part.length == len([terms for terms in analyse(text, language) if terms])
    if not part.is_unspaced:
        assert read.sequence_of(0).split() == [terms[0] for terms in analyse(text, language) if terms]


def test_a_query_is_filed_under_what_few_others_have() -> None:
    many = [parse(f"the harbour{number}") for number in range(50)]
    index = QueryIndex(many)
    document = searched_document(
        Document(id="d", recipe="news", source="s", lead="l", url="", title="The harbour7", language="en")
    )
    assert index.matching(document) == [7]
    assert [position for _, position, _ in index.index_for(document).candidates(document)] == [7]


def test_two_words_are_decided_by_where_the_query_is_filed() -> None:
    index = QueryIndex([parse("harbour strike"), parse("harbour strike -calm")])
    document = searched_document(
        Document(id="d", recipe="news", source="s", lead="l", url="", title="Harbour strike", language="en")
    )
    candidates = index.index_for(document).candidates(document)
    assert [rest is None for _, _, rest in candidates] == [True, False]
    assert index.matching(document) == [0, 1]


def test_the_first_documents_show_what_is_rare() -> None:
    index = QueryIndex([parse("harbour strike")], sampled=3)
    document = searched_document(
        Document(id="d", recipe="news", source="s", lead="l", url="", title="Harbour", language="en")
    )
    assert index.index_for(document).by_key.keys() == {"harbour"}  # filed under the longer word
    for _ in range(2):
        index.matching(document)
    assert index.index_for(document).by_key.keys() == {"strike"}


def test_a_story_meets_queries_by_its_title_its_summary_and_its_coverage() -> None:
    story = Story(
        id="s9",
        recipe="news",
        group="g",
        title="Grain ships leave Odesa",
        summary="Three vessels left on Friday.",
        members=(Member("d1"),),
        last_at=NOW,
        attributes={"countries": ["UA"], "languages": ["en"], "topic": {"code": "01", "name": "economy"}},
    )
    searched = searched_story(story)
    assert all(
        matches(parse(text), searched)
        for text in ("vessel", 'title:"grain ship"', "country:ua", "language:en", "topic:economy", "story:s9")
    )
    assert not matches(SearchQuery(groups=((Clause(("wheat",)),),), filters=SearchFilters()), searched)


def test_words_are_not_stemmed_in_a_language_without_a_stemmer() -> None:
    document = searched_document(
        Document(id="d", recipe="news", source="s", lead="l", url="", text="日本 shipping", language="zh")
    )
    assert matches(parse("shipping"), document)
