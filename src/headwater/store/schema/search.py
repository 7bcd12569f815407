"""The search index. It is derived from documents and rebuilt where it is missing, so backups do not contain it."""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
)

from headwater.store.schema.columns import JsonColumn, StorableText, UtcDateTime, key_column, partial_index

search_metadata = MetaData()
Number = BigInteger().with_variant(Integer(), "sqlite")

# One row for each indexed document, with the `updated_at` that was indexed. Its id is the number of the document in the index:
# a changed document gets a new one, so ids are never used twice. `terms` and `postings` are there while it waits for a segment.
search_entries = Table(
    "search_entries",
    search_metadata,
    Column("id", Number, primary_key=True),
    key_column("document_id", nullable=False, unique=True),
    Column("recipe", Text, nullable=False),
    Column("language", StorableText, nullable=False),
    Column("moment", BigInteger, nullable=False),
    Column("quality", Float, nullable=False),
    Column("length", Integer, nullable=False),
    Column("terms", StorableText),
    Column("postings", LargeBinary),
    Column("updated_at", UtcDateTime, nullable=False),
    Index("ix_search_entries_recipe_updated", "recipe", "updated_at"),
    partial_index(
        "ix_search_entries_waiting",
        "id",
        where="postings IS NOT NULL",
    ),
    sqlite_autoincrement=True,
)

search_segments = Table(
    "search_segments",
    search_metadata,
    Column("id", Number, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("length", BigInteger, nullable=False),
    Column("names", JsonColumn, nullable=False),
    Column("entries", LargeBinary, nullable=False),
    Column("directory", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

search_pages = Table(
    "search_pages",
    search_metadata,
    Column("id", Number, primary_key=True, autoincrement=False),
    Column("postings", LargeBinary, nullable=False),
)

# Every term of a segment, for prefixes and misspellings.
search_terms = Table(
    "search_terms", search_metadata, Column("term", Text, primary_key=True), sqlite_with_rowid=False
)

# A vector in one byte per dimension, by the number of the document.
search_vectors = Table(
    "search_vectors",
    search_metadata,
    Column("model", Text, nullable=False),
    Column("entry_id", Number, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    PrimaryKeyConstraint("model", "entry_id", name="pk_search_vectors"),
)

# The vectors of a segment in one bit per dimension, in the order of its entries.
search_codes = Table(
    "search_codes",
    search_metadata,
    Column("segment_id", Number, nullable=False),
    Column("model", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("codes", LargeBinary, nullable=False),
    PrimaryKeyConstraint("segment_id", "model", name="pk_search_codes"),
)

IS_WAITING = search_entries.c.postings.is_not(None)
"""Entries that are in no segment yet."""
