"""Generated articles in a language that resembles English; the same number yields the same article."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate


def _words(text: str) -> list[str]:
    return text.split()


SMALL_WORDS = _words(
    "the of and to in a is that for it was on with as at by from this be are has not had they his its but an were "
    "which or have their been more will would one about all said than other up into out who over after could time"
)
HEADS = _words("st pr tr cl br gr fl sp m n v l r s t d c b f h p k w j")
TAILS = _words("ers ing ation ent al ive ous er ed ity or ist ure age ism ance")
NAMES = _words(
    "Harbour Ledger Council Exchange Treasury Basin Custody Validator Ministry Granite Lantern Copper"
)
NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
PARAGRAPHS, SENTENCES = 7, 4
COPIED, LISTED_TWICE = 10, 25


@dataclass(frozen=True, slots=True, kw_only=True)
class WireHeadline:
    """An article as other pages mention it."""

    feed: int
    number: int
    title: str
    published: datetime

    @property
    def url(self) -> str:
        return f"http://wire{self.feed}.example/2026/11/{self.number}-{self.title.lower().replace(' ', '-')[:40]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WireArticle(WireHeadline):
    """An article: an original, or a copy of an article of another publisher."""

    paragraphs: tuple[str, ...]


# The n-th word is used about 1/n as often as the first (Zipf), as in any language.
WORDS = [
    head + vowel + middle + tail
    for vowel in "aeiou"
    for middle in ("", "r", "l", "n", "m", "nd", "ct")
    for head in HEADS
    for tail in TAILS
]
random.Random(5).shuffle(WORDS)
PEOPLE = [(word + ending).capitalize() for word in WORDS[::4] for ending in ("berg", "son", "ovic", "dottir")]
CAST = 5
"""People and firms in one article. If all articles named the same few, all would be reports of one event."""
WEIGHTS = list(accumulate(1 / (rank + 8) for rank in range(len(WORDS))))


def _sentence(chance: random.Random, cast: list[str]) -> str:
    """Alternates English words and invented ones, with a name."""
    rare = chance.choices(WORDS, cum_weights=WEIGHTS, k=11)
    small = chance.choices(SMALL_WORDS, k=11)
    words = [word for pair in zip(small, rare, strict=True) for word in pair]
    words[chance.randrange(3, 20)] = chance.choice(cast)
    if chance.random() < 0.3:
        words[chance.randrange(3, 20)] = str(chance.randrange(2, 9000))
    words[0] = words[0].capitalize()  # of the first word only: names keep their capital letters
    return " ".join(words) + "."


@lru_cache(maxsize=256)
def wire_article(feed: int, number: int) -> WireArticle:
    """Every tenth article of an odd publisher is a copy from the publisher before it, under a different title."""
    chance, cast = _start(feed, number)
    title = _title(chance, cast)
    paragraphs = tuple(" ".join(_sentence(chance, cast) for _ in range(SENTENCES)) for _ in range(PARAGRAPHS))
    return WireArticle(
        feed=feed,
        number=number,
        title=title + _suffix(feed, number),
        paragraphs=paragraphs,
        published=_published(feed, number),
    )


@lru_cache(maxsize=2048)
def wire_headline(feed: int, number: int) -> WireHeadline:
    """The same article without its text, at a thirtieth of the cost."""
    title = _title(*_start(feed, number)) + _suffix(feed, number)
    return WireHeadline(feed=feed, number=number, title=title, published=_published(feed, number))


def _start(feed: int, number: int) -> tuple[random.Random, list[str]]:
    chance = random.Random(f"{feed - _is_copied(feed, number)}/{number}")
    return chance, [*chance.sample(PEOPLE, CAST - 1), chance.choice(NAMES)]


def _title(chance: random.Random, cast: list[str]) -> str:
    return " ".join([cast[0], *chance.choices(WORDS, cum_weights=WEIGHTS, k=7)])


def _is_copied(feed: int, number: int) -> bool:
    return feed % 2 == 1 and number % COPIED == COPIED - 1


def _suffix(feed: int, number: int) -> str:
    return " again" if _is_copied(feed, number) else ""


def _published(feed: int, number: int) -> datetime:
    return NOW - timedelta(minutes=37 * number + feed % 60)


def markup(article: WireArticle) -> str:
    return "".join(f"<p>{text}</p>\n" for text in article.paragraphs)
