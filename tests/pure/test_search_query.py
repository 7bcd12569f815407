"""The query language, and whether a document in memory meets a query."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.document import Document, Mention
from headwater.model.errors import Refused
from headwater.search.analysis import analyse, tokens_of
from headwater.search.matching import matches, searched_document
from headwater.search.near_spellings import MOST_WORDS, correctable_words, near_spellings
from headwater.search.query import Clause, SearchFilters, SearchQuery, make_filters, parse_query

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
DOCUMENT = Document(
    id="d1",
    recipe="geopolitics",
    source="s1",
    lead="l1",
    url="https://news.wire.example/a",
    title="Grain ships leave Odesa",
    text="Three vessels carrying wheat left the port on Friday. The insurers were running out of patience.",
    publisher="The Wire",
    published=datetime(2026, 11, 13, 8, tzinfo=UTC),
    language="en-GB",
    subjects=("black-sea",),
    mentions=(Mention("ukraine", "country", 1.0),),
    quality=0.7,
    attributes={
        "topic": {"code": "01000000", "name": "economy"},
        "geo_entities": [{"alpha2": "UA", "count": 2}],
    },
)
SEARCHED = searched_document(DOCUMENT, source_name="Wire feed", stories=["story-9"])


def parse(text: str) -> SearchQuery:
    return parse_query(text, NOW)


def word(text: str) -> tuple[Clause, ...]:
    return (Clause((text,)),)


def test_words_phrases_prefixes_and_exclusions_become_clauses() -> None:
    query = parse('grain "black sea port" ship* -oil -"north sea" title:Odesa')
    assert query.groups == (
        word("grain"),
        (Clause(("black", "sea", "port")),),
        (Clause(("ship",), prefix=True),),
        (Clause(("odesa",), "title"),),
    )
    assert query.excluded == (Clause(("oil",)), Clause(("north", "sea")))
    assert query.required == query.groups[1:]
    assert query.text == "grain black sea port ship Odesa"


def test_or_joins_alternatives() -> None:
    assert parse('wheat OR "sunflower oil" OR maize port').groups == (
        (Clause(("wheat",)), Clause(("sunflower", "oil")), Clause(("maize",))),
        word("port"),
    )
    assert parse("OR wheat OR").groups == (word("wheat"),)


def test_fields_become_filters_and_several_values_are_alternatives() -> None:
    filters = parse('language:es,ca language:gl source:"The Wire" quality:>=0.5 country:UA').filters
    assert filters == SearchFilters(
        language=("es", "ca", "gl"), source=("The Wire",), quality=0.5, country=("UA",)
    )
    assert parse("-source:wire.example").excluded_filters == (SearchFilters(source=("wire.example",)),)
    assert parse("https://a.example/x").groups[0] == word("https")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('source:"Loop Wire",Seeds', ("Loop Wire", "Seeds")),
        ('SOURCE:Seeds,"Loop Wire"', ("Seeds", "Loop Wire")),
        ('source:"Loop Wire","Old Mill', ("Loop Wire", "Old Mill")),
        ('source:"Loop Wire,Seeds",', ("Loop Wire", "Seeds")),
    ],
)
def test_alternatives_may_be_in_quotes(text: str, values: tuple[str, ...]) -> None:
    assert parse(text) == SearchQuery(filters=SearchFilters(source=values))
    assert parse(f"-{text}") == SearchQuery(excluded_filters=(SearchFilters(source=values),))


def test_not_and_every_kind_of_minus_exclude() -> None:
    for text in ("port NOT football", "port \u2013football", "port \u2212football", "port \uff0dfootball"):
        assert parse(text) == parse("port -football"), text
    assert parse('NOT source:wire NOT "north sea" port') == parse('-source:wire -"north sea" port')
    assert parse("port \u2013 not city\u2013state").excluded == ()


def test_a_word_of_marks_alone_is_no_prefix_of_everything() -> None:
    assert not matches(parse("\u0301*"), SEARCHED)
    assert matches(parse("grain -\u0301*"), SEARCHED)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("since:2026-11-01", "2026-11-01T00:00", None),
        ("until:2026-11-01", None, "2026-11-01T00:00"),
        ("date:2026-11-01..2026-11-03", "2026-11-01T00:00", "2026-11-04T00:00"),
        ("date:2026-11", "2026-11-01T00:00", "2026-12-01T00:00"),
        ("date:2026", "2026-01-01T00:00", "2027-01-01T00:00"),
        ("date:2026-11-01..", "2026-11-01T00:00", None),
        ("date:..2026-10", None, "2026-11-01T00:00"),
        ("since:24h", "2026-11-13T12:00", None),
        ("date:2026-W46", "2026-11-09T00:00", "2026-11-16T00:00"),
        ("date:20261101", "2026-11-01T00:00", "2026-11-02T00:00"),
        ("date:yesterday", "2026-11-13T00:00", "2026-11-14T00:00"),
    ],
)
def test_dates_name_periods(text: str, since: str | None, until: str | None) -> None:
    def moment(value: str | None) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value).replace(tzinfo=UTC)

    filters = parse(text).filters
    assert (filters.since, filters.until) == (moment(since), moment(until))


@pytest.mark.parametrize(
    "text",
    [
        "since:someday",
        "date:2026-13",
        "quality:good",
        "quality:7",
        "language:,",
        "date:9999",
        "date:24h",
        "date:2026-W60",
        "date:2026..2025",
    ],
)
def test_an_impossible_value_is_refused_with_its_field(text: str) -> None:
    with pytest.raises(Refused) as refusal:
        parse(text)
    assert text.partition(":")[0] in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("???", "nothing to search for; give a word, a phrase or a filter"),
        ("OR", "nothing to search for; give a word, a phrase or a filter"),
        ('""', "nothing to search for"),
        ("languge:es", "did you mean language:es"),
        ("-lang:es", "did you mean language:es"),
        ("grain Sources:wire", "did you mean source:wire"),
        ("word " * 401, "2,005 characters; at most 2,000"),
        (" ".join(f"-w{number}" for number in range(65)), "excludes more than 64"),
        (" ".join(f'"w{number}"' for number in range(65)), "condition after more than 64"),
        ("w " + " ".join(f"w{number}" for number in range(64)) + " title:x", "condition after more than 64"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_to_write(text: str, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        parse(text)


def test_an_unknown_field_is_a_word_and_said_so_except_in_addresses() -> None:
    assert parse("kind:press").notices == ("there is no field 'kind': it was searched as a word",)
    assert parse("https://a.example/x Re: talks").notices == ()
    assert parse("data:breach").notices == ("there is no field 'data': it was searched as a word",)
    assert "did you mean publisher:x" in parse("pub:x").notices[0]
    assert "names no value" in parse("source: wire").notices[0]
    assert parse("grain since:2026-11-14 until:2026-11-01").notices == (
        "until (2026-11-01 00:00) is not after since (2026-11-14 00:00): no document can match",
    )
    assert not parse("").groups
    assert not parse(" ** * ").groups


@given(st.text(max_size=300) | st.text("\"-*: ORtitle()'\\;,|", max_size=60))
def test_no_query_fails_and_its_clauses_hold_words(text: str) -> None:
    try:
        query = parse(text)
    except Refused:
        return
    clauses = [*(clause for group in query.groups for clause in group), *query.excluded]
    assert all(clause.words and all(clause.words) for clause in clauses)
    matches(query, SEARCHED)


def test_an_open_quote_is_closed_and_of_many_words_the_first_rank() -> None:
    assert len(parse(" ".join(f"w{number}" for number in range(300))).groups) == 64
    assert parse('ships "grain deal').groups == (word("ships"), (Clause(("grain", "deal")),))


@pytest.mark.parametrize(
    "text",
    [
        "grain",
        "SHIP vessel",
        "insurer run",
        '"grain ships"',
        "whea*",
        "title:odesa",
        "oil OR wheat",
        "grain -oil",
        "language:en",
        "source:s1",
        'source:"wire feed"',
        "source:wire.example",
        'publisher:"the wire"',
        "topic:economy",
        "topic:01000000",
        "country:ua",
        "subject:ukraine",
        "subject:black-sea",
        "story:story-9",
        "date:2026-11-13",
        "quality:0.7",
        "grain -language:es",
        "",
    ],
)
def test_a_document_meets_the_query(text: str) -> None:
    assert matches(parse(text), SEARCHED)


@pytest.mark.parametrize(
    "text",
    [
        "barley",
        "grain barley",
        '"ships grain"',
        '"odesa three"',
        "title:wheat",
        "grain -wheat",
        "language:es",
        "source:other",
        "date:2026-11-12",
        "until:2026-11-12",
        "quality:0.8",
        "-country:UA",
        "story:story-8",
    ],
)
def test_a_document_does_not_meet_the_query(text: str) -> None:
    assert not matches(parse(text), SEARCHED)


@pytest.mark.parametrize(
    ("language", "written", "typed"),
    [
        ("es", "Renovación de los permisos", "renovacion permiso"),
        ("de", "Die Häuser am Fluß", "haus fluss"),
        ("ru", "Переговоры о зерне", "переговорам зерна"),
        ("tr", "İstanbul'daki evlerimizden", "istanbul evler"),
        ("zh", "日本経済の成長", "経済"),
        ("ko", "서울에서 열린 회의", "서울"),
        ("th", "เศรษฐกิจไทยเติบโต", "เศรษฐกิจ"),
        ("hi", "किताबें पढ़ना", "किताबें"),
        ("ar", "دفاع الفريق", "أين الدفاع؟ الفريق؟".partition(" ")[2]),
        ("xx", "Qwertzu", "QWERTZU"),
        ("pl", "Łódź i Wałbrzych", "lodz walbrzych"),
        ("da", "Søren på Ærø", "soren aero"),
        ("hr", "Đorđević", "dordevic"),
        ("tr", "Diyarbakır'da ışık", "diyarbakir isik"),
        ("is", "Þórður", "thordur"),
    ],
)
def test_words_meet_without_case_accents_and_endings(language: str, written: str, typed: str) -> None:
    document = searched_document(DOCUMENT.with_changes(title="", text=written, language=language))
    assert matches(parse(typed), document)


@given(st.text(max_size=200), st.sampled_from(["", "en", "es", "ru", "zh", "th", "xx"]))
def test_tokens_stand_where_they_say(text: str, language: str) -> None:
    tokens = list(tokens_of(text, language))
    assert [token.terms for token in tokens] == analyse(text, language)
    assert all(0 <= token.start < token.end <= len(text) and token.terms for token in tokens)


def test_what_a_caller_left_empty_is_no_condition():
    filters = make_filters(
        {"recipe": None, "source": "", "language": [], "topic": "war", "country": ["UA", "PL"]}
    )
    assert filters == SearchFilters(topic=("war",), country=("UA", "PL"))


def test_near_spellings_have_one_slip_after_the_first_letter() -> None:
    spellings = set(near_spellings("ports"))
    assert {"port", "poorts", "pirts", "prots", "portso"} <= spellings
    assert not {"sports", "aorts", "ports", "opts"} & spellings
    assert "порты" in set(near_spellings("порти"))


def test_only_a_few_words_of_a_usual_length_are_corrected() -> None:
    words = [f"word{number}" for number in range(64)]
    assert correctable_words(["x" * 2_000, "abc", *words]) == words[:MOST_WORDS]
