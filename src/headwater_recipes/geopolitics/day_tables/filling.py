"""What was found out about an entry, written into its own row."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import text

from headwater.model.document import Document
from headwater.model.outcome import Drop, Sent
from headwater.model.recipe import Parcel
from headwater_recipes.geopolitics.day_tables.connecting import connected
from headwater_recipes.geopolitics.day_tables.naming import ENTRIES, of_day


def came_from_a_table(document: Document) -> bool:
    return bool(document.attributes.get("day"))


@dataclass(frozen=True)
class FillEntries:
    """A sink. Writing the same thing twice changes nothing: exactly once for whoever reads."""

    database: str

    def send(self, parcels: Sequence[Parcel]) -> Sequence[Sent | Drop]:
        with connected(self.database) as connection:
            return [self._fill(connection.execute, parcel) for parcel in parcels]

    def _fill(self, execute: Any, parcel: Parcel) -> Sent | Drop:
        record = parcel.record
        if not isinstance(record, Document) or not came_from_a_table(record):
            return Drop("not_from_a_day_table")
        table = of_day(ENTRIES, str(record.attributes["day"]))
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
