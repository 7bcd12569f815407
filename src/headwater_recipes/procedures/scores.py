"""Scores of a procedure: the quality of its extraction, and how complete it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.text.mojibake import MOJIBAKE
from headwater.text.words import count_words

LANGUAGES = ("es", "ca", "eu", "gl", "en")
ACCEPT, REVIEW = 0.70, 0.40
FEWEST_WORDS, FEWEST_PARTS, SURE_LANGUAGE = 50, 2, 0.80
# The published list of weights names `donde_solicitar` twice. The second one means the address to start at, so that the
# weights add up to the stated 8.6. Read as a dictionary they would add up to 8.2.
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


@dataclass(frozen=True, slots=True)
class ExtractionQuality:
    """`verdict` is accept, review or reject; `passed` names the tests."""

    score: float
    verdict: str
    passed: tuple[str, ...]


def extraction_quality(text: str, *, parts: int, language: str, confidence: float) -> ExtractionQuality:
    """A weighted sum of passed tests. The language test passes for any of the five languages with enough confidence."""
    tests = (
        ("words", 0.30, count_words(text) >= FEWEST_WORDS),
        ("parts", 0.25, parts >= FEWEST_PARTS),
        ("language", 0.20, language in LANGUAGES and confidence >= SURE_LANGUAGE),
        ("encoding", 0.15, not MOJIBAKE.search(text) and "\ufffd" not in text),
        ("headings", 0.10, any(line.startswith("#") for line in text.split("\n"))),
    )
    score = round(sum(weight for _, weight, passed in tests if passed), 2)
    verdict = "accept" if score >= ACCEPT else "review" if score >= REVIEW else "reject"
    return ExtractionQuality(score, verdict, tuple(name for name, _, passed in tests if passed))


def completeness_score(document: Mapping[str, Any]) -> float:
    """The weighted share of filled fields, 0 to 1, with two decimals."""
    filled = sum(weight for name, weight in WEIGHTS if _value_at(document, name) not in (None, "", [], {}))
    return round(filled / sum(weight for _, weight in WEIGHTS), 2)


def _value_at(document: Mapping[str, Any], path: str) -> Any:
    value: Any = document
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def histogram(scores: list[float]) -> dict[str, int]:
    """The number of scores in each tenth."""
    counts = [0] * BINS
    for score in scores:
        counts[min(int(score * BINS), BINS - 1)] += 1
    return {f"{place / BINS:.1f}-{(place + 1) / BINS:.1f}": count for place, count in enumerate(counts)}
