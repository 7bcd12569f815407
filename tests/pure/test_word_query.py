"""Queries and texts as words."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.search.snippets import snippet
from headwater.search.word_query import content_terms, query_terms, search_words, term_coverage


@given(st.text())
def test_words_hold_letters_and_digits_only_and_stay_what_they_are(text: str):
    words = search_words(text)
    assert all(word.isalnum() for word in words)
    assert search_words(" ".join(words)) == words


@given(st.text())
def test_no_query_holds_an_operator(query: str):
    assert all(
        word.isalnum() for term in (*query_terms(query), *content_terms(query_terms(query))) for word in term
    )


@given(st.text(), st.text())
def test_coverage_is_a_share(query: str, text: str):
    assert 0.0 <= term_coverage(query_terms(query), text) <= 1.0


def test_accents_cases_and_signs_do_not_count():
    assert search_words("¿Renovación del DNI-e?") == search_words("renovacion DEL dni e")


def test_scripts_without_spaces_are_found_in_parts():
    assert query_terms("経済") == (("経",), ("済",))
    assert search_words("日本経済") == ["日", "本", "経", "済"]


def test_phrases_stay_together_and_words_come_once():
    assert query_terms('beca "permiso de conducir" Beca') == (("beca",), ("permiso", "de", "conducir"))
    assert query_terms(' "" ') == ()


def test_content_terms_are_long_and_find_other_forms():
    assert content_terms(query_terms("el de los permisos")) == (("permis",),)
    assert content_terms(query_terms("renuevo el DNI")) == (("renue",), ("dni",))
    assert content_terms(query_terms("el de")) == (("el",), ("de",))
    assert term_coverage(query_terms("permisos de pesca"), "Permiso para cazar") == 0.5


def test_a_snippet_shows_where_the_terms_are_densest():
    text = " ".join(["relleno"] * 200 + ["El", "permiso", "de", "conducir", "caduca."] + ["más"] * 200)
    shown = snippet(text, query_terms("permisos de conducir"))
    assert "permiso de conducir caduca." in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert snippet("corto", query_terms("nada")) == "corto"
    assert snippet("", query_terms("nada")) == ""
