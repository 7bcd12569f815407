"""Where records came from, for sinks: captures with their bytes, leads and stories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, or_, select

from headwater.model.http import Capture
from headwater.model.ports import Archive
from headwater.model.story import Story
from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.records import stories_by_id
from headwater.store.rows import capture_from
from headwater.store.schema.flow import captures, documents, leads, sources, stories


@dataclass(frozen=True)
class SqlProvenance:
    engine: Engine
    archive: Archive

    def captures(self, ids: Sequence[str]) -> Mapping[str, tuple[Capture, bytes]]:
        if not ids:
            return {}
        with read_transaction(self.engine) as connection:
            rows = (
                connection.execute(select(captures).where(in_list(captures.c.id, list(ids)))).mappings().all()
            )
        stored = [capture_from(row) for row in rows]
        bodies = self.archive.get(stored)
        return {
            capture.id: (capture, bodies[capture.sha256]) for capture in stored if capture.sha256 in bodies
        }

    def leads(self, recipe: str) -> Sequence[Mapping[str, Any]]:
        columns = select(
            leads.c.url,
            leads.c.version,
            leads.c.first_seen_at,
            leads.c.updated_at,
            leads.c.state,
            leads.c.reason,
            sources.c.name.label("source"),
            sources.c.kind,
            documents.c.state.label("document_state"),
            documents.c.reason.label("document_reason"),
        )
        joined = columns.select_from(
            leads.join(sources, sources.c.id == leads.c.source_id).outerjoin(
                documents, documents.c.lead_id == leads.c.id
            )
        )
        query = joined.where(leads.c.recipe == recipe).order_by(leads.c.first_seen_at, leads.c.url)
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def fetched_captures(self, recipe: str) -> Sequence[Capture]:
        # The pages of a crawl belong to its poll until they become documents.
        used = select(documents.c.capture_id).where(documents.c.recipe == recipe)
        pages = or_(captures.c.lead_id.is_not(None), captures.c.id.in_(used))
        query = select(captures).where(captures.c.recipe == recipe, pages)
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query.order_by(captures.c.fetched_at, captures.c.id)).mappings().all()
        return [capture_from(row) for row in rows]

    def stories(self, recipe: str) -> Sequence[Story]:
        live_stories = select(stories.c.id).where(stories.c.recipe == recipe, stories.c.state == "live")
        with read_transaction(self.engine) as connection:
            stories_by_key = stories_by_id(connection, list(connection.scalars(live_stories)))
        return [stories_by_key[name] for name in sorted(stories_by_key)]
