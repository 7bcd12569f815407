"""Link health: one row for each link of a kept document or an active source."""

from sqlalchemy import Column, Index, Integer, Table, Text

from headwater.store.schema.columns import UtcDateTime, due_index, key_column, lease_index, metadata

link_health = Table(
    "link_health",
    metadata,
    key_column(primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("record_kind", Text, nullable=False),
    key_column("record_id", nullable=False),
    key_column("source_id", nullable=False),
    Column("priority", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("first_failed_at", UtcDateTime),
    Column("last_ok_at", UtcDateTime),
    Column("last_checked_at", UtcDateTime),
    Column("status", Integer),
    Column("final_url", Text, nullable=False, server_default=""),
    Column("created_at", UtcDateTime, nullable=False),
    Column("reason", Text),
    Column("due_at", UtcDateTime),
    Column("lease_owner", Text),
    Column("lease_until", UtcDateTime),
    due_index("link_health"),
    lease_index("link_health"),
    Index("ix_link_health_record", "record_id"),
)
