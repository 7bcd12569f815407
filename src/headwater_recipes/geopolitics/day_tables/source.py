"""Discovers the entries of a day table."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
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
    """Discover the entries of the newest day, or of the option `date`: those with a flashpoint. A poll reads 20,000 of them; if
    there are more, the next one continues. Entries with content are not fetched. Options: `database` (env:NAME or
    file:PATH), `date`."""
    warnings = WarningLog()
    date = source.options.get("date")
    with database_connection(str(source.options.get("database", ""))) as connection:
        day = latest_day(inspect(connection).get_table_names(), None if date is None else str(date))
        if day is None:
            raise Temporary("no_day_table", "the database has no day with entries and flashpoints")
        after = source.watermark.get("after") if source.watermark.get("day") == day else None
        rows = _rows(connection, day, after)
    in_order = sorted(rows, key=_arrival)
    leads = [lead for row in in_order if (lead := _lead(row, day, now, warnings)) is not None]
    for batch in _batches(leads):
        yield LeadBatch(batch)
    if len(rows) < MOST_ENTRIES:
        return Discovery(watermark={"day": day}, warnings=warnings.lines())
    watermark = {"day": day, "after": str(rows[-1]["id"])}
    return Discovery(watermark=watermark, again=timedelta(0), warnings=warnings.lines())


def _rows(connection: Connection, day: str, after: str | None) -> list[Mapping[str, Any]]:
    """The next entries by id."""
    columns = ", ".join(f"e.{name}" for name in COLUMNS)
    later = "" if after is None else "WHERE e.id > CAST(:after AS uuid) "
    query = text(
        f"SELECT {columns}, f.title AS flashpoint_title, e.created_at FROM {table_of_day(ENTRIES, day)} e "  # noqa: S608 - constant names and eight digits
        f"JOIN {table_of_day(FLASHPOINTS, day)} f ON f.id = e.flashpoint_id {later}ORDER BY e.id LIMIT {MOST_ENTRIES}"
    )
    parameters = {} if after is None else {"after": after}
    return [dict(row) for row in connection.execute(query, parameters).mappings()]


def _arrival(row: Mapping[str, Any]) -> tuple[float, str]:
    """Of two entries with one address the first that arrived is kept."""
    created_at = row["created_at"]
    return (created_at.timestamp() if created_at else 0.0), str(row["id"])


def _lead(row: Mapping[str, Any], day: str, now: datetime, warnings: WarningLog) -> Lead | None:
    columns = {
        name: str(value) for name, value in row.items() if name != "created_at" and value not in (None, "")
    }
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
