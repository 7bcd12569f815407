"""What was found out about an entry, written into its own row."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import Connection, inspect, text

from headwater.model.document import Document
from headwater.model.outcomes import Drop, Sent
from headwater.model.recipe import Envelope
from headwater.model.story import Story
from headwater_recipes.geopolitics.day_tables.database import (
    CLUSTERS,
    ENTRIES,
    database_connection,
    table_of_day,
)


def is_from_day_table(document: Document) -> bool:
    return bool(document.attributes.get("day"))


@dataclass(frozen=True)
class EntryRowSink:
    """A sink. Writing the same thing twice changes nothing: exactly once for whoever reads."""

    database: str

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | Drop]:
        with database_connection(self.database) as connection:
            return [self._fill(connection.execute, envelope) for envelope in envelopes]

    def _fill(self, execute: Any, envelope: Envelope) -> Sent | Drop:
        record = envelope.record
        if not isinstance(record, Document) or not is_from_day_table(record):
            return Drop("not_from_a_day_table")
        table = table_of_day(ENTRIES, str(record.attributes["day"]))
        statement = text(
            f"UPDATE {table} SET content = :content, hostname = :hostname, images = :images, "  # noqa: S608 - our own words and eight digits
            "geo_entities = CAST(:places AS jsonb), entities = coalesce(CAST(:entities AS jsonb), entities), "
            "title_en = coalesce(:title_en, title_en), updated_at = now() WHERE id = :id"
        )
        found = execute(statement, _values(record))
        return Sent(table) if found.rowcount else Drop("row_gone")


def _values(document: Document) -> Mapping[str, Any]:
    return {
        "id": UUID(document.guid),
        "content": document.text,
        "hostname": urlsplit(document.url).hostname or "",
        "images": [document.image] if document.image else [],
        "places": json.dumps(document.attributes.get("geo_entities", [])),
        "entities": json.dumps(names) if (names := document.attributes.get("entities")) else None,
        "title_en": document.attributes.get("title_en"),
    }


# As readers know it; what is behind created_at is ours.
CREATE_TABLE = """
CREATE TABLE IF NOT EXISTS {0} (
  id bigserial PRIMARY KEY, flashpoint_id uuid NOT NULL, cluster_id int NOT NULL, summary text NOT NULL,
  article_count int NOT NULL, top_domains jsonb DEFAULT '[]', languages jsonb DEFAULT '[]', urls jsonb DEFAULT '[]',
  images jsonb DEFAULT '[]', created_at timestamptz DEFAULT now())
"""
OWN_COLUMNS = (
    ("story_id", "text"),
    ("title", "text"),
    ("hotspot_score", "real"),
    ("components", "jsonb"),
    ("topic", "text"),
)
JSON_COLUMNS = ("top_domains", "languages", "urls", "images", "components")


def write_story_table(database: str, stories: Sequence[Story]) -> int:
    """Write the stories that the newest of their days had part in; gives how many. Again, it changes nothing else."""
    day = max((str(day) for story in stories for day in story.attributes.get("days", ())), default=None)
    if day is None:
        return 0
    of_today = [story for story in stories if day in story.attributes["days"]]
    by_flashpoint: dict[str, list[Story]] = defaultdict(list)
    for story in of_today:
        by_flashpoint[str(story.attributes["flashpoint"])].append(story)
    with database_connection(database) as connection:
        _prepare(connection, table_of_day(CLUSTERS, day))
        for flashpoint, some in sorted(by_flashpoint.items()):
            _replace(connection, table_of_day(CLUSTERS, day), flashpoint, some)
    return len(of_today)


def _prepare(connection: Connection, table: str) -> None:
    """Only what is missing is changed: even a change that does nothing shuts everybody else out meanwhile."""
    connection.execute(text(CREATE_TABLE.format(table)))
    there = {column["name"] for column in inspect(connection).get_columns(table)}
    for name, kind in OWN_COLUMNS:
        if name not in there:
            connection.execute(text(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {name} {kind}"))


def _replace(connection: Connection, table: str, flashpoint: str, stories: Sequence[Story]) -> None:
    old = text(f"DELETE FROM {table} WHERE flashpoint_id = CAST(:flashpoint AS uuid)")  # noqa: S608 - our own words and eight digits
    connection.execute(old, {"flashpoint": flashpoint})
    rows = [_row(flashpoint, place, story) for place, story in enumerate(sorted(stories, key=_rank), 1)]
    values = ", ".join(_value(name) for name in rows[0])
    new = text(f"INSERT INTO {table} ({', '.join(rows[0])}) VALUES ({values})")  # noqa: S608 - as above
    connection.execute(new, rows)


def _rank(story: Story) -> tuple[int, str]:
    return int(story.attributes["rank"]), story.id


def _value(name: str) -> str:
    if name in JSON_COLUMNS:
        return f"CAST(:{name} AS jsonb)"
    return f"CAST(:{name} AS uuid)" if name == "flashpoint_id" else f":{name}"


def _row(flashpoint: str, place: int, story: Story) -> Mapping[str, Any]:
    said = story.attributes
    return {
        "flashpoint_id": flashpoint,
        "cluster_id": place,
        "summary": story.summary,
        "article_count": len(story.members),
        **{name: json.dumps(said.get(name, [])) for name in JSON_COLUMNS},
        "story_id": story.id,
        "title": story.title,
        "hotspot_score": story.score,
        "topic": said["topic"]["name"],
    }
