"""Runs of a whole pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from sqlalchemy import Engine, Text, func, literal_column, select, update

from headwater.model.jobs import State
from headwater.model.views import json_value
from headwater.store.bulk import insert_into
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import documents, leads, stories
from headwater.store.schema.operations import pipeline_runs

OPEN_STATUSES = ("pending", "running")
STALE = timedelta(hours=2)
LONGEST_ERROR = 2_000
LISTED = 100
ENDED = (State.DROPPED, State.ASIDE, State.QUARANTINED)


@dataclass(frozen=True)
class PipelineRuns:
    engine: Engine

    def begin(self, run: str, recipe: str, options: Mapping[str, str], now: datetime) -> bool:
        """Returns False while another run of the recipe is open. A run older than two hours is closed as failed first."""
        row = {"id": run, "recipe": recipe, "status": "running", "options": dict(options)}
        with write_transaction(self.engine) as connection:
            stale_run = update(pipeline_runs).where(
                pipeline_runs.c.recipe == recipe,
                pipeline_runs.c.status.in_(OPEN_STATUSES),
                pipeline_runs.c.created_at < now - STALE,
            )
            connection.execute(stale_run.values(status="failed", ended_at=now, error="it never ended"))
            insertion = insert_into(connection.dialect, pipeline_runs).on_conflict_do_nothing()
            values = row | {"created_at": now, "started_at": now, "metrics": {}}
            inserted = connection.execute(insertion.values(**values).returning(pipeline_runs.c.id))
            return inserted.first() is not None

    def finish(self, run: str, now: datetime, *, error: str | None = None) -> dict[str, Any]:
        """Count what happened to everything seen since the run began, and close the run."""
        row = self.get(run)
        assert row is not None
        counts = self._counts(row["recipe"], row["started_at"])
        failed = counts["failed_count"]
        success = "partial" if failed and counts["processed_count"] else "completed"
        status = "failed" if error else success
        values = {"status": status, "ended_at": now, "error": error and error[:LONGEST_ERROR], **counts}
        metrics = {**counts, **row["options"]}
        open_run = update(pipeline_runs).where(
            pipeline_runs.c.id == run, pipeline_runs.c.status.in_(OPEN_STATUSES)
        )
        with write_transaction(self.engine) as connection:
            connection.execute(open_run.values(**values, metrics=metrics))
        return self.get(run) or {}

    def last_end(self, recipe: str) -> datetime | None:
        """When the last run of the recipe ended."""
        query = select(func.max(pipeline_runs.c.ended_at)).where(pipeline_runs.c.recipe == recipe)
        with read_transaction(self.engine) as connection:
            ended_at: datetime | None = connection.scalar(query)
        return ended_at

    def get(self, run: str) -> dict[str, Any] | None:
        with read_transaction(self.engine) as connection:
            rows = connection.execute(select(pipeline_runs).where(pipeline_runs.c.id == run)).mappings()
            row = rows.one_or_none()
            return None if row is None else dict(row)

    def list_runs(
        self, recipe: str | None, options: Mapping[str, str] = MappingProxyType({})
    ) -> list[dict[str, Any]]:
        """Newest first; of one recipe or all, with these options."""
        query = select(pipeline_runs)
        if recipe is not None:
            query = query.where(pipeline_runs.c.recipe == recipe)
        for name, value in options.items():
            recorded = json_value(self.engine.dialect.name, "pipeline_runs.options", name)
            query = query.where(literal_column(recorded, Text) == value)
        newest = query.order_by(pipeline_runs.c.created_at.desc(), pipeline_runs.c.id).limit(LISTED)
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(newest).mappings()]

    def _counts(self, recipe: str, since: datetime) -> Mapping[str, int]:
        by_state = select(documents.c.state, func.count()).where(
            documents.c.recipe == recipe, documents.c.updated_at >= since
        )
        with read_transaction(self.engine) as connection:
            document_counts = {
                row[0]: row[1] for row in connection.execute(by_state.group_by(documents.c.state))
            }
            lost_leads = connection.scalar(
                select(func.count()).where(
                    leads.c.recipe == recipe,
                    leads.c.updated_at >= since,
                    leads.c.state.in_((State.QUARANTINED, State.DROPPED)),
                )
            )
            story_count = connection.scalar(
                select(func.count()).where(
                    stories.c.recipe == recipe, stories.c.updated_at >= since, stories.c.state == "live"
                )
            )
        return {
            "total_count": sum(document_counts.values()) + (lost_leads or 0),
            "processed_count": document_counts.get(State.KEPT, 0),
            "failed_count": sum(document_counts.get(state, 0) for state in ENDED) + (lost_leads or 0),
            "duplicate_count": document_counts.get(State.DUPLICATE, 0),
            "story_count": story_count or 0,
        }
