"""A vote on short text: the model's ranking, the small words and the spelling, each with its weight."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.documents.language.codes import NEAR_IDENTICAL, UNDETERMINED, WIDELY_WRITTEN, primary_code
from headwater.documents.language.lexicon import ALPHABETS, FOREIGN_LETTER_GROUPS, STOPWORDS

WORD = re.compile(r"[^\W\d_]+(?:[·'’][^\W\d_]+)?")
GROUPS = {language: re.compile(pattern) for language, pattern in FOREIGN_LETTER_GROUPS.items()}

WORD_WEIGHT = 2.0
LETTER_WEIGHT = 1.5
GROUP_WEIGHT = 1.5
LEAST_SHARE = 1e-6  # what the model holds for impossible still has a voice
HOPELESS_SHARE = 1e-3  # but nobody speaks for a language that far behind

MOST_FAVOUR = 300.0  # beyond all doubt, and within what a float holds

Ranking = Sequence[tuple[str, float]]


def vote_on_short_text(text: str, ranking: Ranking) -> list[tuple[str, float]]:
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
    return normalise_shares({one: max(share, LEAST_SHARE) * favours.get(one, 1.0) for one, share in ranking})


def _favour(words: int, strangeness: float, scale: float) -> float:
    return math.exp(min((WORD_WEIGHT * words - strangeness) / scale, MOST_FAVOUR))


def normalise_shares(weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """Weights to shares that sum to 1, best first; ties go by name, so that the order never depends on chance."""
    total = sum(weights.values())
    return sorted(
        ((language, value / total) for language, value in weights.items()), key=lambda row: (-row[1], row[0])
    )


def word_evidence(tokens: Sequence[str], languages: Sequence[str]) -> dict[str, int]:
    """Per language how many of the tokens are small words of its own."""
    known = {language: STOPWORDS[language] for language in languages if language in STOPWORDS}
    return {language: sum(token in words for token in tokens) for language, words in known.items()}


def spelling_evidence(lowered: str, languages: Sequence[str]) -> dict[str, float]:
    """Per language how much of the spelling speaks against it."""
    special = [letter for letter in lowered if letter > "\x7f" and (letter.isalpha() or letter == "·")]
    return {language: _strangeness(lowered, special, language) for language in languages}


def _strangeness(lowered: str, special: Sequence[str], language: str) -> float:
    alphabet, groups = ALPHABETS.get(language), GROUPS.get(language)
    letters = 0 if alphabet is None else sum(letter not in alphabet for letter in special)
    return LETTER_WEIGHT * letters + GROUP_WEIGHT * (len(groups.findall(lowered)) if groups else 0)


RankLanguages = Callable[[str], Ranking]
"""A model: every language it knows with its share, summing to 1."""

NOT_PROSE = re.compile(r"https?://\S+|www\.\S+|[\w.+-]{1,80}@[\w.-]{1,80}|\]\([^)]*\)|`[^`]*`|[#*_|>]+")
# Only a text with one of these has anything of the kind; looking for that is much cheaper.
MARKS_OF_OTHER = re.compile(r"[@#*_|>`]|://|www\.|\]\(")
DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
DENSE_WITHIN = 300
LONGEST = 4000  # characters: more does not make it surer
PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=[-*#])")


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageRules:
    """How much evidence it takes.

    `languages` are the ones the text is expected in; another one is named only when it is `outside_factor` times as
    likely as the best of them. Below `least_confidence` or `least_letters` the answer is `und`. Up to `short_letters`
    the small words and the spelling vote with the model. A second language is named when paragraphs with at least
    `secondary_share` of the letters are in it. `most_paragraphs` and `most_characters` of each, spread over the text,
    are looked at; no further ones when the first alone is more than `sure`.
    """

    languages: tuple[str, ...] = ()
    min_confidence: float = 0.4
    min_letters: int = 6
    outside_factor: float = 3.0
    short_letters: int = 300
    secondary_share: float = 0.2
    secondary_letters: int = 60
    paragraph_letters: int = 25
    max_paragraphs: int = 16
    sure: float = 1.0
    max_characters: int = 300


@dataclass(frozen=True, slots=True)
class LanguageGuess:
    """One text's language with its share among the candidates."""

    language: str
    confidence: float


@dataclass(frozen=True, slots=True)
class DetectedLanguage:
    """A document's dominant language, the second one if there is one, and the share of the letters in each."""

    language: str
    confidence: float
    secondary: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)


NO_GUESS = LanguageGuess(UNDETERMINED, 0.0)


def identify_language(text: str, rank: RankLanguages, rules: LanguageRules) -> LanguageGuess:
    """The language of one stretch of text; `und` when it cannot be told."""
    prose = _start(text, LONGEST)
    if MARKS_OF_OTHER.search(prose):
        prose = NOT_PROSE.sub(" ", prose)
    letters = count_letters(prose)
    if letters < rules.min_letters and not is_dense_script(prose):
        return NO_GUESS
    known = dict(rank(prose))
    wanted = [language for language in rules.languages or WIDELY_WRITTEN if language in known]
    inside = rank_among(known, wanted)
    outsider = _outsider(known, wanted, rules.outside_factor) if rules.languages else None
    if outsider is not None:
        return outsider
    if not inside:
        return NO_GUESS
    if letters <= rules.short_letters:
        inside = vote_on_short_text(prose, inside)
    language, confidence = inside[0]
    return LanguageGuess(
        language if confidence >= rules.min_confidence else UNDETERMINED, round(confidence, 4)
    )


def rank_among(known: Mapping[str, float], languages: Iterable[str]) -> list[tuple[str, float]]:
    """The shares of these languages alone. Same as asking a model that knows no others."""
    chosen = {language: known[language] for language in languages if known.get(language, 0.0) > 0.0}
    total = sum(chosen.values())
    rows = [(language, share / total) for language, share in chosen.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _outsider(known: Mapping[str, float], wanted: Sequence[str], factor: float) -> LanguageGuess | None:
    best = max((known[language] for language in wanted), default=0.0)
    twins = frozenset[str]().union(*(group for group in NEAR_IDENTICAL if not group.isdisjoint(wanted)))
    ranking = rank_among(known, (set(WIDELY_WRITTEN) - twins) | set(wanted))
    if not ranking or ranking[0][0] in wanted:
        return None
    language, confidence = ranking[0]
    return LanguageGuess(language, round(confidence, 4)) if known[language] > factor * best else None


def detect_language(text: str, rank: RankLanguages, rules: LanguageRules) -> DetectedLanguage:
    """The document as a whole: its paragraphs vote with their letters. Without one of any length, the text votes."""
    paragraphs = [piece for piece in PARAGRAPHS.split(text) if piece.strip()]
    told: dict[str, float] = {}
    letters: dict[str, int] = {}
    for piece in sample_evenly(
        [piece for piece in paragraphs if _is_long_enough(piece, rules)], rules.max_paragraphs
    ):
        sample = _start(piece, rules.max_characters)
        size = count_letters(sample)
        verdict = identify_language(sample, rank, rules)
        if verdict.language != UNDETERMINED:
            told[verdict.language] = told.get(verdict.language, 0.0) + size * verdict.confidence
            letters[verdict.language] = letters.get(verdict.language, 0) + size
        if verdict.confidence > rules.sure:
            break
    if not told:
        whole = identify_language(_start(" ".join(paragraphs), rules.max_characters), rank, rules)
        return DetectedLanguage(whole.language, whole.confidence)
    return _count(told, letters, rules)


def _is_long_enough(piece: str, rules: LanguageRules) -> bool:
    return count_letters(piece[: rules.max_characters]) >= rules.paragraph_letters or is_dense_script(piece)


def _count(told: Mapping[str, float], letters: Mapping[str, int], rules: LanguageRules) -> DetectedLanguage:
    total = sum(told.values())
    parts = dict(sorted(((name, round(part / total, 4)) for name, part in told.items()), key=_by_share))
    first, *others = parts
    confidence = round(told[first] / letters[first], 4)
    second = others[0] if others else ""
    two = second and parts[second] >= rules.secondary_share and letters[second] >= rules.secondary_letters
    return DetectedLanguage(first, confidence, second if two else "", parts)


def _by_share(row: tuple[str, float]) -> tuple[float, str]:
    return -row[1], row[0]


def sample_evenly(items: Sequence[str], most: int) -> Sequence[str]:
    """At most so many of them, evenly from beginning to end."""
    if len(items) <= most:
        return items
    return [items[index * len(items) // most] for index in range(most)]


def _start(text: str, most: int) -> str:
    """The first so many characters, up to a space: half a word is no evidence."""
    if len(text) <= most:
        return text
    head = text[:most]
    return head[: head.rfind(" ")] if " " in head else head


def count_letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def is_dense_script(text: str) -> bool:
    """Whether the text is in a script whose single characters say as much as a word of others."""
    return len(DENSE.findall(text[:DENSE_WITHIN])) >= 2


DETECTED_ORIGIN = "detected: py3langid"


@dataclass(frozen=True, slots=True)
class ResolvedLanguage:
    """The language a document gets, and on whose word."""

    language: str
    origin: str
    agreed: bool | None = None


def resolve_language(
    declared: str, origin: str, found: DetectedLanguage, overrule: float
) -> ResolvedLanguage:
    """The text wins over the declaration when it is sure enough (templates declare one language for a whole site);
    a text that says nothing leaves the declaration standing. `agreed` is None when there is nothing to compare."""
    said = primary_code(declared)
    shown = found.language if found.language != UNDETERMINED else ""
    if not said:
        return ResolvedLanguage(shown or UNDETERMINED, DETECTED_ORIGIN)
    if not shown:
        return ResolvedLanguage(said, origin)
    if said in {shown, found.secondary}:
        return ResolvedLanguage(shown, origin if said == shown else DETECTED_ORIGIN, said == shown)
    if found.confidence >= overrule:
        return ResolvedLanguage(shown, DETECTED_ORIGIN, agreed=False)
    return ResolvedLanguage(said, origin, agreed=False)
