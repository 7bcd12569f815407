"""Runs of a whole pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from sqlalchemy import Engine, Text, func, literal_column, select, update

from headwater.model.views import json_value
from headwater.store.bulk import insert_into
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.reads.run_counts import run_counts, waiting_entries
from headwater.store.schema.operations import pipeline_runs

OPEN_STATUSES = ("pending", "running")
STALE = timedelta(hours=2)
LONGEST_ERROR = 2_000
LISTED = 100
CONTINUOUS = "is_continuous"
"""The metric of a run of workers that never end."""


@dataclass(frozen=True)
class PipelineRuns:
    engine: Engine

    def begin(
        self,
        run: str,
        recipe: str,
        options: Mapping[str, str],
        now: datetime,
        *,
        is_continuous: bool = False,
    ) -> bool:
        """Returns False while another run of the recipe is open. A run older than two hours is closed as failed first, and one of
        workers that never end is closed: it stands in nobody's way."""
        if not is_continuous:
            self.end_continuous(recipe, now)
        row = {"id": run, "recipe": recipe, "status": "running", "options": dict(options)}
        metrics = {CONTINUOUS: True} if is_continuous else {}
        with write_transaction(self.engine) as connection:
            stale_run = update(pipeline_runs).where(
                pipeline_runs.c.recipe == recipe,
                pipeline_runs.c.status.in_(OPEN_STATUSES),
                pipeline_runs.c.created_at < now - STALE,
            )
            connection.execute(stale_run.values(status="failed", ended_at=now, error="it never ended"))
            insertion = insert_into(connection.dialect, pipeline_runs).on_conflict_do_nothing()
            values = row | {"created_at": now, "started_at": now, "metrics": metrics}
            inserted = connection.execute(insertion.values(**values).returning(pipeline_runs.c.id))
            return inserted.first() is not None

    def finish(self, run: str, now: datetime, *, error: str | None = None) -> dict[str, Any]:
        """Count what happened to everything seen since the run began, and close the run. One that leaves failed or
        waiting entries is `partial`; its metrics say what these wait for."""
        row = self.get(run)
        assert row is not None
        counts, waiting = self.count_since(row["recipe"], row["started_at"])
        success = "partial" if counts["failed_count"] or waiting else "completed"
        status = "failed" if error else success
        values = {"status": status, "ended_at": now, "error": error and error[:LONGEST_ERROR], **counts}
        metrics = {**row["metrics"], **counts, "waiting": waiting, **row["options"]}
        open_run = update(pipeline_runs).where(
            pipeline_runs.c.id == run, pipeline_runs.c.status.in_(OPEN_STATUSES)
        )
        with write_transaction(self.engine) as connection:
            connection.execute(open_run.values(**values, metrics=metrics))
        return self.get(run) or {}

    def count_since(self, recipe: str, since: datetime) -> tuple[dict[str, int], dict[str, int]]:
        """What became of everything seen since then, and the entries that are left for later, by reason."""
        with read_transaction(self.engine) as connection:
            waiting = waiting_entries(connection, recipe, since)
            return run_counts(connection, recipe, since, sum(waiting.values())), waiting

    def end_continuous(self, recipe: str, now: datetime) -> None:
        """Close the open run of workers that never end, if there is one."""
        row = self.open_run(recipe)
        if row is not None and row["metrics"].get(CONTINUOUS):
            self.finish(row["id"], now)

    def open_run(self, recipe: str) -> dict[str, Any] | None:
        """The run that goes on, if any."""
        query = select(pipeline_runs).where(
            pipeline_runs.c.recipe == recipe, pipeline_runs.c.status.in_(OPEN_STATUSES)
        )
        with read_transaction(self.engine) as connection:
            row = connection.execute(query).mappings().first()
            return None if row is None else dict(row)

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
