"""What the headline and the beginning of a report say, word by word: possible names, figures, dates and terms."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from headwater.documents.dedupe.measures import CALENDAR, DIGITS
from headwater.stories.terms import MOST_WORDS, STOP_TERMS, count_terms
from headwater.text.folding import fold_text
from headwater.text.known_words import KnownWords, share_word
from headwater.text.months import MONTHS
from headwater.text.typography import space_marks

MOST_REMEMBERED = 1_200
"""The reports of one job, and some that it is compared with again."""
WORD = re.compile(r"([^\W_]++(?:['’.-][^\W_]++)*+)")
PLAIN_WORD = re.compile(r"([A-Za-z0-9]++(?:['’.-][A-Za-z0-9]++)*+)")
"""For a text that is ASCII but for the marks of printed text."""
FIGURE_OR_WORD = re.compile(r"\d[\d.,]*|[^\W\d_]+")
ASCII_FIGURE = re.compile(r"([0-9][0-9.,]*+)")
ASCII_LETTERS = "".join(chr(code) if chr(code).isalpha() else " " for code in range(128))
"""What is no letter becomes a space."""
TYPOGRAPHIC_GAP = re.compile("[\u00a0«»‘’“”„–—…•]")
SENTENCE_END = re.compile(r"[.!?:…»”\"\n]")
FRACTION = re.compile(r"\d+[.,]\d{1,2}")
YEAR = re.compile(r"(?:19|20)\d\d")
SCALE = re.compile(
    r"m|mn|mio|bn|mrd|millions?|billions?|trillions?|millione[ns]?|milliarden?|milliards?|millon(?:es)?|milhoes"
)
SMALLEST_FIGURE = 10
GERMAN_ARTICLES = frozenset(
    [
        "der",
        "die",
        "das",
        "den",
        "dem",
        "des",
        "ein",
        "eine",
        "einen",
        "einem",
        "einer",
        "eines",
        "kein",
        "keine",
        "im",
        "am",
        "zum",
        "zur",
        "vom",
        "beim",
        "ins",
        "ihr",
        "ihre",
        "seine",
        "sein",
    ]
)


@dataclass(frozen=True, slots=True)
class ReportWords:
    """What the headline and the beginning of one report contain, without any knowledge of the others. `initial` are the
    capitalised words of the headline and of the text; `inner` those in the middle of a sentence, `lower` those without a
    capital letter, `with_article` those after an article or a number."""

    title_initial: frozenset[str]
    initial: frozenset[str]
    inner: Mapping[str, int]
    lower: tuple[str, ...]
    with_article: frozenset[str]
    title_figures: frozenset[str]
    title_dates: frozenset[tuple[str, int]]
    figures: frozenset[str]
    terms: Mapping[str, int]


@lru_cache(maxsize=MOST_REMEMBERED)
def read_report(title: str, beginning: str) -> ReportWords:
    """Cached, because a group is clustered again whenever a report joins it."""
    words = _split_words(beginning)
    lower, inner, with_article, after_last = list[str](), list[str](), set[str](), 0
    for place in words.capitals:
        lower += words.folded[after_last:place]
        after_last = place + 1
        if not words.starts_sentence(place):
            inner.append(words.folded[place])
            before = words.folded[place - 1] if place else ""
            if before in GERMAN_ARTICLES or before[:1].isdecimal():
                with_article.add(words.folded[place])
    lower += words.folded[after_last:]
    in_title = _split_words(title)
    title_initial = _possible_names(in_title.folded[place] for place in in_title.capitals)
    initial = {words.folded[place] for place in words.capitals}
    return ReportWords(
        title_initial=title_initial,
        initial=title_initial | _possible_names(initial),
        inner=Counter(inner),
        lower=tuple(lower),
        with_article=frozenset(with_article),
        title_figures=frozenset(_figures(title)),
        title_dates=frozenset(_dates(title)),
        figures=frozenset(_figures(f"{title}\n{beginning}")),
        terms=count_terms(f"{title}. {beginning}"),
    )


def _possible_names(words: Iterable[str]) -> frozenset[str]:
    """Months, weekdays and words that mean nothing alone are no names."""
    return frozenset(word for word in words if len(word) > 1 and word not in NOT_NAMES)


@dataclass(frozen=True, slots=True)
class SplitWords:
    """The words of a text, folded, what stands before each, and the places of those with a capital letter."""

    folded: Sequence[str]
    gaps: Sequence[str]
    capitals: Sequence[int]

    def starts_sentence(self, place: int) -> bool:
        gap = self.gaps[place]
        return place == 0 or (gap != " " and SENTENCE_END.search(gap) is not None)


def _split_words(text: str) -> SplitWords:
    is_plain = text.isascii() or space_marks(text).isascii()
    parts = (PLAIN_WORD if is_plain else WORD).split(text)
    words = parts[1::2]
    folded = list(map(_folded.__getitem__, words))
    capitals = [
        place
        for place, (word, plain) in enumerate(zip(words, folded, strict=True))
        if word != plain and word[0].isupper()
    ]
    return SplitWords(folded, parts[::2], capitals)


def _fold(word: str) -> str:
    return share_word(fold_text(word).removesuffix(" s"))


_folded = KnownWords(_fold, MOST_WORDS)
NOT_NAMES = frozenset((*CALENDAR, *MONTHS, *STOP_TERMS))


def _figures(text: str) -> set[str]:
    """Figures of two digits and more and fractions, without dates. `eleven` is one as well."""
    words = ["", *_folded_words(text), ""]
    figures = set[str]()
    may_be_figure = (word in DIGITS or (not word.isalpha() and word[:1].isdecimal()) for word in words)
    for place in [place for place, is_possible in enumerate(may_be_figure) if is_possible]:
        before, word, after = words[place - 1 : place + 2]
        figure = _figure(word, is_scaled=SCALE.fullmatch(after) is not None)
        if figure and before not in MONTHS and after not in MONTHS:
            figures.add(figure)
    return figures


_SPELT_FIGURES = {word: digits for word, digits in DIGITS.items() if len(digits) > 1}


def _figure(word: str, *, is_scaled: bool) -> str:
    """The figure that a word states, or nothing for small ones, which agree by chance: `three` says little, `three million`
    (`is_scaled`) much."""
    if not word[0].isdecimal():
        return (DIGITS if is_scaled else _SPELT_FIGURES).get(word, "")
    figure = _plain(word)
    is_fraction = FRACTION.fullmatch(word.rstrip(".,")) is not None
    is_large = is_fraction or is_scaled or float(figure) >= SMALLEST_FIGURE
    return figure if is_large and not YEAR.fullmatch(figure) else ""


def _dates(text: str) -> set[tuple[str, int]]:
    """Day and month."""
    dates = set()
    for before, word, after in _neighbours(text):
        month = MONTHS.get(before) or MONTHS.get(after)
        if month and word.rstrip(".,").isdecimal() and len(word.rstrip(".,")) <= 2:
            dates.add((word.rstrip(".,").lstrip("0"), month))
    return dates


def _neighbours(text: str) -> Iterator[tuple[str, str, str]]:
    """Each figure or word, folded, between the one before and the one after it."""
    words = _folded_words(text)
    return zip(["", *words], words, [*words[1:], ""], strict=False)


def _folded_words(text: str) -> list[str]:
    """Figures stay as they are written."""
    plain = text if text.isascii() else TYPOGRAPHIC_GAP.sub(" ", text)
    if plain.isascii():
        between, *others = ASCII_FIGURE.split(plain.lower())
        words = _ascii_words(between)
        for figure, between in zip(others[::2], others[1::2], strict=True):
            words += (figure, *_ascii_words(between))
        return words
    return [_folded[word] if word[0].isalpha() else word for word in FIGURE_OR_WORD.findall(text)]


def _ascii_words(lower: str) -> list[str]:
    return lower.translate(ASCII_LETTERS).split()


def _plain(figure: str) -> str:
    """`1,200.50` and `1.200,50` as `1200.5`."""
    figure = figure.rstrip(".,")
    whole, _, fraction = figure.replace(",", ".").rpartition(".")
    if not whole or len(fraction) == 3:
        return figure.replace(",", "").replace(".", "").lstrip("0") or "0"
    return f"{whole.replace('.', '').lstrip('0') or '0'}.{fraction}".rstrip("0").rstrip(".")
