"""How well the extraction went: a sum of passed tests."""

from dataclasses import dataclass

from headwater.pure.cleaning import MOJIBAKE
from headwater.pure.quality import count_words

LANGUAGES = ("es", "ca", "eu", "gl", "en")
ACCEPT, REVIEW = 0.70, 0.40
FEWEST_WORDS, FEWEST_PARTS, SURE = 50, 2, 0.80


@dataclass(frozen=True, slots=True)
class Quality:
    """`verdict` is accept, review or reject; `passed` names the tests."""

    score: float
    verdict: str
    passed: tuple[str, ...]


def quality(text: str, *, parts: int, language: str, confidence: float) -> Quality:
    """Catalan, Basque, Galician and English pages are judged like Spanish ones: the language counts when it is surely
    one of the five."""
    tests = (
        ("words", 0.30, count_words(text) >= FEWEST_WORDS),
        ("parts", 0.25, parts >= FEWEST_PARTS),
        ("language", 0.20, language in LANGUAGES and confidence >= SURE),
        ("encoding", 0.15, not MOJIBAKE.search(text) and "\ufffd" not in text),
        ("headings", 0.10, any(line.startswith("#") for line in text.split("\n"))),
    )
    score = round(sum(weight for _, weight, passed in tests if passed), 2)
    verdict = "accept" if score >= ACCEPT else "review" if score >= REVIEW else "reject"
    return Quality(score, verdict, tuple(name for name, _, passed in tests if passed))
