"""A vote on short text: the model's ranking, the small words and the spelling, each with its weight."""

import math
import re
from collections.abc import Mapping, Sequence

from headwater.pure.language.words import FOREIGN_GROUPS, LETTERS, SMALL_WORDS

WORD = re.compile(r"[^\W\d_]+(?:[·'’][^\W\d_]+)?")
GROUPS = {language: re.compile(pattern) for language, pattern in FOREIGN_GROUPS.items()}

WORD_WEIGHT = 2.0
LETTER_WEIGHT = 1.5
GROUP_WEIGHT = 1.5
LEAST_SHARE = 1e-6  # what the model holds for impossible still has a voice
HOPELESS_SHARE = 1e-3  # but nobody speaks for a language that far behind

MOST_FAVOUR = 300.0  # beyond all doubt, and within what a float holds

Ranking = Sequence[tuple[str, float]]


def vote(text: str, ranking: Ranking) -> list[tuple[str, float]]:
    """The ranking after all three spoke, best first; the shares sum to 1. A language without lists keeps its share."""
    lowered = text.lower()
    tokens = WORD.findall(lowered)
    running = [language for language, share in ranking if share >= HOPELESS_SHARE]
    if not tokens or not running:
        return list(ranking)
    words = word_evidence(tokens, running)
    spelling = spelling_evidence(lowered, running)
    # The model's own shares are flattened by the root of the length; the other voters must not outgrow them.
    scale = math.sqrt(len(tokens))
    favours = {one: _favour(words.get(one, 0), spelling[one], scale) for one in running}
    return shares({one: max(share, LEAST_SHARE) * favours.get(one, 1.0) for one, share in ranking})


def _favour(words: int, strangeness: float, scale: float) -> float:
    return math.exp(min((WORD_WEIGHT * words - strangeness) / scale, MOST_FAVOUR))


def shares(weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """Weights to shares that sum to 1, best first; ties go by name, so that the order never depends on chance."""
    total = sum(weights.values())
    return sorted(
        ((language, value / total) for language, value in weights.items()), key=lambda row: (-row[1], row[0])
    )


def word_evidence(tokens: Sequence[str], languages: Sequence[str]) -> dict[str, int]:
    """Per language how many of the tokens are small words of its own."""
    known = {language: SMALL_WORDS[language] for language in languages if language in SMALL_WORDS}
    return {language: sum(token in words for token in tokens) for language, words in known.items()}


def spelling_evidence(lowered: str, languages: Sequence[str]) -> dict[str, float]:
    """Per language how much of the spelling speaks against it."""
    special = [letter for letter in lowered if letter > "\x7f" and (letter.isalpha() or letter == "·")]
    return {language: _strangeness(lowered, special, language) for language in languages}


def _strangeness(lowered: str, special: Sequence[str], language: str) -> float:
    alphabet, groups = LETTERS.get(language), GROUPS.get(language)
    letters = 0 if alphabet is None else sum(letter not in alphabet for letter in special)
    return LETTER_WEIGHT * letters + GROUP_WEIGHT * (len(groups.findall(lowered)) if groups else 0)
