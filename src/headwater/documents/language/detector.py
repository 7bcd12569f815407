"""Which language a text is written in: whole text, paragraph by paragraph, and compared with what its page declares."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from headwater.documents.language.codes import NEAR_IDENTICAL, UNDETERMINED, WIDELY_WRITTEN, primary_code
from headwater.documents.language.short_text import Ranking, likeliest, normalise_shares, vote_on_short_text
from headwater.text.scripts import EAST_ASIAN, HANGUL, character_class

RankLanguages = Callable[[str], Ranking | Mapping[str, float]]
"""A language model: every language it knows with its share; the shares sum to 1."""

NOT_PROSE = re.compile(r"https?://\S+|www\.\S+|[\w.+-]{1,80}@[\w.-]{1,80}|\]\([^)\]]*\)|`[^`]*`|[#*_|>]+")
# NOT_PROSE can match only where one of these occurs, and this search is much faster.
NOT_PROSE_HINT = re.compile(r"[@#*_|>`]|://|www\.|\]\(")
DENSE = re.compile(f"[{character_class((*EAST_ASIAN, *HANGUL))}]")
DENSE_WITHIN = 300
NOT_ASCII_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
MAX_CHARACTERS = 4000  # characters: more do not raise the confidence
PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=[-*#])")


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageRules:
    """How much evidence a result needs.

    `languages` are the expected ones; another language is returned only when it is `outside_factor` times as likely as
    the best of them. Below `min_confidence` or `min_letters` the result is `und`. Up to `short_letters`, stopwords and
    spelling vote with the model. A second language is returned when paragraphs with at least `secondary_share` of the
    letters are in it. At most `max_paragraphs`, spread over the text, with `max_characters` of each are read; reading
    stops at a paragraph whose confidence exceeds `sure`.
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
    """The language of one text with its share among the candidates."""

    language: str
    confidence: float


@dataclass(frozen=True, slots=True)
class DetectedLanguage:
    """The dominant language of a document, the second one if there is one, and the share of the letters in each."""

    language: str
    confidence: float
    secondary: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)


NO_GUESS = LanguageGuess(UNDETERMINED, 0.0)


def identify_language(text: str, rank: RankLanguages, rules: LanguageRules) -> LanguageGuess:
    """The language of one stretch of text; `und` when the evidence is too weak."""
    prose = _start(text, MAX_CHARACTERS)
    if NOT_PROSE_HINT.search(prose):
        prose = NOT_PROSE.sub(" ", prose)
    letters = count_letters(prose)
    if letters < rules.min_letters and not is_dense_script(prose):
        return NO_GUESS
    ranked = rank(prose)
    shares = ranked if isinstance(ranked, Mapping) else dict(ranked)
    inside = shares_among(shares, rules.languages or WIDELY_WRITTEN)
    outsider = _outsider(shares, rules.languages, rules.outside_factor) if rules.languages else None
    if outsider is not None:
        return outsider
    if not inside:
        return NO_GUESS
    if letters <= rules.short_letters:
        inside = vote_on_short_text(prose, inside)
    language, confidence = likeliest(inside)
    return LanguageGuess(
        language if confidence >= rules.min_confidence else UNDETERMINED, round(confidence, 4)
    )


def shares_among(shares: Mapping[str, float], languages: Iterable[str]) -> Mapping[str, float]:
    """The shares of these languages alone, as from a model that knows no others."""
    return normalise_shares(
        {language: share for language in languages if (share := shares.get(language, 0.0)) > 0.0}
    )


def _outsider(shares: Mapping[str, float], languages: Sequence[str], factor: float) -> LanguageGuess | None:
    expected = [language for language in languages if language in shares]
    best = max((shares[language] for language in expected), default=0.0)
    near_identical = frozenset[str]().union(
        *(group for group in NEAR_IDENTICAL if not group.isdisjoint(expected))
    )
    candidates = shares_among(shares, (set(WIDELY_WRITTEN) - near_identical) | set(expected))
    if not candidates:
        return None
    language, confidence = likeliest(candidates)
    if language in expected:
        return None
    return LanguageGuess(language, round(confidence, 4)) if shares[language] > factor * best else None


def detect_language(text: str, rank: RankLanguages, rules: LanguageRules) -> DetectedLanguage:
    """The language of a document: its paragraphs vote with their letters; without a long one, the text as a whole."""
    paragraphs = PARAGRAPHS.split(text)
    weights: dict[str, float] = {}
    letters: dict[str, int] = {}
    for paragraph in _sampled_paragraphs(paragraphs, rules):
        sample = _start(paragraph, rules.max_characters)
        size = count_letters(sample)
        guess = identify_language(sample, rank, rules)
        if guess.language != UNDETERMINED:
            weights[guess.language] = weights.get(guess.language, 0.0) + size * guess.confidence
            letters[guess.language] = letters.get(guess.language, 0) + size
        if guess.confidence > rules.sure:
            break
    if not weights:
        whole = " ".join(paragraph for paragraph in paragraphs if paragraph.strip())
        guess = identify_language(_start(whole, rules.max_characters), rank, rules)
        return DetectedLanguage(guess.language, guess.confidence)
    return _count(weights, letters, rules)


def _sampled_paragraphs(paragraphs: Sequence[str], rules: LanguageRules) -> Iterator[str]:
    """Long paragraphs, spread over the text. The first of them mostly decides, so that the others are not looked at."""
    long_ones = (paragraph for paragraph in paragraphs if _is_long_enough(paragraph, rules))
    first = list(islice(long_ones, 1))
    yield from first
    yield from sample_evenly([*first, *long_ones], rules.max_paragraphs)[1:]


def _is_long_enough(paragraph: str, rules: LanguageRules) -> bool:
    """The beginning is enough to know it of nearly every paragraph."""
    return any(
        count_letters(paragraph[:size]) >= rules.paragraph_letters
        for size in (min(2 * rules.paragraph_letters, rules.max_characters), rules.max_characters)
    ) or is_dense_script(paragraph)


def _count(
    weights: Mapping[str, float], letters: Mapping[str, int], rules: LanguageRules
) -> DetectedLanguage:
    total = sum(weights.values())
    shares = dict(
        sorted(((name, round(weight / total, 4)) for name, weight in weights.items()), key=_by_share)
    )
    dominant, *further = shares
    confidence = round(weights[dominant] / letters[dominant], 4)
    second = further[0] if further else ""
    is_bilingual = (
        second and shares[second] >= rules.secondary_share and letters[second] >= rules.secondary_letters
    )
    return DetectedLanguage(dominant, confidence, second if is_bilingual else "", shares)


def _by_share(row: tuple[str, float]) -> tuple[float, str]:
    return -row[1], row[0]


def sample_evenly(items: Sequence[str], limit: int) -> Sequence[str]:
    """At most `limit` items, evenly spaced from start to end."""
    if len(items) <= limit:
        return items
    return [items[index * len(items) // limit] for index in range(limit)]


def _start(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a space: half a word is not evidence."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    return head[: head.rfind(" ")] if " " in head else head


def count_letters(text: str) -> int:
    if text.isascii():  # in a twentieth of the time
        return len(text.encode().translate(None, NOT_ASCII_LETTERS))
    return sum(map(str.isalpha, text))


def is_dense_script(text: str) -> bool:
    """Whether the text is in a script whose single characters carry as much as a word of other scripts."""
    return len(DENSE.findall(text[:DENSE_WITHIN])) >= 2


DETECTED_ORIGIN = "detected: py3langid"


@dataclass(frozen=True, slots=True)
class ResolvedLanguage:
    """The language of a document, and where it comes from."""

    language: str
    origin: str
    agrees: bool | None = None


def resolve_language(
    declared: str, origin: str, detected: DetectedLanguage, overrule: float
) -> ResolvedLanguage:
    """A confident detection overrules the declaration (templates declare one language for a whole site); without a
    detection the declaration stands. `agreed` is None when there is nothing to compare."""
    declared_code = primary_code(declared)
    detected_code = detected.language if detected.language != UNDETERMINED else ""
    if not declared_code:
        return ResolvedLanguage(detected_code or UNDETERMINED, DETECTED_ORIGIN)
    if not detected_code:
        return ResolvedLanguage(declared_code, origin)
    if declared_code in {detected_code, detected.secondary}:
        return ResolvedLanguage(
            detected_code,
            origin if declared_code == detected_code else DETECTED_ORIGIN,
            declared_code == detected_code,
        )
    if detected.confidence >= overrule:
        return ResolvedLanguage(detected_code, DETECTED_ORIGIN, agrees=False)
    return ResolvedLanguage(declared_code, origin, agrees=False)
