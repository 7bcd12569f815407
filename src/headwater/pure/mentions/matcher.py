"""All names of all subjects against a text in one pass."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from ahocorasick_rs import AhoCorasick

from headwater.model.document import Mention
from headwater.model.subject import fitting
from headwater.pure.mentions.alias import Alias, trimmed
from headwater.pure.mentions.choosing import (
    Hit,
    begins_word,
    ends_word,
    gather,
    longest,
    outside,
)
from headwater.pure.mentions.folding import (
    LITERAL,
    SPACE,
    UNSPACED,
    Fold,
    fold_all_scripts,
    fold_cased_words,
    fold_words,
    is_word,
)

SCHEME = "1"  # part of every version: a changed rule is a changed matcher
CASED_UP_TO = 2
STRICT_UP_TO = 4
ADDRESS = re.compile(r"https?://[^\s<>()\[\]]+")
PLURALS = ("s ", "es ")  # also a genitive; a possessive with an apostrophe ends its word anyway
PROFILES = ("words", "compat")


@dataclass(frozen=True, slots=True)
class Name:
    """One written form. A `closed` one is matched with the space after it; a `whole` one needs no look at what follows.
    `bearers` are the aliases written so, by the punctuation that has to agree ("": none)."""

    length: int
    closed: bool
    whole: bool
    bearers: tuple[tuple[str, tuple[Alias, ...]], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Names that are looked for in the same folding of the text and held to the same boundaries."""

    automaton: AhoCorasick
    names: tuple[Name, ...]
    fold: Fold
    ends: Callable[[Name, str, str, int], bool]
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
    groups: tuple[Group, ...] = field(default=(), repr=False, compare=False)

    def find(self, text: str) -> tuple[Mention, ...]:
        """One mention per subject, with offsets into `text`; text is expected in NFC."""
        hits = (hit for group in self.groups for hit in _hits(group, text))
        return gather(longest(outside(self._addresses(text), hits)))

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
    wanted = sorted({trimmed(alias) for alias in aliases})
    for subject in {alias.subject for alias in wanted}:
        fitting(subject)
    usable = tuple(alias for alias in wanted if any(map(is_word, alias.text)))
    refused = tuple(alias for alias in wanted if not any(map(is_word, alias.text)))
    digest = sha256(
        repr((SCHEME, profile, [_identity(alias) for alias in usable])).encode("utf-8", "replace")
    )
    return Matcher(usable, profile, digest.hexdigest()[:16], refused, _groups(usable, profile))


def _identity(alias: Alias) -> tuple[str, str, str, float]:
    return alias.text, alias.subject, alias.kind, alias.sureness()


def _groups(aliases: Iterable[Alias], profile: str) -> tuple[Group, ...]:
    sorts: dict[str, list[Alias]] = {"cased": [], "words": [], "unspaced": [], "anywhere": []}
    for alias in aliases:
        sorts[_sort(alias.text, profile)].append(alias)
    builders: dict[str, Callable[[list[Alias]], Group]] = {
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
    ends: Callable[[Name, str, str, int], bool],
    *,
    around: str = "",
    only_unspaced: bool = False,
) -> Group:
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
    return Group(AhoCorasick(patterns), names, fold, ends, only_unspaced)


def _name(folded: str, closed: bool, bearers: Mapping[str, list[Alias]]) -> Name:
    first = next(iter(bearers))
    whole = closed or (bool(first) and not is_word(first[-1]))
    return Name(
        len(folded), closed, whole, tuple((literal, tuple(some)) for literal, some in bearers.items())
    )


def _spellings(text: str) -> Iterator[str]:
    """ß has no capital that everybody uses: Straße is also found as STRASSE."""
    yield text
    if "ß" in text:
        yield text.replace("ß", "ss")


def _hits(group: Group, text: str) -> Iterator[Hit]:
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
                    yield Hit(start, end, aliases)


def _word_ends(name: Name, haystack: str, _text: str, after: int) -> bool:
    """In this folding everything between words is a space, so the next characters say it all."""
    return name.whole or haystack[after] == SPACE or haystack.startswith(PLURALS, after)


def _stands_apart(name: Name, _haystack: str, text: str, after: int) -> bool:
    return begins_word(text, after - 1 - name.length) and ends_word(text, after - 1)


def _anywhere(_name: Name, _haystack: str, _text: str, _after: int) -> bool:
    return True
