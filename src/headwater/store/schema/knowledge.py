"""What is known about documents and subjects: fingerprints, mentions, facts, vectors and series."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
)

from headwater.store.schema.columns import (
    JsonColumn,
    JsonOrNull,
    StorableText,
    UtcDateTime,
    key_column,
    metadata,
)

subjects = Table(
    "subjects",
    metadata,
    key_column(primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", StorableText, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("attributes", JsonColumn, nullable=False),
)

aliases = Table(
    "aliases",
    metadata,
    Column("subject_id", ForeignKey("subjects.id", ondelete="CASCADE"), primary_key=True),
    Column("alias", StorableText, primary_key=True),
    Column("kind", Text, nullable=False),
)

fingerprints = Table(
    "fingerprints",
    metadata,
    Column("recipe", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("value", StorableText, primary_key=True),
    key_column("document_id", nullable=False),
    Column("epoch", BigInteger, nullable=False, server_default="0"),
    Index("ix_fingerprints_document", "document_id"),
    sqlite_with_rowid=False,
)

# About thirty rows per document, numbers only. A space is a recipe and a scheme; an epoch is a commit that added rows.
dedupe_bands = Table(
    "dedupe_bands",
    metadata,
    Column("space", BigInteger, primary_key=True, autoincrement=False),
    Column("band", BigInteger, primary_key=True, autoincrement=False),
    Column("epoch", BigInteger, primary_key=True, autoincrement=False),
    Column("document", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

dedupe_epochs = Table(
    "dedupe_epochs",
    metadata,
    Column("space", BigInteger, primary_key=True, autoincrement=False),
    Column("value", BigInteger, nullable=False),
)

# In how many stories of a publisher a sentence occurs; recurring sentences are boilerplate.
sentence_counts = Table(
    "sentence_counts",
    metadata,
    Column("space", BigInteger, primary_key=True, autoincrement=False),
    Column("sentence", BigInteger, primary_key=True, autoincrement=False),
    Column("publisher", BigInteger, primary_key=True, autoincrement=False),
    Column("stories", Integer, nullable=False),
    Column("story", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

edges = Table(
    "edges",
    metadata,
    key_column("from_id", primary_key=True),
    key_column("to_id", primary_key=True),
    Column("relation", Text, primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("score", Float, nullable=False),
    Column("evidence", JsonColumn, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_edges_to", "to_id"),
)

mentions = Table(
    "mentions",
    metadata,
    Column("document_id", ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    key_column("subject_id", primary_key=True),
    Column("kind", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("count", Integer, nullable=False),
    Column("offsets", JsonColumn, nullable=False),
    Index("ix_mentions_subject", "subject_id"),
)

facts = Table(
    "facts",
    metadata,
    key_column("record_id", primary_key=True),
    Column("name", StorableText, primary_key=True),
    Column("value", JsonOrNull, nullable=False),
    Column("step", Text, nullable=False),
    Column("version", StorableText, nullable=False),
)

vectors = Table(
    "vectors",
    metadata,
    Column("document_id", ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("model", Text, primary_key=True),
    Column("dimensions", Integer, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Index("ix_vectors_model", "model"),
)

bars = Table(
    "bars",
    metadata,
    Column("recipe", Text, primary_key=True),
    Column("symbol", Text, primary_key=True),
    Column("span", Text, primary_key=True),
    Column("at", UtcDateTime, primary_key=True),
    Column("open", Float),
    Column("high", Float),
    Column("low", Float),
    Column("close", Float),
    Column("volume", Float),
    Column("average", Float),
    Column("trades", BigInteger),
    key_column("capture_id"),
)

observations = Table(
    "observations",
    metadata,
    Column("recipe", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("name", StorableText, primary_key=True),
    Column("at", UtcDateTime, primary_key=True),
    Column("value", JsonColumn, nullable=False),
    key_column("source_id", nullable=False),
    key_column("capture_id"),
)
