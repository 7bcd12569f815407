"""Persons, organisations and countries of texts, by lists of words and by how all texts together write their words.

No model is needed. A name is a sequence of capitalised words (see `capitals`). It is a person with a given name, after a title or
beside a verb of saying; an organisation with a word such as "court" or as an acronym. A family name alone is the person of that
name elsewhere in the texts. Countries and well-known organisations come from tables, in scripts without capital letters too; there
a person is recognised by a title beside it, or by the dot in a foreign name.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from headwater.documents.mentions.entities import NamedEntity
from headwater.documents.names.capitals import (
    CAPITAL_NOUN_LANGUAGES,
    CapitalUse,
    CasedWord,
    count_capitals,
    read_words,
)
from headwater.documents.names.unspaced import names_without_capitals
from headwater.documents.names.word_lists import known_organisations, word_list
from headwater.documents.places.countries import countries, find_countries

PERSON, ORGANISATION, COUNTRY, OTHER = "PERSON", "ORG", "LOC", "OTHER"
MOST_CHARACTERS = 6_000
"""News names those concerned early."""
MOST_WORDS = 5
MOST_ACRONYM = 6
SAYING_DISTANCE = 1
LEAST_CUES, MOST_AFTER_ARTICLE = 0.2, 0.2
"""Shares of the uses of a name without a given name: beside a title or a verb of saying, after an article."""
SURE, LIKELY = 0.9, 0.7


@dataclass(frozen=True, slots=True)
class NameSpan:
    """Words of a name, as positions in the list of words of their text."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class CasedName:
    """A name in one text, and what stands around it. `label` is what its own words say."""

    text: str
    start: int
    end: int
    label: str | None
    words: int
    is_after_title: bool
    is_speaker: bool
    is_after_article: bool


def recognise_names(texts: Sequence[str], languages: Sequence[str]) -> list[list[NamedEntity]]:
    """The names of each text. The texts are read together: what one shows about a word holds for all."""
    beginnings = [text[:MOST_CHARACTERS] for text in texts]
    words = [read_words(text) for text in beginnings]
    use = count_capitals(zip(languages, words, strict=True))
    names = [
        list(_capitalised(text, text_words, use, language))
        for text, text_words, language in zip(beginnings, words, languages, strict=True)
    ]
    persons = _persons(names)
    full_names = _full_names(persons)
    return [
        _without_overlaps(
            [
                *_tabled(text, language),
                *_labelled(text_names, persons),
                *names_without_capitals(text, PERSON, ORGANISATION),
                *_family_names(text_words, full_names),
            ]
        )
        for text, language, text_names, text_words in zip(beginnings, languages, names, words, strict=True)
    ]


def _tabled(text: str, language: str) -> Iterator[NamedEntity]:
    for mention in find_countries(text, language):
        name = countries()[mention.subject].name
        for start, end in mention.offsets:
            yield NamedEntity(name, COUNTRY, mention.confidence, start, end)
    for mention in known_organisations().find(text):
        for start, end in mention.offsets:
            if text[start].isupper() or not text[start].islower():
                yield NamedEntity(text[start:end], ORGANISATION, SURE, start, end)


def _capitalised(
    text: str, words: Sequence[CasedWord], use: CapitalUse, language: str
) -> Iterator[CasedName]:
    country_starts = frozenset(
        start for mention in find_countries(text, language) for start, _ in mention.offsets
    )
    for span in _spans(text, words, use, country_starts, capital_nouns=language in CAPITAL_NOUN_LANGUAGES):
        before = words[span.first - 1].key if span.first else ""
        start, end = words[span.first].start, words[span.last].end
        yield CasedName(
            text=text[start:end],
            start=start,
            end=end,
            label=_label(words[span.first : span.last + 1]),
            words=span.last - span.first + 1,
            is_after_title=_is_after_title(words, span.first),
            is_speaker=_is_speaker(words, span),
            is_after_article=before in word_list("article") or before in word_list("place_preposition"),
        )


def _persons(names: Sequence[Sequence[CasedName]]) -> frozenset[str]:
    """The names of persons: by a given name; or after a title or beside a verb of saying, if they rarely follow an article
    or a preposition, as ships and places do."""
    uses = Counter(name.text for text_names in names for name in text_names)
    cues = Counter(
        name.text
        for text_names in names
        for name in text_names
        if name.words > 1 and name.label is None and (name.is_after_title or name.is_speaker)
    )
    others = Counter(name.text for text_names in names for name in text_names if name.is_after_article)
    by_given_name = {name.text for text_names in names for name in text_names if name.label == PERSON}
    return frozenset(
        by_given_name
        | {
            name
            for name, count in cues.items()
            if count >= LEAST_CUES * uses[name] and others[name] <= MOST_AFTER_ARTICLE * uses[name]
        }
    )


def _labelled(names: Sequence[CasedName], persons: frozenset[str]) -> Iterator[NamedEntity]:
    for name in names:
        label = PERSON if name.text in persons else name.label
        if label in (PERSON, ORGANISATION):
            yield NamedEntity(name.text, label, LIKELY, name.start, name.end)


def _spans(
    text: str,
    words: Sequence[CasedWord],
    use: CapitalUse,
    country_starts: frozenset[int],
    *,
    capital_nouns: bool,
) -> Iterator[NameSpan]:
    """Sequences of capitalised words without anything between them; small words such as "de" may join them. A country and an
    acronym begin something else."""
    position = 0
    while position < len(words):
        is_capital = words[position].is_capital
        if not is_capital or not _may_begin(words, position, use, capital_nouns=capital_nouns):
            position += 1
            continue
        last = position
        while last + 1 < len(words) and last - position < MOST_WORDS:
            following = _next_part(text, words, last, use)
            if following is None or _begins_another(words, last, following, country_starts):
                break
            last = following
        yield NameSpan(_person_start(words, position, last), last)
        position = last + 1


def _begins_another(
    words: Sequence[CasedWord], last: int, following: int, country_starts: frozenset[int]
) -> bool:
    word = words[following]
    is_acronym = len(word.text) > 1 and word.text.isupper() and not words[last].text.isupper()
    return following == last + 1 and (is_acronym or word.start in country_starts)


def _person_start(words: Sequence[CasedWord], first: int, last: int) -> int:
    """`Merovia Joos Ember` begins with the country of the minister."""
    if any(words[position].key in word_list("organisation_word") for position in range(first, last + 1)):
        return first
    starts = [position for position in range(first, last) if words[position].key in word_list("given")]
    return starts[0] if starts else first


def _may_begin(words: Sequence[CasedWord], position: int, use: CapitalUse, *, capital_nouns: bool) -> bool:
    """Whether a capitalised word may be the first of a name."""
    word = words[position]
    if word.key in word_list("title"):
        return False
    is_person = word.key in word_list("given") or _is_after_title(words, position)
    if is_person and _is_followed_by_capital(words, position):
        return True
    if word.text.isupper() and 1 < len(word.text) <= MOST_ACRONYM:
        return True
    if word.key in word_list("organisation_word"):
        return _is_followed_by_name(words, position, use, capital_nouns=capital_nouns)
    return use.is_name(word, capital_nouns=capital_nouns)


def _is_after_title(words: Sequence[CasedWord], position: int) -> bool:
    is_inside = position > 0 and not words[position].starts_sentence
    return is_inside and words[position - 1].key in word_list("title")


def _is_followed_by_capital(words: Sequence[CasedWord], position: int) -> bool:
    if position + 1 >= len(words):
        return False
    following = words[position + 1]
    return following.is_capital and not following.starts_sentence


def _is_followed_by_name(
    words: Sequence[CasedWord], position: int, use: CapitalUse, *, capital_nouns: bool
) -> bool:
    """`Bank Austria`, `Ministry of Defence`, `Federación de Tarn`."""
    following = words[position + 1 : position + 4]
    connectors = 0
    while connectors < len(following) and following[connectors].key in word_list("connector"):
        connectors += 1
    if connectors == len(following) or any(word.starts_sentence for word in following[: connectors + 1]):
        return False
    word = following[connectors]
    return word.is_capital and (not capital_nouns or use.is_name(word, capital_nouns=True))


def _next_part(text: str, words: Sequence[CasedWord], last: int, use: CapitalUse) -> int | None:
    for step in (1, 2, 3):
        position = last + step
        if position >= len(words) or words[position].starts_sentence:
            return None
        if text[words[position - 1].end : words[position].start] != " ":
            return None
        word = words[position]
        if word.is_capital:
            is_joined = step > 1
            return position if not is_joined or word.key in use.words else None
        if word.key not in word_list("connector"):
            return None
    return None


def _label(parts: Sequence[CasedWord]) -> str | None:
    """What the words of a name say about it. `OTHER`: certainly no person."""
    keys = [part.key for part in parts]
    if any(key in word_list("organisation_word") for key in keys):
        return ORGANISATION if len(parts) > 1 else OTHER
    if len(parts) == 1 and parts[0].text.isupper() and len(keys[0]) > 1:
        return ORGANISATION
    if any(key in word_list("place_word") for key in keys):
        return OTHER
    if len(parts) > 1 and keys[0] in word_list("given"):
        return PERSON
    return OTHER if len(parts) >= MOST_WORDS else None


def _is_speaker(words: Sequence[CasedWord], span: NameSpan) -> bool:
    around = (
        *words[max(0, span.first - SAYING_DISTANCE) : span.first],
        *words[span.last + 1 : span.last + 1 + SAYING_DISTANCE],
    )
    return any(word.key in word_list("said") for word in around)


def _full_names(persons: frozenset[str]) -> dict[str, str]:
    """Each family name with the person of that name; a family name of several persons is left out."""
    by_family_name: dict[str, set[str]] = {}
    for person in persons:
        by_family_name.setdefault(person.split()[-1].casefold(), set()).add(person)
    return {name: min(bearers) for name, bearers in by_family_name.items() if len(bearers) == 1}


def _family_names(words: Sequence[CasedWord], full_names: dict[str, str]) -> Iterator[NamedEntity]:
    for word in words:
        if word.is_capital and word.key in full_names:
            yield NamedEntity(full_names[word.key], PERSON, LIKELY, word.start, word.end)


def _without_overlaps(entities: Sequence[NamedEntity]) -> list[NamedEntity]:
    """Of names that overlap, the longest; then the surest."""
    ranked = sorted(entities, key=lambda entity: (entity.start - entity.end, -entity.score, entity.start))
    chosen: list[NamedEntity] = []
    for entity in ranked:
        if all(entity.end <= other.start or other.end <= entity.start for other in chosen):
            chosen.append(replace(entity, text=re.sub(r"\s+", " ", entity.text)))
    return sorted(chosen, key=lambda entity: entity.start)
