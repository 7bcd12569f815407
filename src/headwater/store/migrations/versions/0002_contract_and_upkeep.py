"""The tables that other programs read as `publishers`, `articles`, `ingestion_jobs` and `feed_performance`; alarms and
chores.

The four are views over Headwater's own rows: nothing is stored twice, and nothing can differ. What a view cannot
promise (unique numbers, GUIDs and addresses) stands in `article_keys`, which a trigger writes.
"""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from headwater.model.keys import POSITIVE, external_number, positive_number
from headwater.store.schema.columns import JsonColumn, UtcDateTime
from headwater.text.urls import without_tracking

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ARTICLES = "recipe = 'crypto' AND state IN ('kept', 'aside', 'quarantined', 'dropped')"
OF_ARTICLE = "d.recipe = 'crypto' AND d.state IN ('kept', 'aside', 'quarantined', 'dropped')"
STATUS = "CASE {}state WHEN 'kept' THEN 'ACTIVE' WHEN 'dropped' THEN 'DELETED' ELSE 'INACTIVE' END"
VIEWS = ("publishers", "articles", "ingestion_jobs", "feed_performance")
AT_ONCE = 1_000

# A GUID or an address as it is, unless it is too long for an index.
GUID = "CASE WHEN {0}guid <> '' THEN {0}guid ELSE {0}clean_url END"
FITTING = "CASE WHEN length({0}) <= 600 THEN {0} ELSE substr({0}, 1, 500) || '#' || {1}id END"
# One that another article holds already is told apart by the key of its document.
APART = "substr({0}, 1, 500) || '#' || {1}id"


def _keys(row: str, *, apart: bool) -> str:
    """The values of a row of `article_keys`, made of a row of `documents`."""
    form = APART if apart else FITTING
    number = f"{row}number & {POSITIVE}"
    external = number if apart else f"coalesce({row}external_id, {number})"
    return f"{row}id, {number}, {external}, {form.format(GUID.format(row), row)}, {form.format(f'{row}clean_url', row)}"


COLUMNS = "(document_id, id, external_id, guid, url)"

SQLITE_TRIGGER = f"""
CREATE TRIGGER article_keys_given AFTER UPDATE OF state ON documents
WHEN NEW.recipe = 'crypto' AND NEW.state IN ('kept', 'aside', 'quarantined', 'dropped')
BEGIN
  INSERT INTO article_keys {COLUMNS} VALUES ({_keys("NEW.", apart=False)}) ON CONFLICT DO NOTHING;
  INSERT INTO article_keys {COLUMNS} SELECT {_keys("NEW.", apart=True)}
    WHERE NOT EXISTS (SELECT 1 FROM article_keys WHERE document_id = NEW.id) ON CONFLICT DO NOTHING;
END
"""  # noqa: S608 - nothing but our own words

POSTGRESQL_FUNCTION = f"""
CREATE FUNCTION article_keys_give() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO article_keys {COLUMNS} VALUES ({_keys("NEW.", apart=False)}) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    INSERT INTO article_keys {COLUMNS} VALUES ({_keys("NEW.", apart=True)}) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$
"""  # noqa: S608 - as above

POSTGRESQL_TRIGGER = """
CREATE TRIGGER article_keys_given AFTER UPDATE OF state ON documents FOR EACH ROW
WHEN (NEW.recipe = 'crypto' AND NEW.state IN ('kept', 'aside', 'quarantined', 'dropped'))
EXECUTE FUNCTION article_keys_give()
"""

INDEXES = (
    "CREATE UNIQUE INDEX idx_articles_url ON article_keys (url)",
    "CREATE UNIQUE INDEX idx_articles_guid ON article_keys (guid)",
    f"CREATE INDEX idx_articles_published_on ON documents (published_at) WHERE {ARTICLES}",
    f"CREATE INDEX idx_articles_publisher_id ON documents (source_number, published_at) WHERE {ARTICLES}",
    f"CREATE INDEX idx_articles_status ON documents (({STATUS.format('')}), published_at) WHERE {ARTICLES}",
)
# SQLite has no md5(): there the titles themselves are indexed, and nobody can ask for the hash of a body.
SQLITE_INDEXES = (f"CREATE INDEX idx_articles_title_hash ON documents (title) WHERE {ARTICLES}",)
BODY_HASH = "md5(substring(nullif(text, ''), 1, 1000))"
POSTGRESQL_INDEXES = (
    f"CREATE INDEX idx_articles_title_hash ON documents (md5(title)) WHERE {ARTICLES}",
    f"CREATE INDEX idx_articles_content_hash ON documents ({BODY_HASH}) WHERE {ARTICLES}",
    f"CREATE INDEX idx_articles_title_fts ON documents USING gin (to_tsvector('english', title)) WHERE {ARTICLES}",
)

# A feed that moved to the address of another one is told apart by its key.
PUBLISHERS = """
CREATE VIEW publishers AS
SELECT s.number AS id, s.name AS name,
  CAST(CASE WHEN s.url = '' OR EXISTS (
      SELECT 1 FROM sources o WHERE o.url = s.url AND o.recipe = 'crypto' AND o.number < s.number
    ) THEN s.url || '#' || s.id ELSE s.url END AS TEXT) AS rss_url,
  CAST(CASE WHEN s.active AND s.stopped IS NULL THEN 'ACTIVE' ELSE 'INACTIVE' END AS TEXT) AS status,
  s.last_success_at AS last_successful_fetch, s.failures AS error_count, s.created_at AS created_at,
  s.updated_at AS updated_at
FROM sources s WHERE s.recipe = 'crypto'
"""

ARTICLE_VIEW = """
CREATE VIEW articles AS
SELECT k.id AS id, k.external_id AS external_id, k.guid AS guid, d.title AS title,
  CAST(coalesce({subtitle}, nullif(d.description, '')) AS TEXT) AS subtitle,
  CAST({authors} AS TEXT) AS authors, k.url AS url, CAST(nullif(d.text, '') AS TEXT) AS body,
  CAST({keywords} AS TEXT) AS keywords, CAST(nullif(d.language, '') AS TEXT) AS language,
  CAST(nullif(d.image, '') AS TEXT) AS image_url, d.published_at AS published_on,
  d.source_number AS publisher_id, {status} AS status, d.created_at AS created_at, d.updated_at AS updated_at
FROM documents d LEFT JOIN article_keys k ON k.document_id = d.id
WHERE {of_article}
"""

# Both halves have columns of one type: only then does SQLite read them in order instead of sorting them.
JOBS = """
CREATE VIEW ingestion_jobs AS
SELECT number AS id, CAST('ingest_feed' AS TEXT) AS job_type, CAST({status} AS TEXT) AS status,
  started_at, ended_at AS completed_at,
  CAST(CASE WHEN error IS NOT NULL
    THEN {json}('error', error, 'detail', detail, 'http_status', http_status) END AS {json_type}) AS error_details,
  found AS articles_processed,
  CAST(CASE WHEN found > new THEN found - new ELSE 0 END AS INTEGER) AS duplicates_found,
  started_at AS created_at
FROM runs WHERE recipe = 'crypto'
UNION ALL
SELECT number, name, status, started_at, ended_at, CAST(CASE WHEN status = 'FAILED' THEN result END AS {json_type}),
  CAST(0 AS INTEGER), CAST(0 AS INTEGER), created_at
FROM chores
"""

PERFORMANCE = """
CREATE VIEW feed_performance AS
SELECT number AS id, source_number AS publisher_id, started_at AS fetch_time, elapsed_ms AS response_time_ms,
  found AS articles_found, CAST({status} AS TEXT) AS status,
  CAST(CASE WHEN error IS NOT NULL THEN error || coalesce(': ' || detail, '') END AS TEXT) AS error_message,
  coalesce(ended_at, started_at) AS created_at
FROM runs WHERE recipe = 'crypto'
"""

RUN_STATUS = "CASE status WHEN 'running' THEN 'RUNNING' WHEN 'completed' THEN 'COMPLETED' ELSE 'FAILED' END"

SQLITE_WORDS = {
    "subtitle": "json_extract(d.attributes, '$.subtitle')",
    "authors": "(SELECT group_concat(value, ', ') FROM json_each(d.authors))",
    "keywords": "(SELECT group_concat(value, ', ') FROM json_each(d.keywords))",
    "json": "json_object",
    "json_type": "TEXT",
}
LIST = """(SELECT string_agg(value, ', ' ORDER BY ordinality)
    FROM jsonb_array_elements_text(CASE WHEN jsonb_typeof({0}) = 'array' THEN {0} END) WITH ORDINALITY)"""
POSTGRESQL_WORDS = {
    "subtitle": "(d.attributes ->> 'subtitle')",
    "authors": LIST.format("d.authors"),
    "keywords": LIST.format("d.keywords"),
    "json": "jsonb_build_object",
    "json_type": "JSONB",
}


def upgrade() -> None:
    connection = op.get_bind()
    postgresql = connection.dialect.name == "postgresql"
    _columns()
    _tables()
    _number(connection)
    for apart in (False, True):
        keys = f"SELECT {_keys('documents.', apart=apart)} FROM documents WHERE {ARTICLES}"  # noqa: S608 - as above
        op.execute(f"INSERT INTO article_keys {COLUMNS} {keys} ON CONFLICT DO NOTHING")
    for statement in _statements(postgresql=postgresql):
        connection.exec_driver_sql(statement)


def _columns() -> None:
    op.add_column("sources", sa.Column("number", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("runs", sa.Column("number", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("runs", sa.Column("source_number", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column(
        "documents", sa.Column("source_number", sa.BigInteger(), server_default="0", nullable=False)
    )
    op.add_column("documents", sa.Column("external_id", sa.BigInteger(), nullable=True))
    op.add_column("documents", sa.Column("clean_url", sa.Text(), server_default="", nullable=False))
    op.create_index("ix_sources_number", "sources", ["number"])
    op.create_index("ix_sources_url", "sources", ["url"], postgresql_using="hash")
    op.create_index("ix_runs_number", "runs", ["number"])
    op.create_index("ix_runs_source_number", "runs", ["recipe", "source_number", "started_at"])
    op.create_index("ix_runs_recipe_started", "runs", ["recipe", "started_at"])
    op.create_index("ix_documents_source_created", "documents", ["source_id", "created_at"])
    op.create_index("ix_documents_recipe_updated", "documents", ["recipe", "updated_at"])
    op.drop_index("ix_leads_source", "leads")
    op.create_index("ix_leads_source_seen", "leads", ["source_id", "first_seen_at"])


def _tables() -> None:
    op.create_table(
        "article_keys",
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("external_id", sa.BigInteger(), nullable=False),
        sa.Column("guid", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_article_keys_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_article_keys")),
    )
    op.create_index("uq_article_keys_id", "article_keys", ["id"], unique=True)
    op.create_index("uq_article_keys_external_id", "article_keys", ["external_id"], unique=True)
    op.create_table(
        "alarms",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("evidence", JsonColumn, nullable=False),
        sa.Column("raised_at", UtcDateTime(), nullable=False),
        sa.Column("cleared_at", UtcDateTime(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alarms")),
    )
    op.create_index("ix_alarms_raised", "alarms", ["recipe", "raised_at"])
    still_open = sa.text("cleared_at IS NULL")
    op.create_index(
        "uq_alarms_open",
        "alarms",
        ["recipe", "kind", "subject"],
        unique=True,
        sqlite_where=still_open,
        postgresql_where=still_open,
    )
    op.create_table(
        "chores",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("result", JsonColumn, nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_chores")),
    )


def _number(connection: sa.Connection) -> None:
    """What was there before gets the numbers that new rows are given."""
    sources = sa.text("UPDATE sources SET number = :number WHERE id = :id")
    for rows in _pages(connection, "SELECT id FROM sources"):
        connection.execute(sources, [{"id": row.id, "number": positive_number(row.id)} for row in rows])
    runs = sa.text("UPDATE runs SET number = :number, source_number = :source WHERE id = :id")
    for rows in _pages(connection, "SELECT id, source_id FROM runs"):
        connection.execute(runs, [_numbers(row, positive_number(row.id)) for row in rows])
    documents = sa.text(
        "UPDATE documents SET external_id = :number, source_number = :source, clean_url = :clean WHERE id = :id"
    )
    for rows in _pages(connection, "SELECT id, source_id, guid, url FROM documents"):
        clean = [without_tracking(row.url) for row in rows]
        numbers = [external_number(row.guid or url) for row, url in zip(rows, clean, strict=True)]
        told = zip(rows, numbers, clean, strict=True)
        connection.execute(documents, [_numbers(row, number) | {"clean": url} for row, number, url in told])


def _numbers(row: Any, number: int) -> dict[str, Any]:
    return {"id": row.id, "number": number, "source": positive_number(row.source_id)}


def _pages(connection: sa.Connection, query: str) -> Iterator[list[Any]]:
    page = sa.text(f"{query} WHERE id > :after ORDER BY id LIMIT {AT_ONCE}")
    after = ""
    while rows := list(connection.execute(page, {"after": after})):
        yield rows
        after = rows[-1].id


def _statements(*, postgresql: bool) -> Iterator[str]:
    words = POSTGRESQL_WORDS if postgresql else SQLITE_WORDS
    yield from INDEXES
    yield from POSTGRESQL_INDEXES if postgresql else SQLITE_INDEXES
    yield PUBLISHERS
    yield ARTICLE_VIEW.format(status=STATUS.format("d."), of_article=OF_ARTICLE, **words)
    yield JOBS.format(status=RUN_STATUS, **words)
    yield PERFORMANCE.format(status=RUN_STATUS)
    if postgresql:
        yield POSTGRESQL_FUNCTION
    yield POSTGRESQL_TRIGGER if postgresql else SQLITE_TRIGGER


def downgrade() -> None:
    postgresql = op.get_bind().dialect.name == "postgresql"
    for view in reversed(VIEWS):
        op.execute(f"DROP VIEW {view}")
    op.execute(f"DROP TRIGGER article_keys_given{' ON documents' if postgresql else ''}")
    if postgresql:
        op.execute("DROP FUNCTION article_keys_give()")
    for name in ("published_on", "publisher_id", "status", "title_hash", *_only(postgresql=postgresql)):
        op.execute(f"DROP INDEX idx_articles_{name}")
    for table in ("chores", "alarms", "article_keys"):
        op.drop_table(table)
    op.drop_index("ix_leads_source_seen", "leads")
    op.create_index("ix_leads_source", "leads", ["source_id"])
    op.drop_index("ix_documents_recipe_updated", "documents")
    op.drop_index("ix_documents_source_created", "documents")
    op.drop_index("ix_runs_recipe_started", "runs")
    op.drop_index("ix_runs_source_number", "runs")
    op.drop_index("ix_runs_number", "runs")
    op.drop_index("ix_sources_url", "sources")
    op.drop_index("ix_sources_number", "sources")
    op.drop_column("documents", "clean_url")
    op.drop_column("documents", "external_id")
    op.drop_column("documents", "source_number")
    op.drop_column("runs", "source_number")
    op.drop_column("runs", "number")
    op.drop_column("sources", "number")


def _only(*, postgresql: bool) -> tuple[str, ...]:
    return ("content_hash", "title_fts") if postgresql else ()
