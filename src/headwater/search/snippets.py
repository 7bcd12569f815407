"""The passage of a text that matches a query best, with the places of the matches."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

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
class QueryTerms:
    """The terms of a query in texts of one language: those that occur, and the beginnings of those that may continue."""

    terms: frozenset[str]
    prefixes: tuple[str, ...] = ()

    def match(self, terms: Sequence[str]) -> str:
        """The term of the query among the terms of a token; empty if none."""
        for term in terms:
            if term in self.terms:
                return term
            for prefix in self.prefixes:
                if term.startswith(prefix):
                    return prefix
        return ""


def query_terms(query: SearchQuery, language: str, corrections: Collection[str] = ()) -> QueryTerms:
    """`corrections` are terms that stand for misspelt words."""
    clauses = [clause for group in query.groups for clause in group]
    terms = {term for clause in clauses for place in clause_terms(clause, [language]) for term in place}
    prefixes = tuple(fold_word(clause.words[-1]) for clause in clauses if clause.prefix)
    return QueryTerms(frozenset(terms | set(corrections)), prefixes)


def find_matches(text: str, language: str, terms: QueryTerms) -> list[tuple[int, int, str]]:
    """Where the terms stand in a text, in order."""
    if not terms.terms and not terms.prefixes:
        return []
    code = stem_language(language)
    terms_by_word: dict[str, str] = {}  # a text repeats most of its words
    places = []
    for run in word_pattern(text).finditer(text[:MAX_TEXT]):
        word = run[0]
        term = terms_by_word.get(word)
        if term is None and is_unspaced_run(word):
            start = run.start()
            pieces = ((token, terms.match(token.terms)) for token in tokens_of(word, language))
            places += [(start + token.start, start + token.end, term) for token, term in pieces if term]
            continue
        if term is None:
            term = terms_by_word[word] = terms.match(word_terms(word, code))
        if term:
            places.append((run.start(), run.end(), term))
    return places


def make_snippet(text: str, matches: Sequence[tuple[int, int, str]], length: int = LENGTH) -> Snippet:
    """The passage around the densest occurrence of different terms; otherwise the start of the text."""
    start = _word_start(text, max(0, _densest(matches) - length // 4)) if matches else 0
    end = _word_end(text, min(len(text), start + length))
    lead = "… " if start else ""
    passage = text[start:end]
    inside = [(first, last) for first, last, _ in matches if first >= start and last <= end]
    joined = _join_adjacent(inside)
    shift = len(lead) - start
    return Snippet(
        text=f"{lead}{passage.translate(_LINES)}{' …' if end < len(text) else ''}",
        start=start,
        matches=tuple((first + shift, last + shift) for first, last in joined),
        offsets=tuple(joined),
    )


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
