"""The language of short text: the ranking of the model, stopwords and spelling vote together."""

import math
import re
from collections.abc import Mapping, Sequence

from headwater.documents.language.lexicon import ALPHABETS, FOREIGN_LETTER_GROUPS, STOPWORDS

WORD = re.compile(r"[^\W\d_]+(?:[·'’][^\W\d_]+)?")
GROUPS = {language: re.compile(pattern) for language, pattern in FOREIGN_LETTER_GROUPS.items()}
WORD_WEIGHT = 2.0
LETTER_WEIGHT = 1.5
GROUP_WEIGHT = 1.5
MIN_SHARE = 1e-6  # a language that the model rules out keeps a small share
MIN_CANDIDATE_SHARE = 1e-3  # below this, stopwords and spelling do not count
MAX_EXPONENT = 300.0  # certain enough, and exp() stays finite
Ranking = Sequence[tuple[str, float]]


def vote_on_short_text(text: str, shares: Mapping[str, float]) -> Mapping[str, float]:
    """The combined shares, which sum to 1. A language without word lists keeps its share."""
    lowered = text.lower()
    tokens = WORD.findall(lowered)
    candidates = [language for language, share in shares.items() if share >= MIN_CANDIDATE_SHARE]
    if not tokens or not candidates:
        return shares
    stopwords = word_evidence(tokens, candidates)
    misspellings = spelling_evidence(lowered, candidates)
    # The model flattens its shares by the root of the length; the other evidence must not outgrow them.
    scale = math.sqrt(len(tokens))
    weights = {
        language: share if share > MIN_SHARE else MIN_SHARE  # noqa: FURB136 - `max` takes three times as long
        for language, share in shares.items()
    }
    for language in candidates:
        weights[language] *= _evidence_factor(stopwords.get(language, 0), misspellings[language], scale)
    return normalise_shares(weights)


def _evidence_factor(stopwords: int, misspellings: float, scale: float) -> float:
    return math.exp(min((WORD_WEIGHT * stopwords - misspellings) / scale, MAX_EXPONENT))


def normalise_shares(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values())
    return {language: value / total for language, value in weights.items()}


def likeliest(shares: Mapping[str, float]) -> tuple[str, float]:
    """The language with the largest share, of equal ones the first by name, so that the result is deterministic."""
    largest = max(shares.values())
    return min([language for language, share in shares.items() if share == largest]), largest


def word_evidence(tokens: Sequence[str], languages: Sequence[str]) -> dict[str, int]:
    """How many of the tokens are stopwords of each language."""
    counts = {language: 0 for language in languages if language in STOPWORDS}
    for token in filter(_LANGUAGES_OF_STOPWORD.__contains__, tokens):
        for language in _LANGUAGES_OF_STOPWORD[token]:
            if language in counts:
                counts[language] += 1
    return counts


def _languages_by_stopword() -> Mapping[str, Sequence[str]]:
    languages: dict[str, list[str]] = {}
    for language, words in STOPWORDS.items():
        for word in words:
            languages.setdefault(word, []).append(language)
    return languages


_LANGUAGES_OF_STOPWORD = _languages_by_stopword()


def spelling_evidence(lowered: str, languages: Sequence[str]) -> dict[str, float]:
    """How strongly the spelling speaks against each language."""
    special = (
        [letter for letter in lowered if letter > "\x7f" and (letter.isalpha() or letter == "·")]
        if not lowered.isascii()
        else ()
    )
    return {language: _misspellings(lowered, special, language) for language in languages}


def _misspellings(lowered: str, special: Sequence[str], language: str) -> float:
    alphabet, groups = ALPHABETS.get(language), GROUPS.get(language)
    letters = 0 if alphabet is None else sum(letter not in alphabet for letter in special)
    return LETTER_WEIGHT * letters + GROUP_WEIGHT * (len(groups.findall(lowered)) if groups else 0)
