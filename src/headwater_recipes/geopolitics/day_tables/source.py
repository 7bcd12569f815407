"""Discovers the entries of a day table."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, inspect, text

from headwater.model.errors import Temporary
from headwater.model.recipe import Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import WarningLog
from headwater_recipes.geopolitics.day_tables.database import (
    ENTRIES,
    FLASHPOINTS,
    database_connection,
    latest_day,
    table_of_day,
)
from headwater_recipes.geopolitics.entries import entry_lead

BATCH = 1_000
MOST_ENTRIES = 20_000
COLUMNS = (
    "id",
    "flashpoint_id",
    "url",
    "title",
    "title_en",
    "seendate",
    "domain",
    "language",
    "sourcecountry",
    "description",
    "image",
    "content",
)


def discover_day_tables(source: Source, now: datetime) -> PollSession:
    """Discover the entries of the newest day, or of the option `date`: those with a flashpoint, at most 20,000. Entries
    with content are not fetched. Options: `database` (env:NAME or file:PATH), `date`."""
    warnings = WarningLog()
    date = source.options.get("date")
    with database_connection(str(source.options.get("database", ""))) as connection:
        day = latest_day(inspect(connection).get_table_names(), None if date is None else str(date))
        if day is None:
            raise Temporary("no_day_table", "the database has no day with entries and flashpoints")
        rows = list(_rows(connection, day))
    leads = [lead for row in rows if (lead := _lead(row, day, now, warnings)) is not None]
    for batch in _batches(leads):
        yield LeadBatch(batch)
    return Discovery(watermark={"day": day}, warnings=warnings.lines())


def _rows(connection: Connection, day: str) -> Iterator[Mapping[str, Any]]:
    columns = ", ".join(f"e.{name}" for name in COLUMNS)
    query = text(
        f"SELECT {columns}, f.title AS flashpoint_title FROM {table_of_day(ENTRIES, day)} e "  # noqa: S608 - constant names and eight digits
        f"JOIN {table_of_day(FLASHPOINTS, day)} f ON f.id = e.flashpoint_id ORDER BY e.created_at, e.id LIMIT {MOST_ENTRIES}"
    )
    for row in connection.execute(query).mappings():
        yield dict(row)


def _lead(row: Mapping[str, Any], day: str, now: datetime, warnings: WarningLog) -> Lead | None:
    columns = {name: str(value) for name, value in row.items() if value not in (None, "")}
    lead = entry_lead(columns, None, now, warnings)
    if lead is None:
        return None
    attributes = {
        **lead.hints.get("attributes", {}),
        "day": day,
        "flashpoint_title": columns["flashpoint_title"],
    }
    return replace(lead, hints={**lead.hints, "attributes": attributes})


def _batches(leads: list[Lead]) -> Iterator[tuple[Lead, ...]]:
    for start in range(0, len(leads), BATCH):
        yield tuple(leads[start : start + BATCH])
