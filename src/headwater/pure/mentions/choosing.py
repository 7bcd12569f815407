"""Which of the raw matches count, and what they add up to."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headwater.model.document import Mention
from headwater.pure.mentions.alias import Alias
from headwater.pure.mentions.folding import is_unspaced, is_word


@dataclass(frozen=True, slots=True)
class Hit:
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


def outside(spans: Sequence[tuple[int, int]], hits: Iterable[Hit]) -> Iterable[Hit]:
    """The hits that do not begin within one of these stretches, which are in order and apart."""
    if not spans:
        return hits
    starts = [start for start, _ in spans]
    return (hit for hit in hits if not _within(spans, starts, hit.start))


def _within(spans: Sequence[tuple[int, int]], starts: Sequence[int], place: int) -> bool:
    before = bisect_right(starts, place) - 1
    return before >= 0 and place < spans[before][1]


def longest(hits: Iterable[Hit]) -> list[Hit]:
    """Of hits that overlap the longest, and of equally long ones the first; in order of the text."""
    kept: list[Hit] = []
    starts: list[int] = []
    for hit in sorted(hits, key=lambda h: (h.start - h.end, h.start)):
        place = bisect_right(starts, hit.start)
        clear_before = place == 0 or kept[place - 1].end <= hit.start
        clear_after = place == len(kept) or hit.end <= kept[place].start
        if clear_before and clear_after:
            kept.insert(place, hit)
            starts.insert(place, hit.start)
    return kept


def gather(hits: Iterable[Hit]) -> tuple[Mention, ...]:
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
        Mention(subject, surest[subject].kind, surest[subject].sureness(), len(found), tuple(found))
        for subject, found in places.items()
    )


def _rank(alias: Alias) -> tuple[float, str]:
    return -alias.sureness(), alias.kind
