"""Text as its author wrote it, without what the site put around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from re import Pattern

from headwater.documents.cleaning.boilerplate import (
    DEFAULT_PATTERNS,
    Paragraph,
    compile_patterns,
    join_paragraphs,
    split_paragraphs,
    without_boilerplate,
    without_orphans,
    without_repeats,
)
from headwater.documents.cleaning.encoding import repair_text
from headwater.model.document import Document
from headwater.model.recipe import Outcome, StepContext


@dataclass(frozen=True, slots=True, kw_only=True)
class CleaningRules:
    """What is taken out. `patterns` are regular expressions for the beginning of a boilerplate line. A cleaning that
    would leave less than `least_left` of what the text says is not done."""

    patterns: tuple[str, ...] = DEFAULT_PATTERNS
    orphans: bool = True
    repeats: bool = True
    min_left: float = 0.5


@dataclass(frozen=True, slots=True)
class CleaningResult:
    """The text, and how often each rule changed it: entities, mojibake, repeats, boilerplate, orphans; `refused` when
    too little would have been left."""

    text: str
    changes: Mapping[str, int] = field(default_factory=dict)


DEFAULT_RULES = CleaningRules()


def clean_text(text: str, rules: CleaningRules = DEFAULT_RULES) -> CleaningResult:
    """Cleaning twice changes nothing."""
    repaired, changes = repair_text(text)
    said, repeats = _once(split_paragraphs(repaired), rules)
    changes["repeats"] = repeats
    kept, removed = _strip(said, rules)
    whole, left = join_paragraphs(said), join_paragraphs(kept)
    if len(left) < rules.min_left * len(whole):
        left, removed = whole, {"refused": 1}
    for name, count in removed.items():
        changes[name] = changes.get(name, 0) + count
    return CleaningResult(left, {name: count for name, count in changes.items() if count})


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
    return compile_patterns(patterns) if patterns else None


@dataclass(frozen=True)
class Clean:
    """Cleans the text by the rules; title and description only get their characters repaired."""

    rules: CleaningRules = field(default_factory=CleaningRules)
    name: str = "clean"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._clean(document) for document in batch]

    def _clean(self, document: Document) -> Document:
        cleaned = clean_text(document.text, self.rules)
        title, _ = repair_text(document.title)
        description, _ = repair_text(document.description)
        return replace(
            document, text=cleaned.text, title=" ".join(title.split()), description=description
        ).with_notes(**cleaned.changes)
