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
from itertools import compress, count

from headwater.documents.mentions.entities import NamedEntity
from headwater.documents.names.capitals import (
    CAPITAL_NOUN_LANGUAGES,
    CapitalUse,
    CasedWords,
    count_capitals,
    read_words,
)
from headwater.documents.names.unspaced import names_without_capitals
from headwater.documents.names.word_lists import known_organisations, word_list
from headwater.documents.places.countries import countries, find_countries
from headwater.model.document import Mention

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
    country_mentions = [
        find_countries(text, language) for text, language in zip(beginnings, languages, strict=True)
    ]
    names = [
        list(_capitalised(text, text_words, use, mentions, capital_nouns=language in CAPITAL_NOUN_LANGUAGES))
        for text, text_words, mentions, language in zip(
            beginnings, words, country_mentions, languages, strict=True
        )
    ]
    persons = _persons(names)
    full_names = _full_names(persons)
    return [
        _without_overlaps(
            [
                *_tabled(text, mentions),
                *_labelled(text_names, persons),
                *names_without_capitals(text, PERSON, ORGANISATION),
                *_family_names(text_words, full_names),
            ]
        )
        for text, mentions, text_names, text_words in zip(
            beginnings, country_mentions, names, words, strict=True
        )
    ]


def _tabled(text: str, country_mentions: Sequence[Mention]) -> Iterator[NamedEntity]:
    for mention in country_mentions:
        name = countries()[mention.subject].name
        for start, end in mention.offsets:
            yield NamedEntity(name, COUNTRY, mention.confidence, start, end)
    for mention in known_organisations().find(text):
        for start, end in mention.offsets:
            if text[start].isupper() or not text[start].islower():
                yield NamedEntity(text[start:end], ORGANISATION, SURE, start, end)


def _capitalised(
    text: str,
    words: CasedWords,
    use: CapitalUse,
    country_mentions: Sequence[Mention],
    *,
    capital_nouns: bool,
) -> Iterator[CasedName]:
    country_starts = frozenset(start for mention in country_mentions for start, _ in mention.offsets)
    for span in _spans(text, words, use, country_starts, capital_nouns=capital_nouns):
        before = words.keys[span.first - 1] if span.first else ""
        start, end = words.starts[span.first], words.ends[span.last]
        yield CasedName(
            text=text[start:end],
            start=start,
            end=end,
            label=_label(words, span),
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
    words: CasedWords,
    use: CapitalUse,
    country_starts: frozenset[int],
    *,
    capital_nouns: bool,
) -> Iterator[NameSpan]:
    """Sequences of capitalised words without anything between them; small words such as "de" may join them. A country and an
    acronym begin something else."""
    position = 0
    while position < len(words):
        if not words.is_capital[position] or not _may_begin(
            words, position, use, capital_nouns=capital_nouns
        ):
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


def _begins_another(words: CasedWords, last: int, following: int, country_starts: frozenset[int]) -> bool:
    word = words.texts[following]
    is_acronym = len(word) > 1 and word.isupper() and not words.texts[last].isupper()
    return following == last + 1 and (is_acronym or words.starts[following] in country_starts)


def _person_start(words: CasedWords, first: int, last: int) -> int:
    """`Merovia Joos Ember` begins with the country of the minister."""
    if any(key in word_list("organisation_word") for key in words.keys[first : last + 1]):
        return first
    starts = [position for position in range(first, last) if words.keys[position] in word_list("given")]
    return starts[0] if starts else first


def _may_begin(words: CasedWords, position: int, use: CapitalUse, *, capital_nouns: bool) -> bool:
    """Whether a capitalised word may be the first of a name."""
    word, key = words.texts[position], words.keys[position]
    if key in word_list("title"):
        return False
    is_person = key in word_list("given") or _is_after_title(words, position)
    if is_person and _is_followed_by_capital(words, position):
        return True
    if word.isupper() and 1 < len(word) <= MOST_ACRONYM:
        return True
    if key in word_list("organisation_word"):
        return _is_followed_by_name(words, position, use, capital_nouns=capital_nouns)
    return use.is_name(key, capital_nouns=capital_nouns)


def _is_after_title(words: CasedWords, position: int) -> bool:
    is_inside = position > 0 and not words.starts_sentence[position]
    return is_inside and words.keys[position - 1] in word_list("title")


def _is_followed_by_capital(words: CasedWords, position: int) -> bool:
    following = position + 1
    return following < len(words) and words.is_capital[following] and not words.starts_sentence[following]


def _is_followed_by_name(words: CasedWords, position: int, use: CapitalUse, *, capital_nouns: bool) -> bool:
    """`Bank Austria`, `Ministry of Defence`, `Federación de Tarn`."""
    name = position + 1
    end = min(position + 4, len(words))
    while name < end and words.keys[name] in word_list("connector"):
        name += 1
    if name == end or any(words.starts_sentence[position + 1 : name + 1]):
        return False
    return words.is_capital[name] and (not capital_nouns or use.is_name(words.keys[name], capital_nouns=True))


def _next_part(text: str, words: CasedWords, last: int, use: CapitalUse) -> int | None:
    for step in (1, 2, 3):
        position = last + step
        if position >= len(words) or words.starts_sentence[position]:
            return None
        if text[words.ends[position - 1] : words.starts[position]] != " ":
            return None
        key = words.keys[position]
        if words.is_capital[position]:
            is_joined = step > 1
            return position if not is_joined or key in use.words else None
        if key not in word_list("connector"):
            return None
    return None


def _label(words: CasedWords, span: NameSpan) -> str | None:
    """What the words of a name say about it. `OTHER`: certainly no person."""
    keys = words.keys[span.first : span.last + 1]
    if any(key in word_list("organisation_word") for key in keys):
        return ORGANISATION if len(keys) > 1 else OTHER
    if len(keys) == 1 and words.texts[span.first].isupper() and len(keys[0]) > 1:
        return ORGANISATION
    if any(key in word_list("place_word") for key in keys):
        return OTHER
    if len(keys) > 1 and keys[0] in word_list("given"):
        return PERSON
    return OTHER if len(keys) >= MOST_WORDS else None


def _is_speaker(words: CasedWords, span: NameSpan) -> bool:
    around = (
        *words.keys[max(0, span.first - SAYING_DISTANCE) : span.first],
        *words.keys[span.last + 1 : span.last + 1 + SAYING_DISTANCE],
    )
    return any(key in word_list("said") for key in around)


def _full_names(persons: frozenset[str]) -> dict[str, str]:
    """Each family name with the person of that name; a family name of several persons is left out."""
    by_family_name: dict[str, set[str]] = {}
    for person in persons:
        by_family_name.setdefault(person.split()[-1].casefold(), set()).add(person)
    return {name: min(bearers) for name, bearers in by_family_name.items() if len(bearers) == 1}


def _family_names(words: CasedWords, full_names: dict[str, str]) -> Iterator[NamedEntity]:
    for position in compress(count(), words.is_capital):
        person = full_names.get(words.keys[position])
        if person is not None:
            yield NamedEntity(person, PERSON, LIKELY, words.starts[position], words.ends[position])


def _without_overlaps(entities: Sequence[NamedEntity]) -> list[NamedEntity]:
    """Of names that overlap, the longest; then the surest."""
    ranked = sorted(entities, key=lambda entity: (entity.start - entity.end, -entity.score, entity.start))
    chosen: list[NamedEntity] = []
    for entity in ranked:
        if all(entity.end <= other.start or other.end <= entity.start for other in chosen):
            chosen.append(replace(entity, text=re.sub(r"\s+", " ", entity.text)))
    return sorted(chosen, key=lambda entity: entity.start)
