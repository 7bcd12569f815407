"""Which matches of aliases count, and the mentions they add up to."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headwater.documents.mentions.folding import is_word
from headwater.model.document import Mention
from headwater.model.subject import Alias
from headwater.text.scripts import is_unspaced


@dataclass(frozen=True, slots=True)
class AliasMatch:
    """A match from `start` to `end`; `aliases` are all that have this spelling."""

    start: int
    end: int
    aliases: tuple[Alias, ...]


def begins_word(text: str, start: int) -> bool:
    return start == 0 or _may_split(text[start - 1], text[start])


def ends_word(text: str, end: int) -> bool:
    return end == len(text) or _may_split(text[end - 1], text[end])


def _may_split(before: str, after: str) -> bool:
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


def longest_matches(matches: Iterable[AliasMatch]) -> list[AliasMatch]:
    """The longest of overlapping matches, the first of equally long ones; in text order."""
    chosen: list[AliasMatch] = []
    starts: list[int] = []
    for match in sorted(matches, key=lambda candidate: (candidate.start - candidate.end, candidate.start)):
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
