"""All aliases of all subjects, matched against a text in one pass."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from ahocorasick_rs import AhoCorasick

from headwater.documents.mentions.folding import (
    LITERAL,
    SPACE,
    Fold,
    fold_all_scripts,
    fold_cased_words,
    fold_words,
    is_word,
)
from headwater.documents.mentions.selection import (
    AliasMatch,
    begins_word,
    ends_word,
    gather_mentions,
    longest_matches,
    outside_spans,
)
from headwater.model.document import Mention
from headwater.model.subject import Alias, Subject, check_subject_length
from headwater.text.scripts import UNSPACED_LETTER

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

    `version` is a hash of aliases and rules. `refused_aliases` are aliases without a letter or digit.
    """

    aliases: tuple[Alias, ...]
    profile: str
    version: str
    refused_aliases: tuple[Alias, ...] = ()
    groups: tuple[AliasGroup, ...] = field(default=(), repr=False, compare=False)

    def find(self, text: str) -> tuple[Mention, ...]:
        """One mention per subject, with offsets into `text`; text is expected in NFC."""
        matches = (match for group in self.groups for match in _matches(group, text))
        return gather_mentions(longest_matches(outside_spans(self._addresses(text), matches)))

    def _addresses(self, text: str) -> list[tuple[int, int]]:
        """The spans of URLs: a name inside one is not part of the text."""
        if self.profile == "compat" or "://" not in text:
            return []
        return [match.span() for match in ADDRESS.finditer(text)]

    def __reduce__(self) -> tuple[Any, ...]:
        return build_matcher, (self.aliases + self.refused_aliases, self.profile)


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


def build_subject_matcher(subjects: Iterable[Subject], profile: str = "words") -> Matcher:
    return build_matcher(
        (alias for subject in subjects if subject.active for alias in subject.aliases), profile
    )


def normalise_alias(alias: Alias) -> Alias:
    """In the form in which documents are stored: NFC, single spaces."""
    text = " ".join(unicodedata.normalize("NFC", alias.text).split())
    return Alias(text, alias.subject, alias.kind, alias.confidence)


def _identity(alias: Alias) -> tuple[str, str, str, float]:
    return alias.text, alias.subject, alias.kind, alias.effective_confidence()


def _groups(aliases: Iterable[Alias], profile: str) -> tuple[AliasGroup, ...]:
    kinds: dict[str, list[Alias]] = {"cased": [], "words": [], "unspaced": [], "anywhere": []}
    for alias in aliases:
        kinds[_kind_of_match(alias.text, profile)].append(alias)
    builders: dict[str, Callable[[list[Alias]], AliasGroup]] = {
        "cased": lambda members: _group(members, fold_cased_words, _ends_word, around=SPACE),
        "words": lambda members: _group(members, fold_words, _ends_word, around=SPACE),
        "unspaced": lambda members: _group(members, fold_all_scripts, _is_separate, only_unspaced=True),
        "anywhere": lambda members: _group(members, fold_all_scripts, _anywhere),
    }
    return tuple(builders[kind](members) for kind, members in kinds.items() if members)


def _kind_of_match(text: str, profile: str) -> str:
    if profile == "compat" and len(text) > STRICT_UP_TO:
        return "anywhere"
    if UNSPACED_LETTER.search(text):
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
    names = tuple(_written_form(folded, closed, bearers) for (_, folded, closed), bearers in forms.items())
    return AliasGroup(AhoCorasick(patterns), names, fold, ends, only_unspaced)


def _written_form(folded: str, closed: bool, bearers: Mapping[str, list[Alias]]) -> WrittenForm:
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
    if group.only_unspaced and not UNSPACED_LETTER.search(text):
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


def _ends_word(name: WrittenForm, haystack: str, _text: str, after: int) -> bool:
    """In this folding everything between words is a space, so the next characters decide."""
    return name.whole or haystack[after] == SPACE or haystack.startswith(PLURALS, after)


def _is_separate(name: WrittenForm, _haystack: str, text: str, after: int) -> bool:
    return begins_word(text, after - 1 - name.length) and ends_word(text, after - 1)


def _anywhere(_name: WrittenForm, _haystack: str, _text: str, _after: int) -> bool:
    return True
