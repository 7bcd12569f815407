"""Text as its author wrote it, without what the site put around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from re import Pattern

from headwater.pure.cleaning.boilerplate import DEFAULT_PATTERNS, compiled
from headwater.pure.cleaning.encoding import repair
from headwater.pure.cleaning.lines import (
    Paragraph,
    paragraphs_of,
    text_of,
    without_boilerplate,
    without_orphans,
    without_repeats,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CleaningRules:
    """What is taken out. `patterns` are regular expressions for the beginning of a boilerplate line. A cleaning that
    would leave less than `least_left` of what the text says is not done."""

    patterns: tuple[str, ...] = DEFAULT_PATTERNS
    orphans: bool = True
    repeats: bool = True
    least_left: float = 0.5


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The text, and how often each rule changed it: entities, mojibake, repeats, boilerplate, orphans; `refused` when
    too little would have been left."""

    text: str
    changes: Mapping[str, int] = field(default_factory=dict)


DEFAULT = CleaningRules()


def clean(text: str, rules: CleaningRules = DEFAULT) -> Cleaned:
    """Cleaning twice changes nothing."""
    repaired, changes = repair(text)
    said, repeats = _once(paragraphs_of(repaired), rules)
    changes["repeats"] = repeats
    kept, removed = _strip(said, rules)
    whole, left = text_of(said), text_of(kept)
    if len(left) < rules.least_left * len(whole):
        left, removed = whole, {"refused": 1}
    for name, count in removed.items():
        changes[name] = changes.get(name, 0) + count
    return Cleaned(left, {name: count for name, count in changes.items() if count})


def _once(paragraphs: list[Paragraph], rules: CleaningRules) -> tuple[list[Paragraph], int]:
    """Said once, until nothing is said twice."""
    gone = 0
    while rules.repeats:
        paragraphs, more = without_repeats(paragraphs)
        if not more:
            break
        gone += more
    return paragraphs, gone


def _strip(paragraphs: list[Paragraph], rules: CleaningRules) -> tuple[list[Paragraph], dict[str, int]]:
    """Boilerplate and orphans out, until none is left: what goes may leave others alone or alike."""
    counts = {"boilerplate": 0, "orphans": 0, "repeats": 0}
    pattern = _pattern(rules.patterns)
    while True:
        before = sum(counts.values())
        if pattern is not None:
            paragraphs, gone = without_boilerplate(paragraphs, pattern)
            counts["boilerplate"] += gone
        if rules.orphans:
            paragraphs, gone = without_orphans(paragraphs)
            counts["orphans"] += gone
        paragraphs, gone = _once(paragraphs, rules)
        counts["repeats"] += gone
        if sum(counts.values()) == before:
            return paragraphs, counts


@cache
def _pattern(patterns: tuple[str, ...]) -> Pattern[str] | None:
    return compiled(patterns) if patterns else None
