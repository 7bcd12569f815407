"""The stories of a day, written where their readers look: all of a flashpoint at once, so that none is left over."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, inspect, text

from headwater.model.story import Story
from headwater_recipes.geopolitics.day_tables.connecting import connected
from headwater_recipes.geopolitics.day_tables.naming import CLUSTERS, of_day

# As readers know it; what is behind created_at is ours.
TABLE = """
CREATE TABLE IF NOT EXISTS {0} (
  id bigserial PRIMARY KEY, flashpoint_id uuid NOT NULL, cluster_id int NOT NULL, summary text NOT NULL,
  article_count int NOT NULL, top_domains jsonb DEFAULT '[]', languages jsonb DEFAULT '[]', urls jsonb DEFAULT '[]',
  images jsonb DEFAULT '[]', created_at timestamptz DEFAULT now())
"""
OURS = (
    ("story_id", "text"),
    ("title", "text"),
    ("hotspot_score", "real"),
    ("components", "jsonb"),
    ("topic", "text"),
)
LISTS = ("top_domains", "languages", "urls", "images", "components")


def answer(database: str, stories: Sequence[Story]) -> int:
    """Write the stories that the newest of their days had part in; gives how many. Again, it changes nothing else."""
    day = max((str(day) for story in stories for day in story.attributes.get("days", ())), default=None)
    if day is None:
        return 0
    of_today = [story for story in stories if day in story.attributes["days"]]
    by_flashpoint: dict[str, list[Story]] = defaultdict(list)
    for story in of_today:
        by_flashpoint[str(story.attributes["flashpoint"])].append(story)
    with connected(database) as connection:
        _prepare(connection, of_day(CLUSTERS, day))
        for flashpoint, some in sorted(by_flashpoint.items()):
            _replace(connection, of_day(CLUSTERS, day), flashpoint, some)
    return len(of_today)


def _prepare(connection: Connection, table: str) -> None:
    """Only what is missing is changed: even a change that does nothing shuts everybody else out meanwhile."""
    connection.execute(text(TABLE.format(table)))
    there = {column["name"] for column in inspect(connection).get_columns(table)}
    for name, kind in OURS:
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
    if name in LISTS:
        return f"CAST(:{name} AS jsonb)"
    return f"CAST(:{name} AS uuid)" if name == "flashpoint_id" else f":{name}"


def _row(flashpoint: str, place: int, story: Story) -> Mapping[str, Any]:
    said = story.attributes
    return {
        "flashpoint_id": flashpoint,
        "cluster_id": place,
        "summary": story.summary,
        "article_count": len(story.members),
        **{name: json.dumps(said.get(name, [])) for name in LISTS},
        "story_id": story.id,
        "title": story.title,
        "hotspot_score": story.score,
        "topic": said["topic"]["name"],
    }
