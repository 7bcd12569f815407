"""A month of the demo's flashpoints, day by day: when a story developed, and when it alerted.

    python -m benchmarks.hotspots [--clustered] [--rows]

Every day at 04:00 the stories of the demo are described with what came in by then, as the recipe does, in four situations: an ordinary
month; the first two weeks arrive on one day (backlog); the Russian newspapers are added after two weeks, with their archive (new_source);
two days without a run (outage). The stories are those that the demo was written with, so that the figures show the alerts and not the
clustering; with `--clustered` they are those that the recipe finds: by meaning with the extra `nlp`, else by words.

The demo says when each story developed. The lag of a large development is the number of days until its story alerts. An alert is false if its
story had no development in the two days before. The last line is one JSON object. The exit status is 1 if a large development of an ordinary
month alerts more than a day late or not at all, or if any alert is false.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from tempfile import TemporaryDirectory

from headwater.documents.embedding.models import nlp_installed
from headwater.model.document import Document, Vector
from headwater.model.recipe import Cluster, StoryContext
from headwater.model.story import Member, Story
from headwater.stories.clustering.groupings import cluster_by_meaning
from headwater.stories.document_vectors import DocumentEncoder, cluster_by_embedding
from headwater.stories.identity import inherit_story_ids
from headwater.stories.topics.media_topics import topic_code
from headwater_demo.clock import START
from headwater_demo.flashpoints.flashpoint_list import reports_of
from headwater_demo.flashpoints.reports import Report
from headwater_demo.flashpoints.timeline import EVENTS, Event
from headwater_recipes.geopolitics.alert_rules import AlertRules
from headwater_recipes.geopolitics.description import DescribeStory
from headwater_recipes.geopolitics.steps import topic_record

DAY = timedelta(days=1)
FIRST = START.replace(hour=4) - 13 * DAY
DAYS = 28
MIDDLE = 13
"""The run at which a backlog or a new source arrives."""
RECENT_DAYS = 2
RULES = AlertRules(score=0.7, growth=2.0)
KEPT = ("report", "follow_up")
"""Copies and updates are dropped before stories are made."""
STORY = "story"
"""The attribute with the story that a document was written for."""


@dataclass(frozen=True, slots=True)
class ReplayedAlert:
    day: int
    story: str
    reasons: tuple[str, ...]
    articles: int
    score: float


@dataclass(frozen=True, slots=True)
class Situation:
    """`arrival`: the first run that could see a document. `missing`: runs that do not take place."""

    arrival: Callable[[Document], int]
    missing: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Replay:
    alerts: tuple[ReplayedAlert, ...]
    scores: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def days(self, story: str) -> list[int]:
        return [alert.day for alert in self.alerts if alert.story == story]


def run_of(published: datetime) -> int:
    """The first daily run that sees an article."""
    return max(-(-(published - FIRST) // DAY), 0)


def _published_run(document: Document) -> int:
    return 0 if document.published is None else run_of(document.published)


SITUATIONS = {
    "ordinary": Situation(_published_run),
    "backlog": Situation(lambda document: max(_published_run(document), MIDDLE)),
    "new_source": Situation(
        lambda document: max(_published_run(document), MIDDLE if document.language == "ru" else 0)
    ),
    "outage": Situation(_published_run, frozenset({MIDDLE - 1, MIDDLE})),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clustered", action="store_true", help="stories as the recipe finds them")
    parser.add_argument("--rows", action="store_true", help="the score of every day")
    options = parser.parse_args()
    documents = demo_documents(with_roundups=options.clustered)
    with TemporaryDirectory() as models:
        documents, divide = (
            as_recipe_divides(documents, models) if options.clustered else (documents, stories_as_written)
        )
        replays = {name: replay(documents, situation, divide) for name, situation in SITUATIONS.items()}
    for name, of_situation in replays.items():
        print(f"{name}: {len(of_situation.alerts)} alerts")
        for alert in of_situation.alerts:
            print(f"  day {alert.day:>2}  {alert.story:<26}{'; '.join(alert.reasons)}")
    if options.rows:
        for story, scores in sorted(replays["ordinary"].scores.items()):
            print(f"{story:<26}{' '.join(f'{score:.2f}' for score in scores)}")
    figures = {name: figures_of(of_situation, name) for name, of_situation in replays.items()}
    print(json.dumps({name: asdict(of_situation) for name, of_situation in figures.items()}))
    lags = figures["ordinary"].lag_days.values()
    is_late = any(lag is None or lag > 1 for lag in lags)
    return int(is_late or any(of_situation.false_alerts for of_situation in figures.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFigures:
    """`lag_days`: of the large developments that come while the situation has runs."""

    alerts: int
    false_alerts: int
    lag_days: dict[str, int | None]
    most_on_one_day: int


def figures_of(of_situation: Replay, name: str) -> ReplayFigures:
    first = MIDDLE if name == "backlog" else 0
    large = [event for event in developments() if event.reach == "large" and _event_run(event) >= first]
    return ReplayFigures(
        alerts=len(of_situation.alerts),
        false_alerts=sum(not is_justified(alert) for alert in of_situation.alerts),
        lag_days={f"{event.flashpoint}/{event.name}": lag_days(event, of_situation) for event in large},
        most_on_one_day=max(Counter(alert.day for alert in of_situation.alerts).values(), default=0),
    )


def developments() -> Iterator[Event]:
    """A development that its story follows within the same run is part of it."""
    for _, events in groupby(EVENTS, key=lambda event: (event.flashpoint, event.story, _event_run(event))):
        yield max(events, key=lambda event: event.reach == "large")


def _event_run(event: Event) -> int:
    return run_of(START + timedelta(hours=event.hours))


def lag_days(event: Event, of_situation: Replay) -> int | None:
    """None if its story does not alert before its next development, or within a week."""
    story, day = f"{event.flashpoint}/{event.story}", _event_run(event)
    later = [_event_run(other) for other in EVENTS if f"{other.flashpoint}/{other.story}" == story]
    end = min((other for other in later if other > day), default=day + 7)
    return min((alert - day for alert in of_situation.days(story) if day <= alert < end), default=None)


def is_justified(alert: ReplayedAlert) -> bool:
    return any(
        f"{event.flashpoint}/{event.story}" == alert.story
        and 0 <= alert.day - _event_run(event) <= RECENT_DAYS
        for event in EVENTS
    )


def demo_documents(*, with_roundups: bool = False) -> list[Document]:
    return [
        _document(number, report)
        for number, report in enumerate(reports_of("full"))
        if (report.story and report.kind in KEPT) or (with_roundups and not report.story)
    ]


def _document(number: int, report: Report) -> Document:
    topic = topic_record(topic_code(report.category), 0.9, "publisher") if report.category else None
    story = f"{report.flashpoint}/{report.story}" if report.story else ""
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
        attributes={
            "flashpoint": report.flashpoint,
            STORY: story,
            **({"topic": topic} if topic else {}),
        },
    )


Divide = Callable[[Sequence[Document]], Sequence[Sequence[Document]]]
ClusterDocuments = Callable[[Sequence[Document]], Sequence[Cluster]]


def stories_as_written(documents: Sequence[Document]) -> list[list[Document]]:
    stories: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        stories[document.attributes[STORY]].append(document)
    return list(stories.values())


def as_recipe_divides(documents: Sequence[Document], models: str) -> tuple[list[Document], Divide]:
    """The documents, with their vectors where there is an encoder, and the clustering of the recipe."""
    if not nlp_installed():
        return list(documents), partial(_clusters, cluster_by_meaning(None))
    encoder = DocumentEncoder(models)
    rows = encoder.vectors(documents)
    encoded = [
        document.with_changes(vector=Vector(encoder.model_name, row.tobytes()))
        for document, row in zip(documents, rows, strict=True)
    ]
    return encoded, partial(_clusters, cluster_by_embedding(encoder))


def _clusters(cluster: ClusterDocuments, documents: Sequence[Document]) -> list[list[Document]]:
    return [[documents[position] for position, _ in part.members] for part in cluster(documents)]


def replay(
    documents: Sequence[Document],
    situation: Situation = SITUATIONS["ordinary"],
    divide: Divide = stories_as_written,
    rules: AlertRules = RULES,
) -> Replay:
    """The alerts in the order of days, and the scores of each story on the days after its start. A story has the name of the
    one that most of its documents were written for."""
    describe = DescribeStory(rules=rules, languages=("en",))
    flashpoints = sorted({document.attributes["flashpoint"] for document in documents})
    stored: dict[str, list[Story]] = {flashpoint: [] for flashpoint in flashpoints}
    alerts: list[ReplayedAlert] = []
    scores: dict[str, list[float]] = defaultdict(list)
    for day in sorted(set(range(DAYS)) - situation.missing):
        now = FIRST + day * DAY
        for flashpoint in flashpoints:
            visible = [
                document
                for document in documents
                if document.attributes["flashpoint"] == flashpoint and situation.arrival(document) <= day
            ]
            clusters = divide(visible) if visible else []
            names = [_written_story(cluster) for cluster in clusters]
            stories = _stories_of_day(describe, clusters, stored[flashpoint], flashpoint, now)
            for name, (story, is_changed) in zip(names, stories, strict=True):
                if is_changed and story.attributes["alert"]:
                    reasons = tuple(story.attributes["alert_reasons"])
                    alerts.append(ReplayedAlert(day, name, reasons, len(story.members), story.score or 0.0))
                scores[name].append(story.score or 0.0)
            stored[flashpoint] = [story for story, _ in stories]
    return Replay(tuple(alerts), scores)


def _written_story(documents: Sequence[Document]) -> str:
    return Counter(str(document.attributes[STORY]) for document in documents).most_common(1)[0][0]


def _stories_of_day(
    describe: DescribeStory,
    clusters: Sequence[Sequence[Document]],
    stored: Sequence[Story],
    flashpoint: str,
    now: datetime,
) -> list[tuple[Story, bool]]:
    """The stories, and whether each changed."""
    members = [frozenset(document.id for document in cluster) for cluster in clusters]
    ids = inherit_story_ids(members, stored, flashpoint)
    earlier = {story.id: describe.age(story, now) for story in stored}
    return [
        _describe(describe, story_id, cluster, earlier.get(story_id), now)
        for story_id, cluster in zip(ids, clusters, strict=True)
    ]


def _describe(
    describe: DescribeStory, story_id: str, documents: Sequence[Document], before: Story | None, now: datetime
) -> tuple[Story, bool]:
    members = tuple(sorted((Member(document.id) for document in documents), key=lambda item: item.document))
    if before is not None and before.members == members:
        return before, False
    times = [document.published for document in documents if document.published]
    story = Story(
        id=story_id,
        recipe="geopolitics",
        group=documents[0].attributes["flashpoint"],
        title=documents[0].title,
        members=members,
        first_at=min(times),
        last_at=max(times),
        revision=1 if before is None else before.revision + 1,
    )
    context = StoryContext(story=story, documents=tuple(documents), before=before, rank=1, now=now)
    return describe.describe(context), True


if __name__ == "__main__":
    sys.exit(main())
