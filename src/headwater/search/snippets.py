"""The passage of a text that matches a query best, with the places of the matches."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from headwater.search.analysis import (
    fold_word,
    is_unspaced_run,
    stem_language,
    tokens_of,
    word_pattern,
    word_terms,
)
from headwater.search.matching import clause_terms
from headwater.search.query import SearchQuery

LENGTH = 240  # characters
WINDOW = 160  # characters in which different terms count
MAX_TEXT = 200_000  # characters: later text is ignored
MAX_MATCHES = 200


@dataclass(frozen=True, slots=True)
class Snippet:
    """`text` is the passage, with `…` where the document goes on. `start` is where it begins in the text of the document;
    `matches` are places in the snippet, `offsets` the same places in the text."""

    text: str
    start: int
    matches: tuple[tuple[int, int], ...] = ()
    offsets: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PhraseTerms:
    """For each place of a phrase the terms that may stand there; `prefix` is the beginning of the last one, if it may continue."""

    places: tuple[frozenset[str], ...]
    prefix: str = ""

    @property
    def terms(self) -> frozenset[str]:
        return frozenset[str]().union(*self.places)

    def ordinals(self, tokens: Mapping[int, Sequence[str]]) -> set[int]:
        """Which of the tokens, by their ordinal numbers, belong to an occurrence of the whole phrase."""
        length = len(self.places)
        starts = [
            start
            for start in tokens
            if all(self._stands(offset, tokens.get(start + offset, ())) for offset in range(length))
        ]
        return {start + offset for start in starts for offset in range(length)}

    def _stands(self, offset: int, terms: Sequence[str]) -> bool:
        is_last = offset == len(self.places) - 1
        return not self.places[offset].isdisjoint(terms) or bool(
            is_last and self.prefix and any(term.startswith(self.prefix) for term in terms)
        )


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of a query in texts of one language: those that occur, the beginnings of those that may continue, and those that
    count only where they stand together."""

    terms: frozenset[str]
    prefixes: tuple[str, ...] = ()
    phrases: tuple[PhraseTerms, ...] = ()

    def parts(self, terms: Sequence[str]) -> tuple[Sequence[str], str, str] | None:
        """The terms of a token, with the term of the query and the one of a phrase among them; None if there is neither."""
        term, phrase_term = _matching(terms, self.terms, self.prefixes), ""
        for phrase in self.phrases:
            prefixes = (phrase.prefix,) if phrase.prefix else ()
            phrase_term = phrase_term or _matching(terms, phrase.terms, prefixes)
        return (terms, term, phrase_term) if term or phrase_term else None


def _matching(terms: Sequence[str], vocabulary: Collection[str], prefixes: Sequence[str]) -> str:
    for term in terms:
        if term in vocabulary:
            return term
        for prefix in prefixes:
            if term.startswith(prefix):
                return prefix
    return ""


def query_terms(query: SearchQuery, language: str, corrections: Collection[str] = ()) -> QueryTerms:
    """`corrections` are terms that stand for misspelt words."""
    terms, prefixes, phrases = set(corrections), [], []
    for clause in dict.fromkeys(clause for group in query.groups for clause in group):
        places = clause_terms(clause, [language])
        prefix = fold_word(clause.words[-1]) if clause.prefix else ""
        if len(places) > 1 and not clause.is_word:
            phrases.append(PhraseTerms(places, prefix))
        else:
            terms.update(term for place in places for term in place)
            prefixes += [prefix] if prefix else []
    return QueryTerms(frozenset(terms), tuple(prefixes), tuple(phrases))


def find_matches(text: str, language: str, terms: QueryTerms) -> list[tuple[int, int, str]]:
    """Where the terms stand in a text, in order; those of a phrase only where it stands."""
    if not terms.terms and not terms.prefixes and not terms.phrases:
        return []
    matches = list(_possible_matches(text, language, terms))
    tokens = {match.ordinal: match.token_terms for match in matches if match.phrase_term}
    in_phrase = {ordinal for phrase in terms.phrases for ordinal in phrase.ordinals(tokens)}
    return [
        (match.start, match.end, match.term or match.phrase_term)
        for match in matches
        if match.term or match.ordinal in in_phrase
    ]


class _Match(NamedTuple):
    """A token that may be a match, with its number in the text."""

    ordinal: int
    start: int
    end: int
    token_terms: Sequence[str]
    term: str
    phrase_term: str


def _possible_matches(text: str, language: str, terms: QueryTerms) -> Iterator[_Match]:
    code = stem_language(language)
    by_word: dict[str, tuple[Sequence[str], str, str] | None] = {}  # a text repeats most of its words
    ordinal = 0
    for run in word_pattern(text).finditer(text[:MAX_TEXT]):
        word = run[0]
        if word not in by_word and is_unspaced_run(word):
            for token in tokens_of(word, language):
                ordinal += 1
                if parts := terms.parts(token.terms):
                    yield _Match(ordinal, run.start() + token.start, run.start() + token.end, *parts)
            continue
        ordinal += 1
        if word not in by_word:
            by_word[word] = terms.parts(word_terms(word, code))
        if parts := by_word[word]:
            yield _Match(ordinal, run.start(), run.end(), *parts)


def make_snippet(text: str, matches: Sequence[tuple[int, int, str]], length: int = LENGTH) -> Snippet:
    """The passage around the densest occurrence of different terms; otherwise the start of the text."""
    first = _word_start(text, max(0, _densest(matches) - length // 4)) if matches else 0
    mark = _HEADING.match(text, first)
    start = mark.end() if mark else first
    end = _word_end(text, min(len(text), start + length))
    lead = "… " if first else ""
    marks = [heading.span() for heading in _HEADING.finditer(text, start, end)]
    passage = _without(text, start, end, marks)
    inside = [(begin, last) for begin, last, _ in matches if begin >= start and last <= end]
    joined = _join_adjacent(inside)

    def place(offset: int) -> int:
        return len(lead) + offset - start - sum(last - begin for begin, last in marks if last <= offset)

    return Snippet(
        text=f"{lead}{passage.translate(_LINES)}{' …' if end < len(text) else ''}",
        start=start,
        matches=tuple((place(begin), place(last)) for begin, last in joined),
        offsets=tuple(joined),
    )


def _without(text: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> str:
    """The passage without some parts of it."""
    borders = [start, *(border for span in spans for border in span), end]
    return "".join(text[borders[place] : borders[place + 1]] for place in range(0, len(borders), 2))


_HEADING = re.compile(r"^#{1,6}[ \t]+", re.MULTILINE)
"""The marks of a heading, which are no part of what it says."""
_LINES = str.maketrans({"\n": " ", "\t": " ", "\r": " "})


def _join_adjacent(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs of characters overlap where a script has no spaces."""
    joined: list[tuple[int, int]] = []
    for first, last in places:
        if joined and first < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _word_start(text: str, place: int) -> int:
    if place == 0:
        return 0
    space = max(text.rfind(" ", 0, place), text.rfind("\n", 0, place))
    return place if place - space > 40 else space + 1


def _word_end(text: str, place: int) -> int:
    if place >= len(text):
        return len(text)
    space = text.find(" ", place)
    return place if space < 0 or space - place > 40 else space


def _densest(matches: Sequence[tuple[int, int, str]]) -> int:
    """The start of the first window with the most different terms."""
    best, most_terms, end = matches[0][0], 0, 0
    counts: dict[str, int] = {}
    for first, _, term in matches:
        while end < len(matches) and matches[end][0] < first + WINDOW:
            counts[matches[end][2]] = counts.get(matches[end][2], 0) + 1
            end += 1
        if len(counts) > most_terms:
            best, most_terms = first, len(counts)
        counts[term] -= 1
        if not counts[term]:
            del counts[term]
    return best
