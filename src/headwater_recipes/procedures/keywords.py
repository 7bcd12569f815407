"""Keywords for a matcher that counts which of them are part of a query, letter by letter."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from headwater.pure.crawling.markers import folded
from headwater_recipes.procedures.keyword_words import COLLOQUIAL, COMMON, GENERIC, SMALL

SHORTEST = 5
MOST = 40
LONG, ENDING = 10, 4
BETWEEN = re.compile(r"[^\w·]+")


def keywords(
    name: str, other_names: Sequence[str], organism: str, abbreviation: str, identity: str
) -> list[str]:
    """The name whole, its telling words and their stems, the organism, the words people use, the slug.

    None is shorter than five letters, none is a piece of a common word, none comes twice with other accents. No
    stretch of the name but the whole: that may be another procedure's name, and then the whole is what decides.
    """
    found = [*_of_name(name)]
    for other in other_names:
        found += _of_name(other)
    found += [bare for text in (organism, abbreviation) if len(bare := loose(text)) >= SHORTEST]
    found += [words for term, words in COLLOQUIAL if term in folded(name)]
    found.append(identity)
    distinct = list(dict.fromkeys(text for text in found if _is_sound(text)))
    if len(distinct) < 3:
        distinct = list(dict.fromkeys([*distinct, *_spare(name, organism)]))
    return distinct[:MOST]


def _of_name(name: str) -> Iterator[str]:
    whole = " ".join(loose(name).split()).strip(" .,;:")
    yield whole
    if whole.isalpha() and len(whole) > SHORTEST:
        # One word: it counts as such and as the whole, or a longer name with that word would match as often.
        yield whole[: max(SHORTEST, len(whole) - ENDING - 2)]
    for word in BETWEEN.split(loose(name)):
        if len(word) >= SHORTEST and word not in GENERIC and word not in SMALL:
            yield word
            yield from _stem(word)


def _stem(word: str) -> Iterator[str]:
    """What its inflections share: people ask to be "empadronados", not for the "empadronamiento"."""
    if len(word) >= LONG:
        yield word[: len(word) - ENDING]


def _spare(name: str, organism: str) -> Iterator[str]:
    """For names of one word: what the schema still asks for, out of the page's own words."""
    bare = loose(name)
    yield f"tramite {bare}"
    yield f"solicitud {bare}"
    if organism:
        yield f"{bare} {loose(organism)}"


def _is_sound(text: str) -> bool:
    if len(text.strip()) < SHORTEST:
        return False
    if " " in text or "-" in text:
        return True
    return not is_fragment(text)


def is_fragment(word: str) -> bool:
    """Whether a common word holds it anywhere but at its beginning."""
    return any(word in common and not common.startswith(word) for common in COMMON)


def matches(query: str, candidates: Sequence[str]) -> int:
    """How many of the keywords the matcher would find in a query."""
    bare = loose(query)
    return sum(loose(one) in bare for one in candidates if one.strip())


def loose(text: str) -> str:
    """As the matcher compares: lower case, no accents, all else as it is."""
    apart = unicodedata.normalize("NFKD", text.lower().strip())
    return re.sub(r"[\u0300-\u036f]", "", apart)
