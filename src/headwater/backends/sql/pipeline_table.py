"""Runs of a whole pipeline: from the moment somebody, or the clock, asked for one until all that was due is done."""

from sqlalchemy import Column, Index, Integer, Table, Text, text

from headwater.backends.sql.columns import Instant, Json, Words, metadata

pipeline_runs = Table(
    "pipeline_runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("tier", Text, nullable=False),
    Column("target_date", Text, nullable=False),
    Column("total", Integer, nullable=False, server_default="0"),
    Column("processed", Integer, nullable=False, server_default="0"),
    Column("failed", Integer, nullable=False, server_default="0"),
    Column("duplicates", Integer, nullable=False, server_default="0"),
    Column("stories", Integer, nullable=False, server_default="0"),
    Column("error", Words),
    Column("metrics", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("ended_at", Instant),
    Index("ix_pipeline_runs_started", "recipe", "created_at"),
    # Of each recipe one run at a time, whoever starts it.
    Index(
        "uq_pipeline_runs_going",
        "recipe",
        unique=True,
        sqlite_where=text("status IN ('pending', 'running')"),
        postgresql_where=text("status IN ('pending', 'running')"),
    ),
)
