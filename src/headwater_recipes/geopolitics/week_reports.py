"""What counts for a story: its reports of the last week, by hour and by publisher. The score takes those of three days, because news is
hot for days; growth compares weeks, because a story may grow slowly.

A round-up is no report. A report counts from its publication; one without a date, or with one in the future, from the time it
came in. Hours are those of UTC, so that no time zone has a day of its own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from headwater.model.document import Document
from headwater.model.story import Story
from headwater.stories.clustering.roundups import is_roundup
from headwater.stories.coverage import domain_of

WEEK = timedelta(days=7)
HOT = timedelta(days=3)
ATTRIBUTE = "week"
MOST_STORED = 300
"""Publishers, and reports without a usable date, that a story remembers: those of the latest hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekReports:
    """`hours`: how many reports appeared in each hour. `publishers`: the hour of each publisher's newest. `arrivals`: when reports
    without a usable date came in. An older report is in none of them."""

    hours: Mapping[str, int] = field(default_factory=dict)
    publishers: Mapping[str, str] = field(default_factory=dict)
    arrivals: Mapping[str, str] = field(default_factory=dict)
    newest: datetime | None = None

    def reports(self, now: datetime, span: timedelta = WEEK) -> int:
        first = _hour(now - span)
        return sum(count for hour, count in self.hours.items() if hour >= first)

    def publishers_of(self, now: datetime, span: timedelta = WEEK) -> int:
        first = _hour(now - span)
        return sum(hour >= first for hour in self.publishers.values())

    def record(self) -> dict[str, Any]:
        """As an attribute of the story."""
        return {
            "hours": dict(self.hours),
            "publishers": dict(self.publishers),
            "arrivals": dict(self.arrivals),
            "newest_at": "" if self.newest is None else self.newest.isoformat(),
        }


def stored_week(attributes: Mapping[str, Any]) -> WeekReports | None:
    """None for a story that was described before its reports were counted by hour."""
    record = attributes.get(ATTRIBUTE)
    if not isinstance(record, Mapping):
        return None
    newest = str(record["newest_at"])
    return WeekReports(
        hours=record["hours"],
        publishers=record["publishers"],
        arrivals=record["arrivals"],
        newest=datetime.fromisoformat(newest) if newest else None,
    )


def report_times(
    documents: Sequence[Document], before: Story | None, now: datetime
) -> dict[str, datetime | None]:
    """From when each report counts. None: it came in without a date, longer ago than the week."""
    earlier = set() if before is None else {member.document for member in before.members}
    week = None if before is None else stored_week(before.attributes)
    arrivals = {} if week is None else week.arrivals

    def arrival(document: Document) -> datetime | None:
        if document.id not in earlier:
            return now
        return datetime.fromisoformat(arrivals[document.id]) if document.id in arrivals else None

    return {
        document.id: document.published if _has_past_date(document, now) else arrival(document)
        for document in documents
        if not is_roundup(document.title)
    }


def week_reports(
    documents: Sequence[Document], times: Mapping[str, datetime | None], now: datetime
) -> WeekReports:
    first = now - WEEK
    hours: Counter[str] = Counter()
    publishers: dict[str, str] = {}
    arrivals: dict[str, str] = {}
    for document in documents:
        moment = times.get(document.id)
        if moment is None or moment < first:
            continue
        hour, domain = _hour(moment), domain_of(document)
        hours[hour] += 1
        if domain:
            publishers[domain] = max(hour, publishers.get(domain, ""))
        if not _has_past_date(document, now):
            arrivals[document.id] = moment.isoformat()
    return WeekReports(
        hours=dict(sorted(hours.items())),
        publishers=_latest(publishers),
        arrivals=_latest(arrivals),
        newest=max((moment.astimezone(UTC) for moment in times.values() if moment is not None), default=None),
    )


def _latest(moments: Mapping[str, str]) -> dict[str, str]:
    by_age = sorted(moments.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
    return dict(sorted(by_age[:MOST_STORED]))


def _has_past_date(document: Document, now: datetime) -> bool:
    return document.published is not None and document.published <= now


def _hour(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H")
