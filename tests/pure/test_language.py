"""Language detection: the real model on our own sentences, and properties of the decision with fake models."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.documents.language.codes import UNDETERMINED, language_problem, primary_code
from headwater.documents.language.detect_language import (
    LANGUAGE_CONFIDENCE,
    SECONDARY_LANGUAGE,
    DetectLanguage,
    rank_languages,
)
from headwater.documents.language.detector import (
    DETECTED_ORIGIN,
    DetectedLanguage,
    LanguageRules,
    detect_language,
    identify_language,
    resolve_language,
)
from headwater.documents.language.short_text import likeliest, vote_on_short_text
from headwater.model.document import Document
from headwater.model.recipe import StepContext

IBERIAN = LanguageRules(languages=("es", "ca", "eu", "gl", "en"))
SENTENCES = {
    "es": "El puerto cerró durante la noche porque la niebla no dejaba ver los barcos que llegaban.",
    "ca": "El port va tancar durant la nit perquè la boira no deixava veure els vaixells que arribaven.",
    "eu": "Portua gauean itxi zuten, lainoak ez zuelako uzten iristen ziren itsasontziak ikusten.",
    "gl": "O porto pechou durante a noite porque a néboa non deixaba ver os barcos que chegaban.",
    "en": "The harbour closed during the night because the fog hid the ships that were arriving.",
    "pt": "O porto fechou durante a noite porque o nevoeiro não deixava ver os navios que chegavam.",
    "fr": "Le port a fermé pendant la nuit parce que le brouillard cachait les navires qui arrivaient.",
    "it": "Il porto ha chiuso durante la notte perché la nebbia nascondeva le navi che arrivavano.",
    "de": "Der Hafen schloss in der Nacht, weil der Nebel die ankommenden Schiffe verbarg.",
    "nl": "De haven sloot 's nachts omdat de mist de schepen verborg die binnenkwamen.",
    "sv": "Hamnen stängde under natten eftersom dimman dolde fartygen som var på väg in.",
    "pl": "Port zamknięto w nocy, ponieważ mgła zasłaniała statki, które przypływały.",
    "ru": "Порт закрыли ночью, потому что туман скрывал прибывающие корабли.",
    "uk": "Порт закрили вночі, тому що туман приховував кораблі, які прибували.",
    "ja": "霧で到着する船が見えなかったため、港は夜の間閉鎖された。",
    "zh": "因为大雾遮住了抵达的船只，港口在夜间关闭了。",
    "ar": "أغلق الميناء أثناء الليل لأن الضباب حجب السفن القادمة.",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_p19_the_language_of_a_sentence_is_detected(language: str) -> None:
    everything = LanguageRules(languages=tuple(SENTENCES))
    assert detect_language(SENTENCES[language], rank_languages, everything).language == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Unha nova lei para as persoas maiores", "gl"),
        ("Una nueva ley para las personas mayores", "es"),
        ("Una nova llei per a les persones grans", "ca"),
        ("Adineko pertsonentzako lege berri bat", "eu"),
    ],
)
def test_p19_stopwords_and_spelling_vote_on_five_words(text: str, language: str) -> None:
    assert detect_language(text, rank_languages, IBERIAN).language == language


def test_p19_a_bilingual_page_has_a_dominant_and_a_secondary_language() -> None:
    page = "\n\n".join([SENTENCES["ca"], SENTENCES["ca"], SENTENCES["es"]])
    detected = detect_language(page, rank_languages, IBERIAN)
    assert (detected.language, detected.secondary) == ("ca", "es")
    assert sum(detected.shares.values()) == pytest.approx(1.0, abs=0.01)


def test_p19_one_quoted_line_is_not_a_second_language() -> None:
    page = "\n\n".join([*[SENTENCES["es"]] * 9, SENTENCES["en"]])
    assert detect_language(page, rank_languages, IBERIAN).secondary == ""


@pytest.mark.parametrize(
    "text", ["", " \n\n ", "12345 678", "::: --- :::", "OK", "https://harbour.example/a/b"]
)
def test_text_without_evidence_is_und(text: str) -> None:
    assert detect_language(text, rank_languages, IBERIAN).language == UNDETERMINED


def test_a_clear_language_outside_the_recipe_is_returned() -> None:
    assert detect_language(SENTENCES["de"], rank_languages, IBERIAN).language == "de"
    assert detect_language(SENTENCES["ja"], rank_languages, IBERIAN).language == "ja"


def test_doubtful_text_is_und() -> None:
    undecided = identify_language("zzz qqq www kkk", lambda _: [("es", 0.5), ("gl", 0.5)], IBERIAN_STRICT)
    assert undecided.language == UNDETERMINED
    assert undecided.confidence == pytest.approx(0.5)


IBERIAN_STRICT = LanguageRules(languages=("es", "gl"), min_confidence=0.6)


def test_stopwords_outvote_a_weak_lead() -> None:
    shares = {"es": 0.55, "gl": 0.45}
    assert likeliest(vote_on_short_text("unha cousa e outra na rúa", shares))[0] == "gl"
    assert likeliest(vote_on_short_text("una cosa y la otra", shares))[0] == "es"


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("es-ES", "es"),
        ("pt_BR", "pt"),
        (" EN ", "en"),
        ("nb-NO", "no"),
        ("iw", "he"),
        ("", ""),
        ("x", ""),
        ("und", ""),
    ],
)
def test_declared_language_tags_are_read(tag: str, code: str) -> None:
    assert primary_code(tag) == code


@pytest.mark.parametrize(
    ("declared", "detected", "language", "origin"),
    [
        ("es-ES", DetectedLanguage("es", 0.6), "es", "html lang"),
        ("en", DetectedLanguage("es", 0.99), "es", DETECTED_ORIGIN),
        ("en", DetectedLanguage("es", 0.5), "en", "html lang"),
        ("en", DetectedLanguage("und", 0.0), "en", "html lang"),
        ("", DetectedLanguage("es", 0.7), "es", DETECTED_ORIGIN),
        ("", DetectedLanguage("und", 0.0), "und", DETECTED_ORIGIN),
    ],
)
def test_declaration_and_text_are_weighed(
    declared: str, detected: DetectedLanguage, language: str, origin: str
) -> None:
    resolved = resolve_language(declared, "html lang", detected, overrule=0.8)
    assert (resolved.language, resolved.origin) == (language, origin)


LANGUAGES = ("ca", "en", "es", "eu", "gl", "pt")


@given(
    st.text(max_size=200),
    st.lists(st.floats(0.0001, 1), min_size=len(LANGUAGES), max_size=len(LANGUAGES)),
)
@settings(max_examples=200)
def test_any_text_gets_a_result_within_bounds(text: str, weights: list[float]) -> None:
    shares = [weight / sum(weights) for weight in weights]
    detected = detect_language(text, lambda _: list(zip(LANGUAGES, shares, strict=True)), IBERIAN)
    assert detected.language in {*LANGUAGES, UNDETERMINED}
    assert 0.0 <= detected.confidence <= 1.0
    assert detected.secondary != detected.language


@given(st.text(max_size=120), st.permutations(LANGUAGES))
def test_the_order_of_the_candidates_changes_nothing(text: str, order: list[str]) -> None:
    ranking = {language: 1 / len(LANGUAGES) for language in LANGUAGES}
    first = identify_language(text, lambda _: list(ranking.items()), LanguageRules(languages=LANGUAGES))
    other = identify_language(
        text, lambda _: [(name, ranking[name]) for name in order], LanguageRules(languages=tuple(order))
    )
    assert first == other


def document(**values: object) -> Document:
    return Document(id="d", recipe="r", source="s", lead="l", url="https://harbour.example/a", **values)  # type: ignore[arg-type]


def run_step(step: DetectLanguage, before: Document) -> Document:
    context = StepContext("r", datetime(2026, 11, 2, tzinfo=UTC), knowledge=None)  # type: ignore[arg-type]
    (outcome,) = step([before], context)
    assert isinstance(outcome, Document)
    return outcome


def test_the_step_records_language_origin_confidence_and_second_language() -> None:
    step = DetectLanguage(languages=IBERIAN.languages)
    page = "\n\n".join([SENTENCES["ca"], SENTENCES["ca"], SENTENCES["es"]])
    after = run_step(
        step, document(text=page, language="en", origins={"language": "html lang", "text": "page"})
    )
    assert after.language == "ca"
    assert after.origins == {"language": DETECTED_ORIGIN, "text": "page"}
    assert after.fact(SECONDARY_LANGUAGE) == "es"
    assert (after.fact(LANGUAGE_CONFIDENCE) or 0) > 0.8
    assert after.notes["declared"] == "en"
    assert after.notes["agreed"] is False


def test_the_step_keeps_a_declaration_that_the_text_confirms() -> None:
    step = DetectLanguage(languages=IBERIAN.languages)
    after = run_step(
        step, document(text=SENTENCES["gl"], language="gl-ES", origins={"language": "html lang"})
    )
    assert (after.language, after.origins["language"]) == ("gl", "html lang")
    second_result = run_step(step, after)
    assert (second_result.language, second_result.origins) == (after.language, after.origins)


def test_the_step_classifies_a_short_text_with_its_title() -> None:
    after = run_step(
        DetectLanguage(languages=IBERIAN.languages), document(title=SENTENCES["eu"], text="1.250 €")
    )
    assert after.language == "eu"


@pytest.mark.parametrize("language", ["en", "pt-BR", "zh_Hant", "und", "fil"])
def test_a_code_can_be_the_language_of_a_filter(language: str) -> None:
    assert language_problem(language) == ""


@pytest.mark.parametrize(
    ("language", "remedy"),
    [("english", "write en"), ("eng", "write en"), ("EN", "write en"), ("klingon", "for example")],
)
def test_a_language_that_no_document_has_is_named_with_its_code(language: str, remedy: str) -> None:
    assert remedy in language_problem(language)
