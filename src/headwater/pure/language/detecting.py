"""Which language a text is written in: whole text, and paragraph by paragraph."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.pure.language.codes import TWINS, UNDETERMINED, WIDELY_WRITTEN
from headwater.pure.language.voting import Ranking, vote

Rank = Callable[[str], Ranking]
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
    least_confidence: float = 0.4
    least_letters: int = 6
    outside_factor: float = 3.0
    short_letters: int = 300
    secondary_share: float = 0.2
    secondary_letters: int = 60
    paragraph_letters: int = 25
    most_paragraphs: int = 16
    sure: float = 1.0
    most_characters: int = 300


@dataclass(frozen=True, slots=True)
class Verdict:
    """One text's language with its share among the candidates."""

    language: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Detected:
    """A document's dominant language, the second one if there is one, and the share of the letters in each."""

    language: str
    confidence: float
    secondary: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)


NOTHING = Verdict(UNDETERMINED, 0.0)


def identify(text: str, rank: Rank, rules: LanguageRules) -> Verdict:
    """The language of one stretch of text; `und` when it cannot be told."""
    prose = _start(text, LONGEST)
    if MARKS_OF_OTHER.search(prose):
        prose = NOT_PROSE.sub(" ", prose)
    letters = count_letters(prose)
    if letters < rules.least_letters and not dense(prose):
        return NOTHING
    known = dict(rank(prose))
    wanted = [language for language in rules.languages or WIDELY_WRITTEN if language in known]
    inside = among(known, wanted)
    outsider = _outsider(known, wanted, rules.outside_factor) if rules.languages else None
    if outsider is not None:
        return outsider
    if not inside:
        return NOTHING
    if letters <= rules.short_letters:
        inside = vote(prose, inside)
    language, confidence = inside[0]
    return Verdict(language if confidence >= rules.least_confidence else UNDETERMINED, round(confidence, 4))


def among(known: Mapping[str, float], languages: Iterable[str]) -> list[tuple[str, float]]:
    """The shares of these languages alone. Same as asking a model that knows no others."""
    chosen = {language: known[language] for language in languages if known.get(language, 0.0) > 0.0}
    total = sum(chosen.values())
    rows = [(language, share / total) for language, share in chosen.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _outsider(known: Mapping[str, float], wanted: Sequence[str], factor: float) -> Verdict | None:
    best = max((known[language] for language in wanted), default=0.0)
    twins = frozenset[str]().union(*(group for group in TWINS if not group.isdisjoint(wanted)))
    ranking = among(known, (set(WIDELY_WRITTEN) - twins) | set(wanted))
    if not ranking or ranking[0][0] in wanted:
        return None
    language, confidence = ranking[0]
    return Verdict(language, round(confidence, 4)) if known[language] > factor * best else None


def detect(text: str, rank: Rank, rules: LanguageRules) -> Detected:
    """The document as a whole: its paragraphs vote with their letters. Without one of any length, the text votes."""
    paragraphs = [piece for piece in PARAGRAPHS.split(text) if piece.strip()]
    told: dict[str, float] = {}
    letters: dict[str, int] = {}
    for piece in spread([piece for piece in paragraphs if _tells(piece, rules)], rules.most_paragraphs):
        sample = _start(piece, rules.most_characters)
        size = count_letters(sample)
        verdict = identify(sample, rank, rules)
        if verdict.language != UNDETERMINED:
            told[verdict.language] = told.get(verdict.language, 0.0) + size * verdict.confidence
            letters[verdict.language] = letters.get(verdict.language, 0) + size
        if verdict.confidence > rules.sure:
            break
    if not told:
        whole = identify(_start(" ".join(paragraphs), rules.most_characters), rank, rules)
        return Detected(whole.language, whole.confidence)
    return _count(told, letters, rules)


def _tells(piece: str, rules: LanguageRules) -> bool:
    return count_letters(piece[: rules.most_characters]) >= rules.paragraph_letters or dense(piece)


def _count(told: Mapping[str, float], letters: Mapping[str, int], rules: LanguageRules) -> Detected:
    total = sum(told.values())
    parts = dict(sorted(((name, round(part / total, 4)) for name, part in told.items()), key=_by_share))
    first, *others = parts
    confidence = round(told[first] / letters[first], 4)
    second = others[0] if others else ""
    two = second and parts[second] >= rules.secondary_share and letters[second] >= rules.secondary_letters
    return Detected(first, confidence, second if two else "", parts)


def _by_share(row: tuple[str, float]) -> tuple[float, str]:
    return -row[1], row[0]


def spread(items: Sequence[str], most: int) -> Sequence[str]:
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


def dense(text: str) -> bool:
    """Whether the text is in a script whose single characters say as much as a word of others."""
    return len(DENSE.findall(text[:DENSE_WITHIN])) >= 2
