"""The tables that readers of the crypto pipeline know by name, as views: publishers, articles, ingestion_jobs and
feed_performance. A trigger gives each article its keys, in the transaction that decides about the document."""

from collections.abc import Iterator, Sequence

from headwater.model.keys import POSITIVE
from headwater.model.views import POSTGRESQL, DatabaseViews, poll_duplicates

ARTICLES = "recipe = 'crypto' AND state IN ('kept', 'aside', 'quarantined', 'dropped')"
OF_ARTICLE = "d.recipe = 'crypto' AND d.state IN ('kept', 'aside', 'quarantined', 'dropped')"
STATUS = "CASE {}state WHEN 'kept' THEN 'ACTIVE' WHEN 'dropped' THEN 'DELETED' ELSE 'INACTIVE' END"
VIEWS = ("publishers", "articles", "ingestion_jobs", "feed_performance")

# A GUID or a URL as it is, unless it is too long for an index.
GUID = "CASE WHEN {0}guid <> '' THEN {0}guid ELSE {0}clean_url END"
INDEXABLE = "CASE WHEN length({0}) <= 600 THEN {0} ELSE substr({0}, 1, 500) || '#' || {1}id END"
# A value that another article has already gets the key of its document as a suffix.
DISTINCT = "substr({0}, 1, 500) || '#' || {1}id"


def _keys(row: str, *, distinct: bool) -> str:
    """SQL for the values of a row of `document_keys`, from a row of `documents`."""
    form = DISTINCT if distinct else INDEXABLE
    number = f"{row}number & {POSITIVE}"
    external = number if distinct else f"coalesce({row}external_id, {number})"
    return f"{row}id, {number}, {external}, {form.format(GUID.format(row), row)}, {form.format(f'{row}clean_url', row)}"


COLUMNS = "(document_id, id, external_id, guid, url)"

SQLITE_TRIGGER = f"""
CREATE TRIGGER document_keys_given AFTER UPDATE OF state ON documents
WHEN NEW.recipe = 'crypto' AND NEW.state IN ('kept', 'aside', 'quarantined', 'dropped')
BEGIN
  INSERT INTO document_keys {COLUMNS} VALUES ({_keys("NEW.", distinct=False)}) ON CONFLICT DO NOTHING;
  INSERT INTO document_keys {COLUMNS} SELECT {_keys("NEW.", distinct=True)}
    WHERE NOT EXISTS (SELECT 1 FROM document_keys WHERE document_id = NEW.id) ON CONFLICT DO NOTHING;
END
"""  # noqa: S608 - built from constants

POSTGRESQL_FUNCTION = f"""
CREATE FUNCTION document_keys_give() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO document_keys {COLUMNS} VALUES ({_keys("NEW.", distinct=False)}) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    INSERT INTO document_keys {COLUMNS} VALUES ({_keys("NEW.", distinct=True)}) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$
"""  # noqa: S608 - as above

POSTGRESQL_TRIGGER = """
CREATE TRIGGER document_keys_given AFTER UPDATE OF state ON documents FOR EACH ROW
WHEN (NEW.recipe = 'crypto' AND NEW.state IN ('kept', 'aside', 'quarantined', 'dropped'))
EXECUTE FUNCTION document_keys_give()
"""

INDEX_NAMES = (
    "url",
    "guid",
    "published_on",
    "publisher_id",
    "status",
    "title_hash",
    "content_hash",
    "title_fts",
)
INDEXES = (
    "CREATE UNIQUE INDEX idx_articles_url ON document_keys (url)",
    "CREATE UNIQUE INDEX idx_articles_guid ON document_keys (guid)",
    f"CREATE INDEX idx_articles_published_on ON documents (published_at) WHERE {ARTICLES}",
    f"CREATE INDEX idx_articles_publisher_id ON documents (source_number, published_at) WHERE {ARTICLES}",
    f"CREATE INDEX idx_articles_status ON documents (({STATUS.format('')}), published_at) WHERE {ARTICLES}",
)
# SQLite has no md5(): the titles themselves are indexed there, and a body cannot be found by its hash.
SQLITE_INDEXES = (f"CREATE INDEX idx_articles_title_hash ON documents (title) WHERE {ARTICLES}",)
BODY_HASH = "md5(substring(nullif(text, ''), 1, 1000))"
POSTGRESQL_INDEXES = (
    f"CREATE INDEX idx_articles_title_hash ON documents (md5(title)) WHERE {ARTICLES}",
    f"CREATE INDEX idx_articles_content_hash ON documents ({BODY_HASH}) WHERE {ARTICLES}",
    f"CREATE INDEX idx_articles_title_fts ON documents USING gin (to_tsvector('english', title)) WHERE {ARTICLES}",
)

# A feed that moved to the URL of another one gets its key as a suffix.
PUBLISHERS = """
CREATE VIEW publishers AS
SELECT s.number AS id, s.name AS name,
  CAST(CASE WHEN s.url = '' OR EXISTS (
      SELECT 1 FROM sources o WHERE o.url = s.url AND o.recipe = 'crypto' AND o.number < s.number
    ) THEN s.url || '#' || s.id ELSE s.url END AS TEXT) AS rss_url,
  CAST(CASE WHEN s.active AND s.stop_reason IS NULL THEN 'ACTIVE' ELSE 'INACTIVE' END AS TEXT) AS status,
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
  d.source_number AS publisher_id, {status} AS status, d.created_at AS created_at, d.updated_at AS updated_at,
  CAST(nullif(d.page, '') AS TEXT) AS page
FROM documents d LEFT JOIN document_keys k ON k.document_id = d.id
WHERE {of_article}
"""

# Both halves have columns of one type; otherwise SQLite sorts them instead of reading them in order.
JOBS = """
CREATE VIEW ingestion_jobs AS
SELECT number AS id, CAST('ingest_feed' AS TEXT) AS job_type, CAST({status} AS TEXT) AS status,
  started_at, ended_at AS completed_at,
  CAST(CASE WHEN error IS NOT NULL
    THEN {json}('error', error, 'detail', detail, 'http_status', http_status) END AS {json_type}) AS error_details,
  item_count AS articles_processed,
  CAST(item_count - new_count + {duplicates} AS INTEGER) AS duplicates_found,
  started_at AS created_at
FROM polls WHERE recipe = 'crypto'
UNION ALL
SELECT number, name, status, started_at, ended_at, CAST(CASE WHEN status = 'FAILED' THEN result END AS {json_type}),
  CAST(0 AS INTEGER), CAST(0 AS INTEGER), created_at
FROM maintenance_tasks
"""

# PostgreSQL counts the duplicates after sorting and limiting, if they are counted outside of the union, and reads the halves in
# order, if neither has a condition of its own. SQLite reads them in order only if each is complete.
POSTGRESQL_JOBS = """
CREATE VIEW ingestion_jobs AS
SELECT j.id, j.job_type, j.status, j.started_at, j.ended_at AS completed_at, j.error_details, j.articles_processed,
  CAST(j.repeated + {duplicates} AS INTEGER) AS duplicates_found, j.created_at
FROM (
  SELECT recipe, number AS id, CAST('ingest_feed' AS TEXT) AS job_type, CAST({status} AS TEXT) AS status, started_at, ended_at,
    CAST(CASE WHEN error IS NOT NULL
      THEN {json}('error', error, 'detail', detail, 'http_status', http_status) END AS {json_type}) AS error_details,
    item_count AS articles_processed, item_count - new_count AS repeated, source_id, started_at AS created_at
  FROM polls
  UNION ALL
  SELECT CAST('crypto' AS TEXT), number, name, status, started_at, ended_at, CAST(CASE WHEN status = 'FAILED' THEN result END AS {json_type}),
    CAST(0 AS INTEGER), CAST(0 AS INTEGER), CAST(NULL AS VARCHAR(64)), created_at
  FROM maintenance_tasks
) j WHERE j.recipe = 'crypto'
"""

PERFORMANCE = """
CREATE VIEW feed_performance AS
SELECT number AS id, source_number AS publisher_id, started_at AS fetch_time, elapsed_ms AS response_time_ms,
  item_count AS articles_found, CAST({status} AS TEXT) AS status,
  CAST(CASE WHEN error IS NOT NULL THEN error || coalesce(': ' || detail, '') END AS TEXT) AS error_message,
  coalesce(ended_at, started_at) AS created_at
FROM polls WHERE recipe = 'crypto'
"""

RUN_STATUS = "CASE status WHEN 'running' THEN 'RUNNING' WHEN 'completed' THEN 'COMPLETED' ELSE 'FAILED' END"

SQLITE_FRAGMENTS = {
    "subtitle": "json_extract(d.attributes, '$.subtitle')",
    "authors": "(SELECT group_concat(value, ', ') FROM json_each(d.authors))",
    "keywords": "(SELECT group_concat(value, ', ') FROM json_each(d.keywords))",
    "json": "json_object",
    "json_type": "TEXT",
}
LIST = """(SELECT string_agg(value, ', ' ORDER BY ordinality)
    FROM jsonb_array_elements_text(CASE WHEN jsonb_typeof({0}) = 'array' THEN {0} END) WITH ORDINALITY)"""
POSTGRESQL_FRAGMENTS = {
    "subtitle": "(d.attributes ->> 'subtitle')",
    "authors": LIST.format("d.authors"),
    "keywords": LIST.format("d.keywords"),
    "json": "jsonb_build_object",
    "json_type": "JSONB",
}


def create_statements(dialect: str) -> Sequence[str]:
    return [*INDEXES, *_statements(postgresql=dialect == POSTGRESQL)]


def _statements(*, postgresql: bool) -> Iterator[str]:
    fragments = POSTGRESQL_FRAGMENTS if postgresql else SQLITE_FRAGMENTS
    yield from POSTGRESQL_INDEXES if postgresql else SQLITE_INDEXES
    # Documents that were decided while there was no trigger.
    for distinct in (False, True):
        keys = f"SELECT {_keys('documents.', distinct=distinct)} FROM documents WHERE {ARTICLES}"  # noqa: S608 - as above
        yield f"INSERT INTO document_keys {COLUMNS} {keys} ON CONFLICT DO NOTHING"
    yield PUBLISHERS
    yield ARTICLE_VIEW.format(status=STATUS.format("d."), of_article=OF_ARTICLE, **fragments)
    jobs, poll = (POSTGRESQL_JOBS, "j") if postgresql else (JOBS, "polls")
    yield jobs.format(status=RUN_STATUS, duplicates=poll_duplicates(poll), **fragments)
    yield PERFORMANCE.format(status=RUN_STATUS)
    if postgresql:
        yield POSTGRESQL_FUNCTION
    yield POSTGRESQL_TRIGGER if postgresql else SQLITE_TRIGGER


def drop_statements(dialect: str) -> Sequence[str]:
    """The rows of `document_keys` stay: an article keeps its keys for ever."""
    views = [f"DROP VIEW IF EXISTS {view}" for view in reversed(VIEWS)]
    indexes = [f"DROP INDEX IF EXISTS idx_articles_{name}" for name in INDEX_NAMES]
    if dialect != POSTGRESQL:
        return [*views, "DROP TRIGGER IF EXISTS document_keys_given", *indexes]
    trigger = (
        "DROP TRIGGER IF EXISTS document_keys_given ON documents",
        "DROP FUNCTION IF EXISTS document_keys_give()",
    )
    return [*views, *trigger, *indexes]


CRYPTO_VIEWS = DatabaseViews(create=create_statements, drop=drop_statements)
