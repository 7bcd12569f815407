"""How a story grew: one event for each report, copy and revision of a report, with what the story was afterwards."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

EventKind = Literal["report", "copy", "revision"]
ORDER: Mapping[EventKind, int] = {"report": 0, "copy": 1, "revision": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEvent:
    """Something that happened to a story: it got a report, a copy of one arrived, or a report was changed by its publisher.
    `of` is the report that was copied; `revision` counts the versions of a report."""

    at: datetime
    kind: EventKind
    document: str
    title: str
    publisher: str
    language: str
    url: str
    revision: int = 1
    of: str | None = None


def story_history(events: Iterable[HistoryEvent]) -> list[dict[str, Any]]:
    """The events in their order, the first one first; each with the number of reports, publishers and languages so far."""
    reports: set[str] = set()
    publishers: set[str] = set()
    languages: set[str] = set()
    records = []
    for event in _in_order(events):
        is_new_publisher = bool(event.publisher) and event.publisher not in publishers
        if event.kind == "report":
            reports.add(event.document)
            languages |= {event.language} - {""}
        publishers |= {event.publisher} - {""}
        records.append(
            {
                "id": f"{event.document}-{event.revision}",
                "at": event.at,
                "kind": event.kind,
                "document": event.document,
                "revision": event.revision,
                "of": event.of,
                "title": event.title,
                "publisher": event.publisher,
                "language": event.language,
                "url": event.url,
                "new_publisher": is_new_publisher,
                "reports": len(reports),
                "publishers": len(publishers),
                "languages": len(languages),
            }
        )
    return records


def _in_order(events: Iterable[HistoryEvent]) -> Sequence[HistoryEvent]:
    return sorted(events, key=lambda event: (event.at, ORDER[event.kind], event.document, event.revision))
