"""What running it needs: alarms, chores with their hour, and the names under which others know the articles."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text, text

from headwater.backends.sql.columns import Instant, Json, Words, key_column, metadata

# The numbers, GUIDs and addresses of the view `articles`: the constraints of that contract hold here. Written by a
# trigger in the transaction that decides about the document, and never changed.
article_keys = Table(
    "article_keys",
    metadata,
    Column("document_id", ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("id", BigInteger, nullable=False),
    Column("external_id", BigInteger, nullable=False),
    Column("guid", Words, nullable=False),
    Column("url", Words, nullable=False),
    Index("uq_article_keys_id", "id", unique=True),
    Index("uq_article_keys_external_id", "external_id", unique=True),
)

alarms = Table(
    "alarms",
    metadata,
    key_column(primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", Words, nullable=False),
    Column("title", Words, nullable=False),
    Column("detail", Words, nullable=False),
    Column("evidence", Json, nullable=False),
    Column("raised_at", Instant, nullable=False),
    Column("cleared_at", Instant),
    Column("revision", Integer, nullable=False),
    Index("ix_alarms_raised", "recipe", "raised_at"),
    # Nobody is told twice about what still goes on.
    Index(
        "uq_alarms_open",
        "recipe",
        "kind",
        "subject",
        unique=True,
        sqlite_where=text("cleared_at IS NULL"),
        postgresql_where=text("cleared_at IS NULL"),
    ),
)

chores = Table(
    "chores",
    metadata,
    Column("name", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("lease_owner", Text),
    Column("lease_until", Instant),
    Column("status", Text, nullable=False),
    Column("started_at", Instant),
    Column("ended_at", Instant),
    Column("result", Json),
    Column("created_at", Instant, nullable=False),
)
