"""Who may use the HTTP API and the web pages, and the requests that it must not carry out twice."""

from sqlalchemy import Column, Index, Integer, Table, Text

from headwater.store.schema.columns import StorableText, UtcDateTime, key_column, metadata

# A key itself is shown once, when it is created. `sha256` is that of its secret part.
api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", StorableText, nullable=False),
    Column("scope", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("revoked_at", UtcDateTime),
)

# Who signed in to the web pages with which key. `id` is the hash of what the browser keeps; a row ends with its time or its key.
sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("key_id", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_sessions_key", "key_id"),
)

# `id` is made of the caller and the header; `sha256` is that of the request. Without a status it is still being carried out.
idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    key_column(primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("http_status", Integer),
    Column("answer", StorableText),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_idempotency_keys_created", "created_at"),
)
