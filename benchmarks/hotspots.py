"""A month of the demo's flashpoints, day by day: when a story grew, and when it alerted.

    python -m benchmarks.hotspots [--backlog] [--rows]

Every day at 04:00 the stories of the demo are described with what was published by then, as the recipe does; the stories are those
the demo was written with, so that the figures show the alerts and not the clustering. A story grew on the first day with a third of
its articles. With `--backlog` all articles of the first two weeks arrive on one day. The last line is one JSON object.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from headwater.model.document import Document
from headwater.model.recipe import StoryContext
from headwater.model.story import Member, Story
from headwater.stories.topics.media_topics import topic_code
from headwater_demo.clock import START
from headwater_demo.flashpoints.flashpoint_list import reports_of
from headwater_demo.flashpoints.reports import Report
from headwater_recipes.geopolitics.alert_rules import AlertRules
from headwater_recipes.geopolitics.description import DescribeStory
from headwater_recipes.geopolitics.steps import topic_record

DAY = timedelta(days=1)
FIRST = START.replace(hour=4) - 13 * DAY
DAYS = 28
RULES = AlertRules(score=0.7, growth=2.0)
KEPT = ("report", "follow_up")
"""Copies and updates are dropped before stories are made."""


@dataclass(frozen=True, slots=True)
class ReplayedAlert:
    day: int
    rules: tuple[str, ...]
    reasons: tuple[str, ...]
    articles: int
    score: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backlog", action="store_true")
    parser.add_argument("--rows", action="store_true", help="the score of every day")
    options = parser.parse_args()
    documents = demo_documents()
    rows: dict[str, list[float]] = defaultdict(list)
    alerts = replay(documents, first=13 if options.backlog else 0, rows=rows)
    figures = {}
    for story, members in sorted(documents.items()):
        grew, alerted = growth_day(members), [alert.day for alert in alerts.get(story, [])]
        delay = min((day - grew for day in alerted if day >= grew), default=None)
        figures[story] = {"articles": len(members), "grew": grew, "alerts": alerted, "days_after": delay}
        print(f"{story:<26}{len(members):>4} articles, grew on day {grew:>2}, alerts on {alerted}")
        for alert in alerts.get(story, []):
            print(f"{'':<26}day {alert.day}: {'; '.join(alert.reasons)}")
        if options.rows:
            print(" ".join(f"{score:.2f}" for score in rows[story]))
    print(json.dumps(figures))


def demo_documents() -> dict[str, list[Document]]:
    """The documents of each story, by the name of its flashpoint and its own."""
    stories: dict[str, list[Document]] = defaultdict(list)
    for number, report in enumerate(reports_of("full")):
        if report.story and report.kind in KEPT:
            stories[f"{report.flashpoint}/{report.story}"].append(_document(number, report))
    return stories


def _document(number: int, report: Report) -> Document:
    topic = topic_record(topic_code(report.category), 0.9, "publisher") if report.category else None
    return Document(
        id=f"{number:04}",
        recipe="geopolitics",
        source=report.host,
        lead=report.url,
        url=report.url,
        title=report.title,
        text=report.text,
        language=report.language,
        published=START + timedelta(hours=report.hours),
        attributes={"flashpoint": report.flashpoint, **({"topic": topic} if topic else {})},
    )


def growth_day(documents: Sequence[Document]) -> int:
    """The first run after a third of the articles were published within one day."""
    days = Counter(run_of(document.published) for document in documents if document.published)
    return min(day for day, count in days.items() if 3 * count >= len(documents))


def run_of(published: datetime) -> int:
    """The first daily run that sees an article."""
    return max(-(-(published - FIRST) // DAY), 0)


def replay(
    documents: dict[str, list[Document]],
    rules: AlertRules = RULES,
    first: int = 0,
    rows: dict[str, list[float]] | None = None,
) -> dict[str, list[ReplayedAlert]]:
    """The alerts of each story, in the order of days. Runs before the day `first` do not take place."""
    describe = DescribeStory(rules=rules, languages=("en",))
    stories: dict[str, Story] = {}
    alerts: dict[str, list[ReplayedAlert]] = defaultdict(list)
    for day in range(first, DAYS):
        now = FIRST + day * DAY
        for name, members in documents.items():
            visible = [document for document in members if document.published and document.published <= now]
            if not visible:
                continue
            story = _describe(describe, name, visible, stories.get(name), now)
            is_changed = name not in stories or story.revision != stories[name].revision
            if is_changed and story.attributes["alert"]:
                attributes = story.attributes
                alerts[name].append(
                    ReplayedAlert(
                        day,
                        tuple(attributes["alert"]),
                        tuple(attributes["alert_reasons"]),
                        len(visible),
                        story.score or 0.0,
                    )
                )
            stories[name] = story
            if rows is not None:
                rows[name].append(story.score or 0.0)
    return alerts


def _describe(
    describe: DescribeStory, name: str, documents: Sequence[Document], before: Story | None, now: datetime
) -> Story:
    members = tuple(Member(document.id) for document in documents)
    if before is not None and before.members == members:
        return describe.age(before, now)
    times = [document.published for document in documents if document.published]
    story = Story(
        id=name,
        recipe="geopolitics",
        group=name.split("/", maxsplit=1)[0],
        title=documents[0].title,
        members=members,
        first_at=min(times),
        last_at=max(times),
        revision=1 if before is None else before.revision + 1,
    )
    aged = None if before is None else replace(describe.age(before, now))
    return describe(StoryContext(story=story, documents=tuple(documents), before=aged, rank=1, now=now))


if __name__ == "__main__":
    main()
