"""Replays: one row each, and one for each document that is replayed."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text

from headwater.store.schema.columns import (
    JsonColumn,
    StorableText,
    UtcDateTime,
    due_index,
    key_column,
    lease_index,
    metadata,
    partial_index,
    work_columns,
)

# Listed and counted under a row lock; `cursor_at` and `cursor_id` are the position in the documents.
replays = Table(
    "replays",
    metadata,
    key_column(primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("since", UtcDateTime, nullable=False),
    Column("until", UtcDateTime, nullable=False),
    Column("state", Text, nullable=False),
    Column("listed_at", UtcDateTime),
    Column("cursor_at", UtcDateTime, nullable=False),
    key_column("cursor_id", nullable=False),
    Column("expected_count", Integer, nullable=False),
    Column("listed_count", Integer, nullable=False, server_default="0"),
    Column("counts", JsonColumn, nullable=False),
    Column("fields", JsonColumn, nullable=False),
    Column("chosen_verdicts", JsonColumn, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    # One open replay per recipe.
    partial_index(
        "uq_replays_open",
        "recipe",
        where="state IN ('running', 'paused', 'applying')",
        unique=True,
    ),
)

replay_items = Table(
    "replay_items",
    metadata,
    key_column(primary_key=True),
    Column("replay_id", ForeignKey("replays.id", ondelete="CASCADE"), nullable=False),
    Column("recipe", Text, nullable=False),
    key_column("document_id", nullable=False),
    key_column("capture_id"),
    Column("revision", Integer, nullable=False),
    Column("verdict", Text, nullable=False, server_default=""),
    Column("outcome", Text, nullable=False, server_default=""),
    Column("before", Text),
    Column("after", Text),
    Column("differences", JsonColumn),
    Column("detail", StorableText),
    *work_columns(),
    due_index("replay_items"),
    lease_index("replay_items"),
    # The report is read and applied in this order.
    Index("ix_replay_items_verdict", "replay_id", "verdict", "outcome", "id"),
)
