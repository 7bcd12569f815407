"""Search by words over kept documents, the same on both databases."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, delete, func, insert, select, update
from tests.support.scene import HOUR, RECIPE, START, Scene, ended_result, kept_result

from headwater.model.document import Mention
from headwater.model.errors import Refused
from headwater.model.jobs import State
from headwater.search.query import SearchFilters, SearchQuery, parse_query
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.maintenance.retention import mark_archived
from headwater.store.schema.flow import documents
from headwater.store.schema.search import search_entries, search_segments, search_vectors
from headwater.store.search import candidates, document_search, result_rows, segments, term_lookup
from headwater.store.search.document_search import DocumentSearch, SearchResults
from headwater.store.search.entries import AT_ONCE, index_documents
from headwater.store.search.renewal import old_segments, renew_segments
from headwater.store.search.segments import refresh_segments

TEXTS = {
    "licence": ("Renovación del permiso de conducir", "El permiso caduca a los diez años.", "es"),
    "fishing": ("Licencia de pesca", "Para pescar hace falta un permiso anual.", "es"),
    "census": ("Empadronament", "Cal portar el document d'identitat i el permiso.", "ca"),
}


@pytest.fixture
def filled(scene: Scene) -> Scene:
    for path, (title, text, language) in TEXTS.items():
        scene.keep(path, title=title, text=text, language=language, published=scene.now)
        scene.now += HOUR
    return scene


def search(engine: Engine, text: str, *, facets: tuple[str, ...] = (), **filters: Any) -> SearchResults:
    limit = filters.pop("limit", 10)
    query = parse_query(text, START, filters=SearchFilters(**filters), limit=limit)
    return DocumentSearch(engine, Path()).search(query, method="words", facets=facets)


def titles(engine: Engine, text: str, **filters: Any) -> list[str]:
    return [row["title"] for row in search(engine, text, **filters).rows]


def count(engine: Engine, table: Any) -> int:
    with read_transaction(engine) as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0


def test_p29_documents_are_found_by_words_in_the_transaction_that_stores_them(filled: Scene, engine: Engine):
    for query in (
        "renovacion",
        "RENOVACIÓN",
        "¿renovación?",
        '"permiso de conducir"',
        "renov*",
        "title:conducir",
    ):
        assert titles(engine, query)[0] == "Renovación del permiso de conducir", query
    hits = search(engine, "permiso de conducir").rows
    assert hits[0]["title"] == "Renovación del permiso de conducir"
    assert {row["title"] for row in hits[1:]} == {"Licencia de pesca", "Empadronament"}
    assert hits[0]["coverage"] == 1.0 > hits[1]["coverage"]
    assert titles(engine, "permisos anuales")[0] == "Licencia de pesca"


def test_what_is_in_quotes_is_required_also_in_scripts_without_spaces(filled: Scene, engine: Engine):
    filled.keep("capital", title="首都", text="北京是中国的首都。", language="zh", published=filled.now)
    filled.keep("school", title="新闻", text="他在北京大学教书。", language="zh", published=filled.now)
    assert titles(engine, '"北京大学"') == ["新闻"]
    assert titles(engine, '"大学北京"') == []
    assert set(titles(engine, "北京大学")) == {"新闻", "首都"}
    assert titles(engine, 'permiso "anual"') == ["Licencia de pesca"]


def test_operators_narrow_the_results(filled: Scene, engine: Engine):
    assert titles(engine, "permiso -conducir -title:empadronament") == ["Licencia de pesca"]
    assert set(titles(engine, "conducir OR pesca")) == {
        "Renovación del permiso de conducir",
        "Licencia de pesca",
    }
    assert titles(engine, '"conducir permiso"') == []
    assert titles(engine, 'permiso -"permiso anual" language:es') == ["Renovación del permiso de conducir"]


def test_filters_by_language_moment_recipe_and_count(filled: Scene, engine: Engine):
    assert titles(engine, "permiso", language=("ca",)) == ["Empadronament"]
    assert titles(engine, "permiso", since=START + 2 * HOUR) == ["Empadronament"]
    assert titles(engine, "permiso", until=START + HOUR) == ["Renovación del permiso de conducir"]
    assert titles(engine, "language:ca") == ["Empadronament"]
    assert len(titles(engine, "permiso", limit=2)) == 2
    assert search(engine, "permiso", limit=1).total == 3
    assert titles(engine, "permiso", recipe=("other",)) == []


def test_filters_and_facets_by_what_is_known_of_documents(scene: Scene, engine: Engine):
    about = {"publisher": "The Wire", "quality": 0.9, "subjects": ("black-sea",), "language": "en"}
    economy = {
        "topic": {"code": "04000000", "name": "economy"},
        "geo_entities": [{"alpha2": "UA", "count": 1}],
    }
    scene.keep(
        "a", title="Grain ships", attributes=economy, mentions=(Mention("odesa", "place", 1.0),), **about
    )
    scene.keep("b", title="Grain trains", publisher="Rail News", quality=0.2, language="en")
    for query in (
        'publisher:"the wire"',
        "topic:economy",
        "topic:04000000",
        "country:ua",
        "subject:odesa",
        "subject:black-sea",
        "quality:0.5",
        '-publisher:"rail news"',
    ):
        assert titles(engine, f"grain {query}") == ["Grain ships"], query
    site = search(engine, "grain").rows[0]["url"].split("/")[2]
    assert len(titles(engine, f"grain source:{site}")) == 2
    assert titles(engine, "grain source:elsewhere.example") == []
    results = search(engine, "grain", facets=("publisher", "topic", "country", "language"))
    assert results.facets == {
        "publisher": {"Rail News": 1, "The Wire": 1},
        "topic": {"economy": 1},
        "country": {"UA": 1},
        "language": {"en": 2},
    }
    with pytest.raises(Refused, match="there is no facet"):
        search(engine, "grain", facets=("colour",))


@pytest.mark.parametrize(
    "query",
    ["permiso' OR '1'='1", "NEAR(", "title:", "permiso*", "p*", "zz & | ! <-> :*", "*", "x" * 70],
)
def test_no_query_fails(filled: Scene, engine: Engine, query: str):
    assert len(titles(engine, query)) == (3 if query[0] in "p*" else 0)


def test_totals_and_facets_leave_out_documents_with_the_words_of_a_phrase_apart(
    filled: Scene, engine: Engine
):
    for query in ('permiso -"permiso anual"', '"el permiso"'):
        results = search(engine, query, facets=("language",))
        assert results.total == results.word_total == len(results.rows) == 2, query
        assert sum(results.facets["language"].values()) == 2


def test_a_phrase_is_looked_for_in_as_many_documents_as_may_be_read(
    scene: Scene, engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    scene.keep("a", "b", "c", title="Apart", text="A deal, and grain.", language="en")
    scene.keep("d", title="Together", text="The grain deal. " + "Nothing of note. " * 40, language="en")
    monkeypatch.setattr(candidates, "MAX_UNSURE", 1)
    for name, value in {"SPARE": 0, "PHRASE_CANDIDATES": 2, "MAX_CANDIDATES": 5}.items():
        monkeypatch.setattr(document_search, name, value)
    read_ids: list[str] = []

    def has_phrases(query: SearchQuery, row: Mapping[str, Any]) -> bool:
        read_ids.append(row["id"])
        return is_there(query, row)

    is_there = result_rows.has_phrases
    monkeypatch.setattr(result_rows, "has_phrases", has_phrases)
    results = search(engine, '"grain deal"', limit=1)
    assert [row["title"] for row in results.rows] == ["Together"]
    assert results.notices == ()
    assert len(read_ids) == len(set(read_ids)) == 4  # each text once
    monkeypatch.setattr(document_search, "MAX_CANDIDATES", 3)
    results = search(engine, '"grain deal"', limit=1)
    assert results.rows == []
    assert "the texts of the best 3 documents were read" in results.notices[0]


def test_equal_articles_of_two_recipes_are_two_results_wherever_they_rank(scene: Scene, engine: Engine):
    article = {"title": "Grain deal", "text": "The grain deal was signed.", "language": "en"}
    (first,) = scene.keep("first", **article)
    scene.keep(*(f"between{n}" for n in range(12)), title="Port", text="The grain deal was signed. " * 2)
    (second,) = scene.keep("second", **article, description="Signatures. " * 200)
    with unchecked_transaction(engine) as connection:
        for column in (documents.c.id, search_entries.c.document_id):
            connection.execute(update(column.table).where(column == second.id).values(recipe="markets"))
    pages: list[list[dict[str, Any]]] = []
    shown_ids: set[str] = set()
    for _ in range(3):
        results = DocumentSearch(engine, Path()).search(
            parse_query("grain", START, limit=5),
            is_wanted=lambda document: document not in shown_ids,
            passed_over=len(shown_ids),
        )
        pages.append(list(results.rows))
        shown_ids.update(row["id"] for row in results.rows)
    assert ([len(page) for page in pages], results.total, len(shown_ids)) == ([5, 5, 4], 14, 14)
    recipes = [{row["id"]: row["recipe"] for row in page} for page in pages]
    assert (recipes[0][first.id], recipes[2][second.id]) == (RECIPE, "markets")
    (row,) = search(engine, "grain", recipe=("markets",)).rows
    assert (row["id"], row["duplicates"]) == (second.id, [])
    assert search(engine, "grain -recipe:markets").total == 13


def test_a_beginning_that_most_documents_have_finds_them_all(scene: Scene, engine: Engine):
    for number in range(40):
        scene.keep(f"ship-{number}", title=f"Ship {number}", text="The shipping season.")
    scene.keep("letter", title="Letter S", text="A report from the U.S. coast.")
    scene.keep("train", title="Train", text="A locomotive.")
    for query, total in {
        "s*": 41,
        "locomotive OR s*": 42,
        "s* locomotive": 41,
        's* "u"': 1,
        '"the" OR locomotive': 42,
    }.items():
        results = search(engine, query, limit=50)
        assert (len(results.rows), results.total, results.notices) == (total, total, ()), query
    assert titles(engine, "s*")[0] == "Letter S"


def test_no_result_has_a_word_with_an_excluded_beginning(
    scene: Scene, engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(term_lookup, "MAX_EXPANSIONS", 1)
    for title in ("Grain ship", "Grain shipyard", "Grain"):
        scene.keep(title, title=title, language="en")
    results = search(engine, "grain -ship*")
    assert [row["title"] for row in results.rows] == ["Grain"]
    assert "the total also counts documents with the others" in results.notices[0]
    assert [row["title"] for row in search(engine, "grain -title:ship*").rows] == ["Grain"]


def test_a_filter_that_names_what_there_is_not_is_noticed(filled: Scene, engine: Engine):
    assert search(engine, "permiso language:es").notices == ()
    results = search(engine, "permiso -source:nope publisher:wyre")
    assert results.notices == ("no document has the publisher 'wyre'", "there is no source named 'nope'")
    with pytest.raises(Refused, match="no method 'nope'"):
        DocumentSearch(engine, Path()).search(parse_query("x", START), method="nope")  # type: ignore[arg-type]


def test_phrases_of_documents_without_a_language(scene: Scene, engine: Engine):
    scene.keep("a", title="Moving ships", text="The running engines stopped.", language="")
    assert titles(engine, '"running engine"') == ["Moving ships"]


def test_snippets_show_the_matches_where_they_stand_in_the_text(scene: Scene, engine: Engine):
    text = (
        "Nothing of note. " * 40
        + "Vessels carrying wheat left the port.\nThe wheat was late. "
        + "More. " * 99
    )
    scene.keep("a", title="Wheat", text=text, language="en")
    (row,) = search(engine, "wheat vessel").rows
    assert [row["snippet"][first:last] for first, last in row["highlights"]] == ["Vessels", "wheat", "wheat"]
    assert [text[first:last] for first, last in row["offsets"]] == ["Vessels", "wheat", "wheat"]
    assert row["title_highlights"] == [[0, 5]]


def test_duplicates_are_folded_under_their_original(scene: Scene, engine: Engine):
    (original,) = scene.keep("a", title="Grain ships")
    (copy,) = scene.drafts("b")
    scene.refine(ended_result(copy, State.DUPLICATE, "duplicate:text", of=original.id))
    (row,) = search(engine, "grain").rows
    assert [duplicate["id"] for duplicate in row["duplicates"]] == [copy.id]


def test_a_misspelt_word_is_corrected_only_when_nothing_else_matches(filled: Scene, engine: Engine):
    results = search(engine, "conducri")
    assert [row["title"] for row in results.rows] == ["Renovación del permiso de conducir"]
    assert results.corrections
    for slip in ("conduciir", "condcir", "conduxir"):
        assert titles(engine, slip) == ["Renovación del permiso de conducir"], slip
    assert search(engine, "conducri pesca").corrections == {}
    assert titles(engine, "xyzzyxyz") == []
    assert search(engine, "xyzzyxyz", facets=("recipe",)).facets == {"recipe": {}}


def test_the_index_follows_changes_and_removals(filled: Scene, engine: Engine):
    (draft,) = filled.keep("news", title="Carril bici", text="Obras.", language="es")
    assert titles(engine, "carril") == ["Carril bici"]
    filled.now += HOUR
    filled.refine(kept_result(filled.change(draft, "b"), title="Carril bus", text="Obras.", language="es"))
    assert titles(engine, "bus") == ["Carril bus"]
    assert titles(engine, "bici") == []
    filled.now += HOUR
    assert mark_archived(engine, [(draft.id, 2)], "2026-11.jsonl", filled.now, lambda _: True) == 1
    assert titles(engine, "bus") == []
    assert index_documents(engine, RECIPE, whole=True) == 1
    assert count(engine, search_entries) == 3


def test_documents_that_came_without_the_engine_are_indexed_by_the_first_search(
    filled: Scene, engine: Engine
):
    with unchecked_transaction(engine) as connection:
        connection.execute(delete(search_entries))
    assert len(titles(engine, "permiso")) == 3
    assert index_documents(engine, RECIPE) == 0


def test_segments_are_written_joined_and_cleaned_without_a_change_of_results(
    scene: Scene, engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(segments, "FLUSH_SIZE", 30)
    monkeypatch.setattr(segments, "MERGE_COUNT", 3)
    for name in ("p", "q", "r"):
        scene.keep(*(f"{name}{number}" for number in range(90)), title=f"Common {name}{name}", language="en")
    before = [(row["id"], row["score"]) for row in search(engine, "common qq", limit=100).rows]
    assert refresh_segments(engine, flush_at=30) > 9
    assert count(engine, search_segments) <= 3
    assert [(row["id"], row["score"]) for row in search(engine, "common qq", limit=100).rows] == before
    assert len(titles(engine, "qq", limit=500)) == 90
    (draft,) = scene.keep("later", title="Later qq", language="en")
    assert len(titles(engine, "qq", limit=500)) == 91
    scene.now += HOUR
    scene.refine(kept_result(scene.change(draft, "b"), title="Other", language="en"))
    assert refresh_segments(engine, flush_at=1) >= 1
    assert len(titles(engine, "qq", limit=500)) == 90
    assert titles(engine, "oth*") == ["Other"]


def test_more_documents_than_one_batch_are_indexed_again(scene: Scene, engine: Engine):
    for first in range(0, AT_ONCE + 10, 70):
        scene.keep(*(f"p{number}" for number in range(first, first + 70)), title="Uno")
    with unchecked_transaction(engine) as connection:
        connection.execute(delete(search_entries))
    assert index_documents(engine, RECIPE) == 210 > AT_ONCE
    assert len(titles(engine, "uno", limit=500)) == 210


def test_the_longest_text_and_strange_letters_do_no_harm(scene: Scene, engine: Engine):
    scene.keep("long", title="Largo", text=" ".join(f"w{number}" for number in range(50_000)), language="es")
    scene.keep("odd", title="Ω 日本経済 ² ﬁn", text="x" * 500_000, language="ja")
    assert titles(engine, "w17") == ["Largo"]
    assert titles(engine, "経済 fin") == ["Ω 日本経済 ² ﬁn"]


def test_documents_of_an_older_index_are_indexed_again_without_a_gap(
    filled: Scene, engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(segments, "INDEX_VERSION", 1)
    refresh_segments(engine, flush_at=1)
    before = search(engine, "pesca")
    assert before.rows
    number = old_segments(engine)
    assert len(number) == 1
    with engine.begin() as connection:
        entry = connection.execute(select(search_entries.c.id, search_entries.c.document_id)).first()
        row = {"model": "m", "entry_id": entry.id, "vector": b"1234"}
        connection.execute(insert(search_vectors), [row])
    monkeypatch.undo()
    assert renew_segments(engine, seconds=0) == 0
    assert old_segments(engine) == number
    assert renew_segments(engine) >= len(before.rows)
    assert old_segments(engine) == []
    refresh_segments(engine, flush_at=1)
    after = search(engine, "pesca")
    assert [row["id"] for row in after.rows] == [row["id"] for row in before.rows]
    with engine.begin() as connection:
        query = select(search_entries.c.document_id).join(
            search_vectors, search_vectors.c.entry_id == search_entries.c.id
        )
        assert connection.scalar(query) == entry.document_id
    assert old_segments(engine) == []
    assert renew_segments(engine) == 0
