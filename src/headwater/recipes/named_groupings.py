"""Groupings and routes by name, for recipes that the settings define."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

import msgspec

from headwater.documents.filters import as_list, meets, story_meets
from headwater.documents.language.codes import language_problem
from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.filters import DocumentFilter, StoryFilter
from headwater.model.recipe import MOST_CLUSTERED, Cluster, Grouping, Route, SinkFactory
from headwater.model.story import Story
from headwater.secret_references import resolve_secret
from headwater.settings.recipes import GroupSettings, RouteSettings
from headwater.settings.sources import parse_duration
from headwater.sinks.table import TableSink, check_table_name
from headwater.stories.clustering.events import MOST_EVENT_REPORTS, cluster_by_event
from headwater.stories.clustering.groupings import (
    cluster_by_headline,
    cluster_by_meaning,
    publication_day,
)
from headwater.stories.coverage import SummariseStory
from headwater.stories.document_vectors import DocumentEncoder, cluster_by_embedding

ONE_GROUP = "all"
Clustering = Callable[[Sequence[Document]], Sequence[Cluster]]


def whole_recipe(document: Document) -> str:
    """The group of a document: the same for all."""
    del document
    return ONE_GROUP


def publication_week(document: Document) -> str | None:
    """The group of a document: its ISO week of publication in UTC."""
    if document.published is None:
        return None
    year, week, _ = document.published.astimezone(UTC).isocalendar()
    return f"{year}-W{week:02}"


def publication_month(document: Document) -> str | None:
    day = publication_day(document)
    return None if day is None else day[:7]


def first_subject(document: Document) -> str | None:
    """The group of a document: the subject it belongs to, else the one it mentions most."""
    if document.subjects:
        return document.subjects[0]
    mentions = sorted(document.mentions, key=lambda mention: (-mention.count, mention.subject))
    return mentions[0].subject if mentions else None


def source_of(document: Document) -> str:
    return document.source


def language_of(document: Document) -> str | None:
    return document.language or None


GROUP_KEYS: Mapping[str, Callable[[Document], str | None]] = {
    "all": whole_recipe,
    "day": publication_day,
    "week": publication_week,
    "month": publication_month,
    "subject": first_subject,
    "source": source_of,
    "language": language_of,
}


def make_grouping(group: GroupSettings, encoder: DocumentEncoder | None, where: str) -> Grouping:
    """A grouping by meaning compares words only when there is no encoder."""
    return Grouping(
        key=GROUP_KEYS[group.by],
        cluster=_clustering(group, encoder),
        settle=parse_duration(group.settle, f"{where}.settle"),
        window=None if group.window is None else parse_duration(group.window, f"{where}.window"),
        most=MOST_EVENT_REPORTS if group.cluster == "event" else MOST_CLUSTERED,
        full_documents=group.summary or group.cluster != "headline",
        describe=SummariseStory() if group.summary else None,
        describes_documents=True,
    )


def _clustering(group: GroupSettings, encoder: DocumentEncoder | None) -> Clustering:
    if group.cluster == "headline":
        return cluster_by_headline
    if group.cluster == "event":
        return cluster_by_event
    return (
        cluster_by_meaning(None)
        if group.cluster == "words" or encoder is None
        else cluster_by_embedding(encoder)
    )


@dataclass(frozen=True, slots=True)
class DocumentCondition:
    """The `when` of a route for documents."""

    conditions: DocumentFilter
    source_names: Mapping[str, str]

    def __call__(self, document: Document) -> bool:
        return meets(self.conditions, document, self.source_names)


@dataclass(frozen=True, slots=True)
class StoryCondition:
    """The `when` of a route for stories."""

    conditions: StoryFilter

    def __call__(self, story: Story) -> bool:
        return story_meets(self.conditions, story)


def make_routes(
    lines: Sequence[RouteSettings], recipe: str, source_names: Mapping[str, str], where: str
) -> tuple[tuple[Route, ...], dict[str, SinkFactory]]:
    """The routes, and the sinks that only they use."""
    routes, sinks = list[Route](), dict[str, SinkFactory]()
    for number, line in enumerate(lines):
        place = f"{where}[{number}]"
        route = _make_route(line, recipe, source_names, place)
        if route.name in {other.name for other in routes}:
            raise Refused("bad_config", f"{place}: two routes are called '{route.name}'; give one a `name`")
        if line.to == "table":
            sinks[route.sink] = _table_factory(line, route.name, place)
        elif line.table or line.database:
            raise Refused("bad_config", f"{place}: `table` and `database` belong to `to: table`")
        routes.append(route)
    return tuple(routes), sinks


def _make_route(line: RouteSettings, recipe: str, source_names: Mapping[str, str], where: str) -> Route:
    name = line.name or (line.table if line.to == "table" else "") or _default_name(line)
    sink = f"table-{recipe}-{name}" if line.to == "table" else line.to
    if not line.when:
        return Route(name=name, sink=sink, of=line.of)
    if line.of == "story":
        story_filter = _convert(line.when, StoryFilter, where)
        return Route(name=name, sink=sink, of=line.of, when=StoryCondition(story_filter))
    document_filter = _convert(line.when, DocumentFilter, where)
    check_filter(document_filter, f"{where}.when")
    return Route(name=name, sink=sink, of=line.of, when=DocumentCondition(document_filter, source_names))


def check_filter(conditions: DocumentFilter, where: str) -> None:
    """Refuses a language that no document can have."""
    for language in as_list(conditions.language):
        if problem := language_problem(language):
            raise Refused("bad_config", f"{where}.language: {problem}")


def _default_name(line: RouteSettings) -> str:
    records = "stories" if line.of == "story" else "articles"
    return records if line.to in {"files", "table"} else f"{records}-{line.to}"


def _convert(values: Mapping[str, Any], into: Any, where: str) -> Any:
    try:
        return msgspec.convert(values, into)
    except msgspec.ValidationError as error:
        fields = ", ".join(into.__struct_fields__)
        raise Refused("bad_config", f"{where}.when: {error}; the conditions are: {fields}") from error


def _table_factory(line: RouteSettings, route: str, where: str) -> SinkFactory:
    table = line.table or route
    check_table_name(table, where)

    def make(folder: Path, provenance: object) -> TableSink:
        del provenance
        database = resolve_secret(line.database, f"{where}.database")
        return TableSink(database or f"sqlite:///{folder / 'tables.db'}", table)

    return make
