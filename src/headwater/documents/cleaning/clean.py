"""The cleaning step: repaired characters, without boilerplate, orphaned lines and repetitions."""

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
    """What to remove. `patterns` are regular expressions for the start of a boilerplate line. When cleaning would leave
    less than the share `min_left` of the text, nothing is removed."""

    patterns: tuple[str, ...] = DEFAULT_PATTERNS
    orphans: bool = True
    repeats: bool = True
    min_left: float = 0.5


@dataclass(frozen=True, slots=True)
class CleaningResult:
    """The text, and how often each rule changed it: entities, mojibake, repeats, boilerplate, orphans. `refused` is set
    when too little text would have been left."""

    text: str
    changes: Mapping[str, int] = field(default_factory=dict)


DEFAULT_RULES = CleaningRules()


def clean_text(text: str, rules: CleaningRules = DEFAULT_RULES) -> CleaningResult:
    """Apply the rules. Idempotent."""
    repaired, changes = repair_text(text)
    paragraphs, repeats = _drop_repeats(split_paragraphs(repaired), rules)
    changes["repeats"] = repeats
    cleaned, removed = _drop_boilerplate(paragraphs, rules)
    before, after = join_paragraphs(paragraphs), join_paragraphs(cleaned)
    if len(after) < rules.min_left * len(before):
        after, removed = before, {"refused": 1}
    for name, count in removed.items():
        changes[name] = changes.get(name, 0) + count
    return CleaningResult(after, {name: count for name, count in changes.items() if count})


def _drop_repeats(paragraphs: list[Paragraph], rules: CleaningRules) -> tuple[list[Paragraph], int]:
    """Remove repetitions until none is left."""
    removed = 0
    while rules.repeats:
        paragraphs, removed_now = without_repeats(paragraphs)
        if not removed_now:
            break
        removed += removed_now
    return paragraphs, removed


def _drop_boilerplate(
    paragraphs: list[Paragraph], rules: CleaningRules
) -> tuple[list[Paragraph], dict[str, int]]:
    """Remove boilerplate and orphans until none is left: each removal can expose further orphans or repetitions."""
    counts = {"boilerplate": 0, "orphans": 0, "repeats": 0}
    pattern = _pattern(rules.patterns)
    while True:
        before = sum(counts.values())
        if pattern is not None:
            paragraphs, removed = without_boilerplate(paragraphs, pattern)
            counts["boilerplate"] += removed
        if rules.orphans:
            paragraphs, removed = without_orphans(paragraphs)
            counts["orphans"] += removed
        paragraphs, removed = _drop_repeats(paragraphs, rules)
        counts["repeats"] += removed
        if sum(counts.values()) == before:
            return paragraphs, counts


@cache
def _pattern(patterns: tuple[str, ...]) -> Pattern[str] | None:
    return compile_patterns(patterns) if patterns else None


@dataclass(frozen=True)
class Clean:
    """Cleans the text by the rules. Title and description only have their characters repaired."""

    rules: CleaningRules = field(default_factory=CleaningRules)
    name: str = "clean"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._clean(document) for document in batch]

    def _clean(self, document: Document) -> Document:
        result = clean_text(document.text, self.rules)
        title, _ = repair_text(document.title)
        description, _ = repair_text(document.description)
        return replace(
            document, text=result.text, title=" ".join(title.split()), description=description
        ).with_notes(**result.changes)
