"""Queues for other programs, as rows: leased when they are popped, so that a consumer that dies loses nothing."""

from sqlalchemy import Column, Index, Integer, Table, Text, text

from headwater.backends.sql.columns import Instant, Json, Words, key_column, metadata

queue_items = Table(
    "queue_items",
    metadata,
    Column("id", Text, primary_key=True),
    Column("queue", Text, nullable=False),
    Column("recipe", Text, nullable=False),
    key_column("document_id", nullable=False),
    Column("payload", Json, nullable=False),
    Column("state", Text, nullable=False),
    Column("result", Json),
    Column("created_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Column("due_at", Instant),
    Column("lease_owner", Text),
    Column("lease_until", Instant),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("reason", Words),
    Index(
        "ix_queue_items_due",
        "queue",
        "due_at",
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
    ),
    Index("ix_queue_items_document", "document_id"),
)
