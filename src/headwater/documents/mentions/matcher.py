"""All aliases of all subjects, matched against a text in one pass."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from ahocorasick_rs import AhoCorasick

from headwater.documents.mentions.folding import (
    LITERAL,
    SPACE,
    UNSPACED,
    Fold,
    fold_all_scripts,
    fold_cased_words,
    fold_words,
    is_unspaced,
    is_word,
)
from headwater.model.document import Mention
from headwater.model.subject import Alias, Subject, check_subject_length


def normalise_alias(alias: Alias) -> Alias:
    """In the form in which documents are stored: NFC, single spaces."""
    text = " ".join(unicodedata.normalize("NFC", alias.text).split())
    return Alias(text, alias.subject, alias.kind, alias.confidence)


@dataclass(frozen=True, slots=True)
class AliasMatch:
    """A match from `start` to `end`; `aliases` are all that have this spelling."""

    start: int
    end: int
    aliases: tuple[Alias, ...]


def begins_word(text: str, start: int) -> bool:
    return start == 0 or _apart(text[start - 1], text[start])


def ends_word(text: str, end: int) -> bool:
    return end == len(text) or _apart(text[end - 1], text[end])


def _apart(before: str, after: str) -> bool:
    """Whether a word may end between two adjacent characters."""
    if not (is_word(before) and is_word(after)):
        return True
    return is_unspaced(before) or is_unspaced(after)


def outside_spans(spans: Sequence[tuple[int, int]], matches: Iterable[AliasMatch]) -> Iterable[AliasMatch]:
    """The matches that do not start within one of the spans, which are sorted and disjoint."""
    if not spans:
        return matches
    starts = [start for start, _ in spans]
    return (match for match in matches if not _within(spans, starts, match.start))


def _within(spans: Sequence[tuple[int, int]], starts: Sequence[int], offset: int) -> bool:
    index = bisect_right(starts, offset) - 1
    return index >= 0 and offset < spans[index][1]


def longest_matches(hits: Iterable[AliasMatch]) -> list[AliasMatch]:
    """The longest of overlapping matches, the first of equally long ones; in text order."""
    chosen: list[AliasMatch] = []
    starts: list[int] = []
    for match in sorted(hits, key=lambda h: (h.start - h.end, h.start)):
        index = bisect_right(starts, match.start)
        clear_before = index == 0 or chosen[index - 1].end <= match.start
        clear_after = index == len(chosen) or match.end <= chosen[index].start
        if clear_before and clear_after:
            chosen.insert(index, match)
            starts.insert(index, match.start)
    return chosen


def gather_mentions(matches: Iterable[AliasMatch]) -> tuple[Mention, ...]:
    """R-82: one mention per subject, with its most confident alias and all its offsets, in order of appearance."""
    surest: dict[str, Alias] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    for match in matches:
        span = (match.start, match.end)
        for alias in match.aliases:
            subject_spans = spans.setdefault(alias.subject, [])
            if not subject_spans or subject_spans[-1] != span:
                subject_spans.append(span)
            best = surest.get(alias.subject)
            if best is None or _rank(alias) < _rank(best):
                surest[alias.subject] = alias
    return tuple(
        Mention(
            subject,
            surest[subject].kind,
            surest[subject].effective_confidence(),
            len(subject_spans),
            tuple(subject_spans),
        )
        for subject, subject_spans in spans.items()
    )


def _rank(alias: Alias) -> tuple[float, str]:
    return -alias.effective_confidence(), alias.kind


SCHEME = "1"  # part of every version: a changed rule changes the matcher
CASED_UP_TO = 2
STRICT_UP_TO = 4
ADDRESS = re.compile(r"https?://[^\s<>()\[\]]+")
PLURALS = ("s ", "es ")  # also genitives; an apostrophe ends the word anyway
PROFILES = ("words", "compat")


@dataclass(frozen=True, slots=True)
class WrittenForm:
    """One spelling. A `closed` form is matched together with the space after it; a `whole` form needs no check of what
    follows. `bearers` are the aliases with this spelling, by the punctuation that must agree ("": none)."""

    length: int
    closed: bool
    whole: bool
    bearers: tuple[tuple[str, tuple[Alias, ...]], ...]


@dataclass(frozen=True, slots=True)
class AliasGroup:
    """Forms that are searched in the same folding of the text, with the same word boundaries."""

    automaton: AhoCorasick
    names: tuple[WrittenForm, ...]
    fold: Fold
    ends: Callable[[WrittenForm, str, str, int], bool]
    only_unspaced: bool = False


@dataclass(frozen=True, slots=True)
class Matcher:
    """Finds the aliases it was built from. Immutable; pickled as its aliases.

    `version` is a hash of aliases and rules. `refused` are aliases without a letter or digit.
    """

    aliases: tuple[Alias, ...]
    profile: str
    version: str
    refused: tuple[Alias, ...] = ()
    groups: tuple[AliasGroup, ...] = field(default=(), repr=False, compare=False)

    def find(self, text: str) -> tuple[Mention, ...]:
        """One mention per subject, with offsets into `text`; text is expected in NFC."""
        hits = (hit for group in self.groups for hit in _matches(group, text))
        return gather_mentions(longest_matches(outside_spans(self._addresses(text), hits)))

    def _addresses(self, text: str) -> list[tuple[int, int]]:
        """The spans of URLs: a name inside one is not part of the text."""
        if self.profile == "compat" or "://" not in text:
            return []
        return [match.span() for match in ADDRESS.finditer(text)]

    def __reduce__(self) -> tuple[Any, ...]:
        return build_matcher, (self.aliases + self.refused, self.profile)


def build_matcher(aliases: Iterable[Alias], profile: str = "words") -> Matcher:
    """Profile `words`: every alias at word boundaries, from five characters on with plurals. Profile `compat`: aliases of
    five characters and more match anywhere, also inside words."""
    if profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}: one of {', '.join(PROFILES)}")
    candidates = sorted({normalise_alias(alias) for alias in aliases})
    for subject in {alias.subject for alias in candidates}:
        check_subject_length(subject)
    usable = tuple(alias for alias in candidates if any(map(is_word, alias.text)))
    refused = tuple(alias for alias in candidates if not any(map(is_word, alias.text)))
    digest = sha256(
        repr((SCHEME, profile, [_identity(alias) for alias in usable])).encode("utf-8", "replace")
    )
    return Matcher(usable, profile, digest.hexdigest()[:16], refused, _groups(usable, profile))


def _identity(alias: Alias) -> tuple[str, str, str, float]:
    return alias.text, alias.subject, alias.kind, alias.effective_confidence()


def _groups(aliases: Iterable[Alias], profile: str) -> tuple[AliasGroup, ...]:
    kinds: dict[str, list[Alias]] = {"cased": [], "words": [], "unspaced": [], "anywhere": []}
    for alias in aliases:
        kinds[_sort(alias.text, profile)].append(alias)
    builders: dict[str, Callable[[list[Alias]], AliasGroup]] = {
        "cased": lambda members: _group(members, fold_cased_words, _word_ends, around=SPACE),
        "words": lambda members: _group(members, fold_words, _word_ends, around=SPACE),
        "unspaced": lambda members: _group(members, fold_all_scripts, _stands_apart, only_unspaced=True),
        "anywhere": lambda members: _group(members, fold_all_scripts, _anywhere),
    }
    return tuple(builders[kind](members) for kind, members in kinds.items() if members)


def _sort(text: str, profile: str) -> str:
    if profile == "compat" and len(text) > STRICT_UP_TO:
        return "anywhere"
    if UNSPACED.search(text):
        return "unspaced"
    return "cased" if len(text) <= CASED_UP_TO else "words"


def _group(
    aliases: Iterable[Alias],
    fold: Fold,
    ends: Callable[[WrittenForm, str, str, int], bool],
    *,
    around: str = "",
    only_unspaced: bool = False,
) -> AliasGroup:
    """With a space `around` the forms, the automaton itself skips matches inside words; forms that may take a plural
    have the space in front only."""
    forms: dict[tuple[str, str, bool], dict[str, list[Alias]]] = {}
    for alias in aliases:
        for spelling in _spellings(alias.text):
            before = around if is_word(spelling[0]) else ""
            closed = bool(around) and is_word(spelling[-1]) and len(spelling) <= STRICT_UP_TO
            literal = "" if all(map(is_word, spelling)) else spelling.translate(LITERAL)
            form = (before, fold(spelling), closed)
            forms.setdefault(form, {}).setdefault(literal, []).append(alias)
    patterns = [before + folded + (around if closed else "") for before, folded, closed in forms]
    names = tuple(_name(folded, closed, bearers) for (_, folded, closed), bearers in forms.items())
    return AliasGroup(AhoCorasick(patterns), names, fold, ends, only_unspaced)


def _name(folded: str, closed: bool, bearers: Mapping[str, list[Alias]]) -> WrittenForm:
    first = next(iter(bearers))
    is_whole = closed or (bool(first) and not is_word(first[-1]))
    return WrittenForm(
        len(folded),
        closed,
        is_whole,
        tuple((literal, tuple(aliases)) for literal, aliases in bearers.items()),
    )


def _spellings(text: str) -> Iterator[str]:
    """Straße is also found as STRASSE, because the capital ß is rarely used."""
    yield text
    if "ß" in text:
        yield text.replace("ß", "ss")


def _matches(group: AliasGroup, text: str) -> Iterator[AliasMatch]:
    if group.only_unspaced and not UNSPACED.search(text):
        return
    haystack = f" {group.fold(text)}  "
    names, ends = group.names, group.ends
    for index, _, match_end in group.automaton.find_matches_as_indexes(haystack, overlapping=True):
        name = names[index]
        if ends(name, haystack, text, match_end):
            end = match_end - 2 if name.closed else match_end - 1
            start = end - name.length
            for literal, aliases in name.bearers:
                if not literal or text[start:end].translate(LITERAL) == literal:
                    yield AliasMatch(start, end, aliases)


def _word_ends(name: WrittenForm, haystack: str, _text: str, after: int) -> bool:
    """In this folding everything between words is a space, so the next characters decide."""
    return name.whole or haystack[after] == SPACE or haystack.startswith(PLURALS, after)


def _stands_apart(name: WrittenForm, _haystack: str, text: str, after: int) -> bool:
    return begins_word(text, after - 1 - name.length) and ends_word(text, after - 1)


def _anywhere(_name: WrittenForm, _haystack: str, _text: str, _after: int) -> bool:
    return True


def build_subject_matcher(subjects: Iterable[Subject], profile: str = "words") -> Matcher:
    return build_matcher(
        (alias for subject in subjects if subject.active for alias in subject.aliases), profile
    )
