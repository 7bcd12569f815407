"""The checks after parsing: each quarantines with what it found."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from headwater.documents.quality.checks import CheckEncoding, CheckLanguage, CheckStructure, CheckWords
from headwater.model.document import Document
from headwater.model.outcomes import SetAside
from headwater.model.recipe import Outcome, Step, StepContext
from headwater.text.folding import find_markers

CONTEXT = StepContext("r", datetime(2026, 11, 2, tzinfo=UTC), knowledge=None)  # type: ignore[arg-type]
MARKERS = ("requisitos", "documentacion", "plazo", "solicitar")


def document(text: str = "", language: str = "") -> Document:
    return Document(
        id="d", recipe="r", source="s", lead="l", url="https://x.example/", text=text, language=language
    )


def run_step(step: Step, before: Document) -> Outcome:
    (outcome,) = step([before], CONTEXT)
    return outcome


@pytest.mark.parametrize(("words", "passes"), [(49, False), (50, True)])
def test_p15_a_document_needs_at_least_fifty_words(words: int, passes: bool) -> None:
    outcome = run_step(CheckWords(), document("palabra " * words))
    assert isinstance(outcome, Document) is passes
    if isinstance(outcome, SetAside):
        assert outcome == SetAside("too_few_words", {"words": 49, "least": 50})


@pytest.mark.parametrize(
    ("language", "passes"), [("es", True), ("gl-ES", True), ("fr", False), ("und", False), ("", False)]
)
def test_p15_a_document_needs_an_allowed_language(language: str, passes: bool) -> None:
    outcome = run_step(CheckLanguage(("es", "ca", "eu", "gl")), document(language=language))
    assert isinstance(outcome, Document) is passes


def test_p15_an_undetermined_language_passes_if_the_recipe_allows_it() -> None:
    assert isinstance(run_step(CheckLanguage(("es",), undetermined=True), document(language="und")), Document)
    assert run_step(CheckLanguage(("es",), undetermined=True), document(language="fr")) == SetAside(
        "language_not_allowed", {"language": "fr", "allowed": ["es"]}
    )


@pytest.mark.parametrize(
    ("text", "markers"),
    [
        ("REQUISITOS y Documentación", ("requisitos", "documentacion")),
        ("Los plazos; cómo solicitarlo", ("plazo", "solicitar")),
        ("desplazo el documento", ()),
        ("requisito", ()),
    ],
)
def test_p15_structure_markers_ignore_accents_and_case(text: str, markers: tuple[str, ...]) -> None:
    assert find_markers(text, MARKERS) == markers
    assert isinstance(run_step(CheckStructure(MARKERS), document(text)), Document) is (len(markers) >= 2)


def test_p15_missing_structure_is_reported_with_the_markers_found() -> None:
    outcome = run_step(CheckStructure(MARKERS), document("Requisitos"))
    assert isinstance(outcome, SetAside)
    assert (outcome.reason, outcome.evidence["found"]) == ("structure_missing", ["requisitos"])


def test_p15_mojibake_is_repaired() -> None:
    outcome = run_step(CheckEncoding(), document("La peticiÃ³n de EspaÃ±a"))
    assert isinstance(outcome, Document)
    assert outcome.text == "La petición de España"
    assert outcome.notes == {"lost": 0, "mojibake": 1}


@pytest.mark.parametrize(("lost", "passes"), [(1, True), (2, False)])
def test_p15_text_that_lost_its_characters_is_quarantined(lost: int, passes: bool) -> None:
    outcome = run_step(CheckEncoding(), document("a" * (100 - lost) + "\ufffd" * lost))
    assert isinstance(outcome, Document) is passes


@pytest.mark.parametrize(
    "step",
    [CheckWords(minimum=0), CheckLanguage(("es",)), CheckStructure((), minimum=0), CheckEncoding()],
    ids=lambda step: step.name,
)
def test_a_check_that_passes_changes_nothing_the_second_time(step: Callable[..., object]) -> None:
    first = run_step(step, document("El plazo termina hoy.", "es"))  # type: ignore[arg-type]
    assert isinstance(first, Document)
    second = run_step(step, first)  # type: ignore[arg-type]
    assert second == first
