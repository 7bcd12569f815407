"""What changed in a story since a time: new reports, who joined, and what nobody had said before."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from headwater.stories.extractive_summary import (
    CitedSentence,
    StorySentence,
    SummarySource,
    bag_similarity,
    choose_sentences,
    read_sentences,
)
from headwater.stories.reader_language import reader_language
from headwater.stories.sentence_choice import SHORTEST

SAID_BEFORE = 0.5
"""From this similarity on, an earlier sentence said the same, unless there is a new figure."""
FIGURE = re.compile(r"\d+(?:[.,  ]\d{3})*(?:[.,]\d+)?")
MOST_REPORTS = 50
"""Of each side; the newest are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReport:
    """A document of a story. `at`: when it was published or, where that is unknown, when it arrived."""

    id: str
    title: str
    text: str
    publisher: str
    language: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryChanges:
    """`statements` are sentences of new reports, in `language`, that no earlier report in that language has."""

    since: datetime
    reports_before: int
    new_reports: tuple[StoryReport, ...]
    new_publishers: tuple[str, ...]
    new_languages: tuple[str, ...]
    language: str
    statements: tuple[CitedSentence, ...]


def story_changes(
    reports: Sequence[StoryReport], since: datetime, preferred: Sequence[str] = ("en",), count: int = 5
) -> StoryChanges:
    """`preferred`: the languages of the reader. The order of the reports does not matter."""
    in_order = sorted(reports, key=lambda report: (report.at, report.id))
    earlier = [report for report in in_order if report.at < since]
    new = [report for report in in_order if report.at >= since]
    language = reader_language([report.language for report in new], preferred)
    return StoryChanges(
        since=since,
        reports_before=len(earlier),
        new_reports=tuple(new),
        new_publishers=_added(earlier, new, "publisher"),
        new_languages=_added(earlier, new, "language"),
        language=language,
        statements=_new_statements(_in(language, earlier), _in(language, new), count),
    )


def changes_record(changed: StoryChanges) -> dict[str, Any]:
    """What the command and the HTTP API return."""
    return {
        "since": changed.since,
        "reports_before": changed.reports_before,
        "new_reports": [
            {
                "id": report.id,
                "title": report.title,
                "publisher": report.publisher,
                "language": report.language,
                "at": report.at,
            }
            for report in changed.new_reports
        ],
        "new_publishers": list(changed.new_publishers),
        "new_languages": list(changed.new_languages),
        "language": changed.language,
        "statements": [
            {"text": statement.text, "documents": list(statement.documents)}
            for statement in changed.statements
        ],
    }


def _in(language: str, reports: Sequence[StoryReport]) -> list[SummarySource]:
    readable = [report for report in reports if report.language == language]
    return [SummarySource(report.id, report.text) for report in readable[-MOST_REPORTS:]]


def _added(earlier: Sequence[StoryReport], new: Sequence[StoryReport], name: str) -> tuple[str, ...]:
    earlier_values = {getattr(report, name) for report in earlier}
    return tuple(sorted({getattr(report, name) for report in new} - earlier_values - {""}))


def _new_statements(
    earlier: Sequence[SummarySource], new: Sequence[SummarySource], count: int
) -> tuple[CitedSentence, ...]:
    new_ids = {source.id for source in new}
    sentences = read_sentences(sorted((*earlier, *new), key=lambda source: source.id))
    before = [sentence for sentence in sentences if sentence.document not in new_ids]
    figures = {figure for sentence in before for figure in FIGURE.findall(sentence.text)}
    candidates = [
        sentence
        for sentence in sentences
        if sentence.document in new_ids
        and len(sentence.bag) >= SHORTEST
        and _is_new(sentence, before, figures)
    ]
    (chosen,) = choose_sentences([candidates], count, [count])
    return tuple(
        CitedSentence(candidates[index].text, (candidates[index].document,)) for index in sorted(chosen)
    )


def _is_new(sentence: StorySentence, before: Sequence[StorySentence], figures: set[str]) -> bool:
    if before and not figures.issuperset(FIGURE.findall(sentence.text)):
        return True
    return all(bag_similarity(sentence.bag, other.bag) < SAID_BEFORE for other in before)
