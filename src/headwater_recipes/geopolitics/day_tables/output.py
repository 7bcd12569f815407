"""Writes results into the day tables: the content of entries into their rows, and the stories of a day."""

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

# The existing readers know these columns. OWN_COLUMNS are added to them.
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


def is_from_day_table(document: Document) -> bool:
    return bool(document.attributes.get("day"))


@dataclass(frozen=True)
class EntryRowSink:
    """Updates the row of each entry. A repeated delivery changes nothing."""

    database: str

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | Drop]:
        with database_connection(self.database) as connection:
            return [self._update(connection.execute, envelope) for envelope in envelopes]

    def _update(self, execute: Any, envelope: Envelope) -> Sent | Drop:
        record = envelope.record
        if not isinstance(record, Document) or not is_from_day_table(record):
            return Drop("not_from_a_day_table")
        table = table_of_day(ENTRIES, str(record.attributes["day"]))
        statement = text(
            f"UPDATE {table} SET content = :content, hostname = :hostname, images = :images, "  # noqa: S608 - constant names and eight digits
            "geo_entities = CAST(:places AS jsonb), entities = coalesce(CAST(:entities AS jsonb), entities), "
            "title_en = coalesce(:title_en, title_en), updated_at = now() WHERE id = :id"
        )
        result = execute(statement, _values(record))
        return Sent(table) if result.rowcount else Drop("row_gone")


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


def write_story_table(database: str, stories: Sequence[Story]) -> int:
    """Write the stories of the newest day and return their number. The rows of a flashpoint are replaced as a whole, so that
    no outdated story remains."""
    day = max((str(day) for story in stories for day in story.attributes.get("days", ())), default=None)
    if day is None:
        return 0
    stories_of_day = [story for story in stories if day in story.attributes["days"]]
    by_flashpoint: dict[str, list[Story]] = defaultdict(list)
    for story in stories_of_day:
        by_flashpoint[str(story.attributes["flashpoint"])].append(story)
    with database_connection(database) as connection:
        _prepare_table(connection, table_of_day(CLUSTERS, day))
        for flashpoint, flashpoint_stories in sorted(by_flashpoint.items()):
            _replace_rows(connection, table_of_day(CLUSTERS, day), flashpoint, flashpoint_stories)
    return len(stories_of_day)


def _prepare_table(connection: Connection, table: str) -> None:
    """Add only missing columns: even an ALTER TABLE that changes nothing locks the table."""
    connection.execute(text(CREATE_TABLE.format(table)))
    existing = {column["name"] for column in inspect(connection).get_columns(table)}
    for name, kind in OWN_COLUMNS:
        if name not in existing:
            connection.execute(text(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {name} {kind}"))


def _replace_rows(connection: Connection, table: str, flashpoint: str, stories: Sequence[Story]) -> None:
    delete = text(f"DELETE FROM {table} WHERE flashpoint_id = CAST(:flashpoint AS uuid)")  # noqa: S608 - constant names and eight digits
    connection.execute(delete, {"flashpoint": flashpoint})
    rows = [_row(flashpoint, rank, story) for rank, story in enumerate(sorted(stories, key=_rank), 1)]
    values = ", ".join(_placeholder(name) for name in rows[0])
    insert = text(f"INSERT INTO {table} ({', '.join(rows[0])}) VALUES ({values})")  # noqa: S608 - as above
    connection.execute(insert, rows)


def _rank(story: Story) -> tuple[int, str]:
    return int(story.attributes["rank"]), story.id


def _placeholder(name: str) -> str:
    if name in JSON_COLUMNS:
        return f"CAST(:{name} AS jsonb)"
    return f"CAST(:{name} AS uuid)" if name == "flashpoint_id" else f":{name}"


def _row(flashpoint: str, rank: int, story: Story) -> Mapping[str, Any]:
    attributes = story.attributes
    return {
        "flashpoint_id": flashpoint,
        "cluster_id": rank,
        "summary": story.summary,
        "article_count": len(story.members),
        **{name: json.dumps(attributes.get(name, [])) for name in JSON_COLUMNS},
        "story_id": story.id,
        "title": story.title,
        "hotspot_score": story.score,
        "topic": attributes["topic"]["name"],
    }
