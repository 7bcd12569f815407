"""Tables for operation: public keys of documents, alarms, maintenance tasks, queues and pipeline runs."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text

from headwater.store.schema.columns import (
    JsonColumn,
    StorableText,
    UtcDateTime,
    key_column,
    metadata,
    partial_index,
)

# Keys under which other programs know a document: unique, and never changed. The views of a recipe that promise such keys
# install a trigger that writes them in the transaction that decides about the document.
document_keys = Table(
    "document_keys",
    metadata,
    Column("document_id", ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("id", BigInteger, nullable=False),
    Column("external_id", BigInteger, nullable=False),
    Column("guid", StorableText, nullable=False),
    Column("url", StorableText, nullable=False),
    Index("uq_document_keys_id", "id", unique=True),
    Index("uq_document_keys_external_id", "external_id", unique=True),
)

alarms = Table(
    "alarms",
    metadata,
    key_column(primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", StorableText, nullable=False),
    Column("title", StorableText, nullable=False),
    Column("detail", StorableText, nullable=False),
    Column("evidence", JsonColumn, nullable=False),
    Column("raised_at", UtcDateTime, nullable=False),
    Column("cleared_at", UtcDateTime),
    Column("acknowledged_at", UtcDateTime),
    Column("revision", Integer, nullable=False),
    Index("ix_alarms_raised", "recipe", "raised_at", "id"),
    # One open alarm for each problem.
    partial_index(
        "uq_alarms_open",
        "recipe",
        "kind",
        "subject",
        where="cleared_at IS NULL",
        unique=True,
    ),
)

maintenance_tasks = Table(
    "maintenance_tasks",
    metadata,
    Column("name", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
    Column("due_at", UtcDateTime, nullable=False),
    Column("lease_owner", Text),
    Column("lease_until", UtcDateTime),
    Column("status", Text, nullable=False),
    Column("started_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    Column("result", JsonColumn),
    Column("created_at", UtcDateTime, nullable=False),
)


queue_items = Table(
    "queue_items",
    metadata,
    Column("id", Text, primary_key=True),
    Column("queue", Text, nullable=False),
    Column("recipe", Text, nullable=False),
    key_column("document_id", nullable=False),
    Column("payload", JsonColumn, nullable=False),
    Column("state", Text, nullable=False),
    Column("result", JsonColumn),
    Column("created_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    # When it was put on the list of a server; None when it is not there.
    Column("listed_at", UtcDateTime),
    Column("due_at", UtcDateTime),
    Column("lease_owner", Text),
    Column("lease_until", UtcDateTime),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("reason", StorableText),
    partial_index(
        "ix_queue_items_due",
        "queue",
        "due_at",
        where="due_at IS NOT NULL",
    ),
    Index("ix_queue_items_document", "document_id"),
)


pipeline_runs = Table(
    "pipeline_runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("options", JsonColumn, nullable=False),
    Column("total_count", Integer, nullable=False, server_default="0"),
    Column("processed_count", Integer, nullable=False, server_default="0"),
    Column("failed_count", Integer, nullable=False, server_default="0"),
    Column("duplicate_count", Integer, nullable=False, server_default="0"),
    Column("story_count", Integer, nullable=False, server_default="0"),
    Column("error", StorableText),
    Column("metrics", JsonColumn, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    Index("ix_pipeline_runs_started", "recipe", "created_at", "id"),
    Index("ix_pipeline_runs_total", "recipe", "total_count", "id"),
    Index("ix_pipeline_runs_failed", "recipe", "failed_count", "id"),
    # One open run per recipe.
    partial_index(
        "uq_pipeline_runs_open",
        "recipe",
        where="status IN ('pending', 'running')",
        unique=True,
    ),
)


# Documents drawn for a review by people. Without a verdict, one is still open.
reviews = Table(
    "reviews",
    metadata,
    Column("sample", Text, primary_key=True),
    Column("document_id", ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("verdict", Text),
    Column("fields", JsonColumn),
    Column("reason", StorableText),
    Column("reviewer", StorableText),
    Column("reviewed_at", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_reviews_document", "document_id"),
)
