"""Saved searches, what met them, and the digests in which that is sent."""

from sqlalchemy import Column, Index, Integer, Table, Text

from headwater.store.schema.columns import JsonColumn, StorableText, UtcDateTime, key_column, metadata

saved_searches = Table(
    "saved_searches",
    metadata,
    key_column(primary_key=True),
    Column("name", StorableText, nullable=False),
    Column("query", StorableText, nullable=False),
    Column("filters", JsonColumn, nullable=False),
    Column("recipe", Text),
    Column("record_kind", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("delivery", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Index("uq_saved_searches_name", "name", unique=True),
)

# One row, raised by every change of a saved search, so that a worker notices the change with one short query.
saved_search_versions = Table(
    "saved_search_versions",
    metadata,
    Column("name", Text, primary_key=True),
    Column("version", Integer, nullable=False),
)

# No foreign keys: a search that is removed while a worker commits documents must not make the commit fail.
matches = Table(
    "matches",
    metadata,
    key_column("search_id", primary_key=True),
    key_column("record_id", primary_key=True),
    Column("record_kind", Text, nullable=False),
    Column("recipe", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("matched_at", UtcDateTime, nullable=False),
    key_column("digest_id"),
    Index("ix_matches_search_matched", "search_id", "matched_at", "record_id"),
    Index("ix_matches_digest", "digest_id"),
    Index("ix_matches_record", "record_id"),
)

digests = Table(
    "digests",
    metadata,
    key_column(primary_key=True),
    key_column("search_id", nullable=False),
    Column("recipe", Text, nullable=False),
    Column("since_at", UtcDateTime, nullable=False),
    Column("until_at", UtcDateTime, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    # From here on it is being sent, and takes no further match.
    Column("closed_at", UtcDateTime),
    Index("ix_digests_search", "search_id", "since_at"),
)
