"""The names by which subjects are known, in the form in which they are looked for."""

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
    """In the form in which documents are kept: NFC, single spaces."""
    text = " ".join(unicodedata.normalize("NFC", alias.text).split())
    return Alias(text, alias.subject, alias.kind, alias.confidence)


@dataclass(frozen=True, slots=True)
class AliasMatch:
    """A name found from `start` to `end`; `aliases` are all that are written so."""

    start: int
    end: int
    aliases: tuple[Alias, ...]


def begins_word(text: str, start: int) -> bool:
    return start == 0 or _apart(text[start - 1], text[start])


def ends_word(text: str, end: int) -> bool:
    return end == len(text) or _apart(text[end - 1], text[end])


def _apart(before: str, after: str) -> bool:
    """Whether a word may end between two neighbours."""
    if not (is_word(before) and is_word(after)):
        return True
    return is_unspaced(before) or is_unspaced(after)


def outside_spans(spans: Sequence[tuple[int, int]], hits: Iterable[AliasMatch]) -> Iterable[AliasMatch]:
    """The hits that do not begin within one of these stretches, which are in order and apart."""
    if not spans:
        return hits
    starts = [start for start, _ in spans]
    return (hit for hit in hits if not _within(spans, starts, hit.start))


def _within(spans: Sequence[tuple[int, int]], starts: Sequence[int], place: int) -> bool:
    before = bisect_right(starts, place) - 1
    return before >= 0 and place < spans[before][1]


def longest_matches(hits: Iterable[AliasMatch]) -> list[AliasMatch]:
    """Of hits that overlap the longest, and of equally long ones the first; in order of the text."""
    kept: list[AliasMatch] = []
    starts: list[int] = []
    for hit in sorted(hits, key=lambda h: (h.start - h.end, h.start)):
        place = bisect_right(starts, hit.start)
        clear_before = place == 0 or kept[place - 1].end <= hit.start
        clear_after = place == len(kept) or hit.end <= kept[place].start
        if clear_before and clear_after:
            kept.insert(place, hit)
            starts.insert(place, hit.start)
    return kept


def gather_mentions(hits: Iterable[AliasMatch]) -> tuple[Mention, ...]:
    """R-82: one mention per subject, with the surest of its names and all of its places; in order of appearance."""
    surest: dict[str, Alias] = {}
    places: dict[str, list[tuple[int, int]]] = {}
    for hit in hits:
        place = (hit.start, hit.end)
        for alias in hit.aliases:
            found = places.setdefault(alias.subject, [])
            if not found or found[-1] != place:
                found.append(place)
            known = surest.get(alias.subject)
            if known is None or _rank(alias) < _rank(known):
                surest[alias.subject] = alias
    return tuple(
        Mention(
            subject, surest[subject].kind, surest[subject].effective_confidence(), len(found), tuple(found)
        )
        for subject, found in places.items()
    )


def _rank(alias: Alias) -> tuple[float, str]:
    return -alias.effective_confidence(), alias.kind


SCHEME = "1"  # part of every version: a changed rule is a changed matcher
CASED_UP_TO = 2
STRICT_UP_TO = 4
ADDRESS = re.compile(r"https?://[^\s<>()\[\]]+")
PLURALS = ("s ", "es ")  # also a genitive; a possessive with an apostrophe ends its word anyway
PROFILES = ("words", "compat")


@dataclass(frozen=True, slots=True)
class WrittenForm:
    """One written form. A `closed` one is matched with the space after it; a `whole` one needs no look at what follows.
    `bearers` are the aliases written so, by the punctuation that has to agree ("": none)."""

    length: int
    closed: bool
    whole: bool
    bearers: tuple[tuple[str, tuple[Alias, ...]], ...]


@dataclass(frozen=True, slots=True)
class AliasGroup:
    """Names that are looked for in the same folding of the text and held to the same boundaries."""

    automaton: AhoCorasick
    names: tuple[WrittenForm, ...]
    fold: Fold
    ends: Callable[[WrittenForm, str, str, int], bool]
    only_unspaced: bool = False


@dataclass(frozen=True, slots=True)
class Matcher:
    """Finds the names it was built from. Never changes; travels between processes as its aliases.

    `version` is a hash of the names and rules. `refused` are aliases without a letter or digit.
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
        """A name within a link's address is not said to the reader."""
        if self.profile == "compat" or "://" not in text:
            return []
        return [match.span() for match in ADDRESS.finditer(text)]

    def __reduce__(self) -> tuple[Any, ...]:
        return build_matcher, (self.aliases + self.refused, self.profile)


def build_matcher(aliases: Iterable[Alias], profile: str = "words") -> Matcher:
    """`profile` words: word boundaries for every name, from five characters on with plurals; compat: names of five
    characters and more are found anywhere, also inside words."""
    if profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}: one of {', '.join(PROFILES)}")
    wanted = sorted({normalise_alias(alias) for alias in aliases})
    for subject in {alias.subject for alias in wanted}:
        check_subject_length(subject)
    usable = tuple(alias for alias in wanted if any(map(is_word, alias.text)))
    refused = tuple(alias for alias in wanted if not any(map(is_word, alias.text)))
    digest = sha256(
        repr((SCHEME, profile, [_identity(alias) for alias in usable])).encode("utf-8", "replace")
    )
    return Matcher(usable, profile, digest.hexdigest()[:16], refused, _groups(usable, profile))


def _identity(alias: Alias) -> tuple[str, str, str, float]:
    return alias.text, alias.subject, alias.kind, alias.effective_confidence()


def _groups(aliases: Iterable[Alias], profile: str) -> tuple[AliasGroup, ...]:
    sorts: dict[str, list[Alias]] = {"cased": [], "words": [], "unspaced": [], "anywhere": []}
    for alias in aliases:
        sorts[_sort(alias.text, profile)].append(alias)
    builders: dict[str, Callable[[list[Alias]], AliasGroup]] = {
        "cased": lambda some: _group(some, fold_cased_words, _word_ends, around=SPACE),
        "words": lambda some: _group(some, fold_words, _word_ends, around=SPACE),
        "unspaced": lambda some: _group(some, fold_all_scripts, _stands_apart, only_unspaced=True),
        "anywhere": lambda some: _group(some, fold_all_scripts, _anywhere),
    }
    return tuple(builders[sort](some) for sort, some in sorts.items() if some)


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
    """With a space `around` the names the automaton itself passes over what is inside words; names that may be in
    the plural have it before them only."""
    forms: dict[tuple[str, str, bool], dict[str, list[Alias]]] = {}
    for alias in aliases:
        for written in _spellings(alias.text):
            before = around if is_word(written[0]) else ""
            closed = bool(around) and is_word(written[-1]) and len(written) <= STRICT_UP_TO
            literal = "" if all(map(is_word, written)) else written.translate(LITERAL)
            form = (before, fold(written), closed)
            forms.setdefault(form, {}).setdefault(literal, []).append(alias)
    patterns = [before + folded + (around if closed else "") for before, folded, closed in forms]
    names = tuple(_name(folded, closed, bearers) for (_, folded, closed), bearers in forms.items())
    return AliasGroup(AhoCorasick(patterns), names, fold, ends, only_unspaced)


def _name(folded: str, closed: bool, bearers: Mapping[str, list[Alias]]) -> WrittenForm:
    first = next(iter(bearers))
    whole = closed or (bool(first) and not is_word(first[-1]))
    return WrittenForm(
        len(folded), closed, whole, tuple((literal, tuple(some)) for literal, some in bearers.items())
    )


def _spellings(text: str) -> Iterator[str]:
    """ß has no capital that everybody uses: Straße is also found as STRASSE."""
    yield text
    if "ß" in text:
        yield text.replace("ß", "ss")


def _matches(group: AliasGroup, text: str) -> Iterator[AliasMatch]:
    if group.only_unspaced and not UNSPACED.search(text):
        return
    haystack = f" {group.fold(text)}  "
    names, ends = group.names, group.ends
    for index, _, after in group.automaton.find_matches_as_indexes(haystack, overlapping=True):
        name = names[index]
        if ends(name, haystack, text, after):
            end = after - 2 if name.closed else after - 1
            start = end - name.length
            for literal, aliases in name.bearers:
                if not literal or text[start:end].translate(LITERAL) == literal:
                    yield AliasMatch(start, end, aliases)


def _word_ends(name: WrittenForm, haystack: str, _text: str, after: int) -> bool:
    """In this folding everything between words is a space, so the next characters say it all."""
    return name.whole or haystack[after] == SPACE or haystack.startswith(PLURALS, after)


def _stands_apart(name: WrittenForm, _haystack: str, text: str, after: int) -> bool:
    return begins_word(text, after - 1 - name.length) and ends_word(text, after - 1)


def _anywhere(_name: WrittenForm, _haystack: str, _text: str, _after: int) -> bool:
    return True


def build_subject_matcher(subjects: Iterable[Subject], profile: str = "words") -> Matcher:
    return build_matcher((alias for one in subjects if one.active for alias in one.aliases), profile)
