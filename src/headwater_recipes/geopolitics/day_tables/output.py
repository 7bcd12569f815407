"""Writes results into the day tables: the content of entries into their rows, and the stories of a day."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
# A row of an earlier day is written again only if one of these changed. Scores change every hour.
KEY_COLUMNS = ("cluster_id", "story_id", "article_count", "summary", "title", "topic")
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
    """Write the stories of every day into the table of that day, and return the number of rows that were written. The rows of
    a flashpoint are replaced as a whole, so that no outdated story remains; those of earlier days only if they changed."""
    days = sorted({str(day) for story in stories for day in story.attributes.get("days", ())})
    with database_connection(database) as connection:
        return sum(_write_day(connection, day, stories, newest=day == days[-1]) for day in days)


def _write_day(connection: Connection, day: str, stories: Sequence[Story], *, newest: bool) -> int:
    table = table_of_day(CLUSTERS, day)
    _prepare_table(connection, table)
    by_flashpoint: dict[str, list[Story]] = defaultdict(list)
    for story in stories:
        if day in story.attributes.get("days", ()):
            by_flashpoint[str(story.attributes["flashpoint"])].append(story)
    written = 0
    for flashpoint, flashpoint_stories in sorted(by_flashpoint.items()):
        ranked = sorted(flashpoint_stories, key=partial(_rank_on, day))
        rows = [_row(flashpoint, rank, story, day) for rank, story in enumerate(ranked, 1)]
        if newest or _stored_keys(connection, table, flashpoint) != [_key(row) for row in rows]:
            _replace_rows(connection, table, flashpoint, rows)
            written += len(rows)
    return written


def _stored_keys(connection: Connection, table: str, flashpoint: str) -> list[tuple[Any, ...]]:
    query = text(
        f"SELECT {', '.join(KEY_COLUMNS)} FROM {table} "  # noqa: S608 - constant names and eight digits
        "WHERE flashpoint_id = CAST(:flashpoint AS uuid) ORDER BY cluster_id"
    )
    return [tuple(row) for row in connection.execute(query, {"flashpoint": flashpoint})]


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in KEY_COLUMNS)


def _prepare_table(connection: Connection, table: str) -> None:
    """Add only missing columns: even an ALTER TABLE that changes nothing locks the table."""
    connection.execute(text(CREATE_TABLE.format(table)))
    existing = {column["name"] for column in inspect(connection).get_columns(table)}
    for name, kind in OWN_COLUMNS:
        if name not in existing:
            connection.execute(text(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {name} {kind}"))


def _replace_rows(
    connection: Connection, table: str, flashpoint: str, rows: Sequence[Mapping[str, Any]]
) -> None:
    delete = text(f"DELETE FROM {table} WHERE flashpoint_id = CAST(:flashpoint AS uuid)")  # noqa: S608 - constant names and eight digits
    connection.execute(delete, {"flashpoint": flashpoint})
    values = ", ".join(_placeholder(name) for name in rows[0])
    insert = text(f"INSERT INTO {table} ({', '.join(rows[0])}) VALUES ({values})")  # noqa: S608 - as above
    connection.execute(insert, rows)


def _rank_on(day: str, story: Story) -> tuple[int, int, str]:
    """The story with the most articles of that day first."""
    return -int(story.attributes["days"][day]["articles"]), int(story.attributes["rank"]), story.id


def _placeholder(name: str) -> str:
    if name in JSON_COLUMNS:
        return f"CAST(:{name} AS jsonb)"
    return f"CAST(:{name} AS uuid)" if name == "flashpoint_id" else f":{name}"


def _row(flashpoint: str, rank: int, story: Story, day: str) -> Mapping[str, Any]:
    """Articles, domains, languages, addresses and images are those of the day; the others describe the whole story."""
    attributes = story.attributes
    of_day = {**attributes, **attributes["days"][day]}
    return {
        "flashpoint_id": flashpoint,
        "cluster_id": rank,
        "summary": story.summary,
        "article_count": of_day["articles"],
        **{name: json.dumps(of_day.get(name, [])) for name in JSON_COLUMNS},
        "story_id": story.id,
        "title": story.title,
        "hotspot_score": story.score,
        "topic": attributes["topic"]["name"],
    }
