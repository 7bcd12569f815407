"""Requests to a language model about stories, and the batches that carried them."""

from sqlalchemy import Column, Float, Index, Integer, Table, Text

from headwater.store.schema.columns import JsonColumn, StorableText, UtcDateTime, key_column, metadata

summary_batches = Table(
    "summary_batches",
    metadata,
    key_column(primary_key=True),
    Column("endpoint", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("request_count", Integer, nullable=False),
    Column("cost", Float),
    Column("file_id", StorableText),
    Column("remote_id", StorableText),
    Column("status", StorableText),
    Column("counts", JsonColumn),
    Column("reason", StorableText),
    Column("cancel_requested_at", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False),
    Column("creation_started_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    Index("ix_summary_batches_state", "state", "created_at"),
)

# The id is the story, its content and the level: planning twice plans the same row.
summary_requests = Table(
    "summary_requests",
    metadata,
    Column("id", Text, primary_key=True),
    Column("recipe", Text, nullable=False),
    key_column("story_id", nullable=False),
    Column("content", Text, nullable=False),
    Column("level", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("state", Text, nullable=False),
    key_column("batch_id"),
    Column("place", Integer),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("due_at", UtcDateTime),
    Column("reason", StorableText),
    Column("score", Float),
    Column("cost", Float),
    Column("sources", JsonColumn),
    Column("answer", JsonColumn),
    Column("created_at", UtcDateTime, nullable=False),
    Column("asked_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    Index("ix_summary_requests_state", "state", "due_at"),
    Index("ix_summary_requests_story", "story_id"),
    Index("ix_summary_requests_batch", "batch_id"),
)
