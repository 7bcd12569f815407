"""How well the extraction went: a sum of passed tests."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.documents.cleaning.encoding import MOJIBAKE
from headwater.text.words import count_words

SCORED_LANGUAGES = ("es", "ca", "eu", "gl", "en")
ACCEPT, REVIEW = 0.70, 0.40
FEWEST_WORDS, FEWEST_PARTS, SURE_LANGUAGE = 50, 2, 0.80


@dataclass(frozen=True, slots=True)
class ExtractionQuality:
    """`verdict` is accept, review or reject; `passed` names the tests."""

    score: float
    verdict: str
    passed: tuple[str, ...]


def extraction_quality(text: str, *, parts: int, language: str, confidence: float) -> ExtractionQuality:
    """Catalan, Basque, Galician and English pages are judged like Spanish ones: the language counts when it is surely
    one of the five."""
    tests = (
        ("words", 0.30, count_words(text) >= FEWEST_WORDS),
        ("parts", 0.25, parts >= FEWEST_PARTS),
        ("language", 0.20, language in SCORED_LANGUAGES and confidence >= SURE_LANGUAGE),
        ("encoding", 0.15, not MOJIBAKE.search(text) and "\ufffd" not in text),
        ("headings", 0.10, any(line.startswith("#") for line in text.split("\n"))),
    )
    score = round(sum(weight for _, weight, passed in tests if passed), 2)
    verdict = "accept" if score >= ACCEPT else "review" if score >= REVIEW else "reject"
    return ExtractionQuality(score, verdict, tuple(name for name, _, passed in tests if passed))


# `donde_solicitar` stands twice in the published list of weights. The second time the address to begin at is meant,
# so the weights add up to the 8.6 that the list states; read as one dictionary they would be 8.2.
WEIGHTS: tuple[tuple[str, float], ...] = (
    ("nombre", 1.0),
    ("descripcion", 1.0),
    ("requisitos", 1.0),
    ("documentos_necesarios", 1.0),
    ("como_solicitar", 1.0),
    ("organismo", 0.8),
    ("plazos", 0.6),
    ("fuente_url", 0.5),
    ("donde_solicitar", 0.4),
    ("donde_solicitar.urls", 0.3),
    ("tasas", 0.3),
    ("base_legal", 0.3),
    ("telefono", 0.2),
    ("datos_importantes", 0.2),
)
TARGET_SCORE = 0.70
BINS = 10


def completeness_score(document: Mapping[str, Any]) -> float:
    """0..1, two decimals; the weights add up to 8.6."""
    return _share(document, WEIGHTS)


def completeness_as_dictionary(document: Mapping[str, Any]) -> float:
    """The other reading of the weights, with a sum of 8.2: the second `donde_solicitar` alone counts."""
    merged = dict(WEIGHTS)
    merged["donde_solicitar"] = merged.pop("donde_solicitar.urls")
    return _share(document, tuple(merged.items()))


def _share(document: Mapping[str, Any], weights: tuple[tuple[str, float], ...]) -> float:
    filled = sum(weight for name, weight in weights if _at(document, name) not in (None, "", [], {}))
    return round(filled / sum(weight for _, weight in weights), 2)


def _at(document: Mapping[str, Any], path: str) -> Any:
    place: Any = document
    for name in path.split("."):
        place = place.get(name) if isinstance(place, Mapping) else None
    return place


def histogram(scores: list[float]) -> dict[str, int]:
    """How many scores lie in each tenth."""
    counts = [0] * BINS
    for score in scores:
        counts[min(int(score * BINS), BINS - 1)] += 1
    return {f"{place / BINS:.1f}-{(place + 1) / BINS:.1f}": count for place, count in enumerate(counts)}
