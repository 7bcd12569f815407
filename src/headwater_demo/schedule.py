"""Which site publishes what and when: an endless plan, computed day by day from the seed alone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import cycle
from random import Random

from headwater_demo.article import TOPICS, Kind, Topic
from headwater_demo.publishers import REPORTERS, Publisher

_DAY = timedelta(days=1)
# One letter per article of a day: a copy always follows something it can be a copy of.
_PATTERN = "OOOROOXOONOOOSOXOROONOXOOOROON"
_KINDS: dict[str, Kind] = {
    "O": "original",
    "R": "daily_report",
    "X": "exact_copy",
    "N": "near_copy",
    "S": "shared_guid",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """`serial` counts the originals of one language, so that each written article is used once;
    `copied`: another site will copy the article, which therefore keeps its wording."""

    number: int
    kind: Kind
    publisher: Publisher
    published: datetime
    topic: Topic
    serial: int = 0
    copied: bool = False
    source: "Assignment | None" = None


def plan(
    *, seed: int, publishers: tuple[Publisher, ...], first_day: datetime, per_day: int
) -> Iterator[Assignment]:
    """Assignments in order of time, without end."""
    serials = {publisher.language: 0 for publisher in publishers}
    turns, day = cycle(publishers), first_day
    while True:
        today: list[Assignment] = []
        reporters = iter(
            [publisher for host in REPORTERS for publisher in publishers if publisher.host == host]
        )
        for position in range(per_day):
            number = (day - first_day).days * per_day + position
            chance = Random(f"{seed}:plan:{number}")
            kind = _KINDS[_PATTERN[position]]
            draft = Assignment(
                number=number,
                kind=kind,
                publisher=publishers[0],
                published=_moment(day, position, per_day, chance),
                topic=chance.choice(TOPICS),
            )
            if kind == "original":
                today.append(_assign_original(draft, next(turns), serials))
            elif kind == "daily_report":
                today.append(replace(draft, publisher=next(reporters), topic="markets"))
            else:
                today.append(_assign_copy(draft, today, publishers, chance))
        sources = {item.source.number for item in today if item.source}
        yield from (replace(item, copied=item.number in sources) for item in today)
        day += _DAY


def _moment(day: datetime, position: int, per_day: int, chance: Random) -> datetime:
    share = (position + chance.uniform(0.05, 0.9)) / per_day
    return (day + share * _DAY).replace(second=0, microsecond=0)


def _assign_original(draft: Assignment, publisher: Publisher, serials: dict[str, int]) -> Assignment:
    serial = serials[publisher.language]
    serials[publisher.language] += 1
    return replace(draft, publisher=publisher, serial=serial)


def _assign_copy(
    draft: Assignment, today: list[Assignment], publishers: tuple[Publisher, ...], chance: Random
) -> Assignment:
    copied_numbers = {item.source.number for item in today if item.source}
    candidates = [
        item
        for item in today
        if item.kind == "original" and item.publisher.language == "en" and item.number not in copied_numbers
    ]
    source = chance.choice(candidates)
    other_publishers = [item for item in publishers if item.language == "en" and item is not source.publisher]
    return replace(draft, publisher=chance.choice(other_publishers), topic=source.topic, source=source)
