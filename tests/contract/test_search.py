"""Full text over kept documents, the same on both databases."""

import pytest
from sqlalchemy import Engine, func, select
from tests.support.scene import HOUR, RECIPE, START, Scene, kept_result

from headwater.search.word_query import WordQuery
from headwater.store.connect import read_transaction
from headwater.store.maintenance.retention import mark_archived
from headwater.store.schema.search import search_entries
from headwater.store.search.full_text import search_text
from headwater.store.search.full_text_index import AT_ONCE, index_documents

TEXTS = {
    "licence": ("Renovación del permiso de conducir", "El permiso caduca a los diez años.", "es"),
    "fishing": ("Licencia de pesca", "Para pescar hace falta un permiso anual.", "es"),
    "census": ("Empadronament", "Cal portar el document d'identitat i el permís.", "ca"),
}


@pytest.fixture
def filled(scene: Scene) -> Scene:
    for path, (title, text, language) in TEXTS.items():
        scene.keep(path, title=title, text=text, language=language, published=scene.now)
        scene.now += HOUR
    return scene


def titles(engine: Engine, query: str, **filters: object) -> list[str]:
    return [row["title"] for row in search_text(engine, WordQuery(query=query, recipe=RECIPE, **filters))]


def indexed(engine: Engine) -> int:
    with read_transaction(engine) as connection:
        return connection.scalar(select(func.count()).select_from(search_entries)) or 0


@pytest.mark.parametrize("query", ["renovacion", "RENOVACIÓN", "¿renovación?", '"permiso de conducir"'])
def test_p29_words_are_found_without_accents_cases_and_signs(filled: Scene, engine: Engine, query: str):
    assert titles(engine, query)[0] == "Renovación del permiso de conducir"


def test_p29_every_word_goes_before_some_words_and_titles_before_texts(filled: Scene, engine: Engine):
    hits = search_text(engine, WordQuery(query="permiso de conducir", recipe=RECIPE))
    assert hits[0]["title"] == "Renovación del permiso de conducir"
    assert {row["title"] for row in hits[1:]} == {"Licencia de pesca", "Empadronament"}
    assert hits[0]["coverage"] == 1.0 > hits[1]["coverage"]
    assert "permiso caduca" in hits[0]["snippet"]


def test_other_forms_of_a_word_are_found(filled: Scene, engine: Engine):
    assert titles(engine, "permisos anuales")[0] == "Licencia de pesca"


def test_filters_by_language_moment_recipe_and_count(filled: Scene, engine: Engine):
    assert titles(engine, "permiso", language="ca") == ["Empadronament"]
    assert titles(engine, "permiso", since=START + 2 * HOUR) == ["Empadronament"]
    assert len(titles(engine, "permiso", limit=2)) == 2
    assert search_text(engine, WordQuery(query="permiso", recipe="other")) == []


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "permiso' OR '1'='1",
        "NEAR(",
        "title:",
        "-permiso",
        "permiso*",
        "zz & | ! <-> :*",
        "\\",
        "\x00",
        "",
        "*",
    ],
)
def test_operators_in_a_query_are_just_signs(filled: Scene, engine: Engine, query: str):
    expected = 3 if "permiso" in query else 0
    assert len(titles(engine, query)) == expected


def test_the_index_follows_changes_and_removals(filled: Scene, engine: Engine):
    assert index_documents(engine, RECIPE) == 3
    assert index_documents(engine, RECIPE) == 0
    (draft,) = filled.keep("news", title="Carril bici", text="Obras.")
    assert titles(engine, "carril") == ["Carril bici"]
    filled.now += HOUR
    filled.refine(kept_result(filled.change(draft, "b"), title="Carril bus", text="Obras."))
    assert titles(engine, "bus") == ["Carril bus"]
    assert titles(engine, "bici") == []
    filled.now += HOUR
    assert mark_archived(engine, [(draft.id, 2)], "2026-11.jsonl", filled.now, lambda _: True) == 1
    assert titles(engine, "bus") == []
    assert indexed(engine) == 3
    assert index_documents(engine, RECIPE, whole=True) == 0


def test_what_was_committed_late_is_indexed_too(filled: Scene, engine: Engine):
    index_documents(engine, RECIPE)
    filled.now -= HOUR + HOUR / 12  # the moment of a transaction that took five minutes
    filled.keep("late", title="Tardanza")
    assert titles(engine, "tardanza") == ["Tardanza"]


def test_more_documents_than_one_batch(scene: Scene, engine: Engine):
    scene.keep(*(f"p{number}" for number in range(90)), title="Uno")
    scene.keep(*(f"q{number}" for number in range(90)), title="Dos")
    scene.keep(*(f"r{number}" for number in range(90)), title="Tres")
    assert index_documents(engine, RECIPE) == 270 > AT_ONCE
    assert indexed(engine) == 270
    assert len(titles(engine, "dos", limit=500)) == 90


def test_the_longest_text_and_strange_letters_do_no_harm(scene: Scene, engine: Engine):
    scene.keep("long", title="Largo", text=" ".join(f"w{number}" for number in range(200_000)))
    scene.keep("odd", title="Ω 日本経済 ² ﬁn", text="x" * 500_000)
    assert titles(engine, "w17") == ["Largo"]
    assert titles(engine, "経済 fin") == ["Ω 日本経済 ² ﬁn"]
