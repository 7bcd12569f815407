"""The tables that readers of a market pipeline know by name, as views.

Two of the names, `sources` and `documents`, are tables of Headwater. PostgreSQL therefore has the views in a schema of
their own: after `SET search_path = markets` every query works unchanged. SQLite has no schemas, so the views have a
prefix (`markets_documents`).
"""

from collections.abc import Mapping, Sequence

from headwater.model.views import POSTGRESQL, DatabaseViews, json_value, poll_duplicates
from headwater_recipes.markets.layout import BUCKETS, ResourceNames

SCHEMA = "markets"
NAMES = (
    "companies",
    "company_aliases",
    "sources",
    "ingestion_runs",
    "documents",
    "document_company_mentions",
    "document_intelligence",
)

COMPANIES = """
SELECT s.id AS id, {ticker} AS ticker, {legal_name} AS legal_name, s.name AS name, {sector} AS sector, {cik} AS cik,
  s.active AS active
FROM subjects s WHERE s.recipe = 'markets'
"""

ALIASES = """
SELECT a.subject_id AS company_id, a.alias AS alias, a.kind AS alias_type
FROM aliases a JOIN subjects s ON s.id = a.subject_id WHERE s.recipe = 'markets'
"""

SOURCES = """
SELECT s.id AS id, s.subject_id AS company_id, {kind} AS source_type, s.name AS source_name, s.options AS config,
  s.watermark AS cursor, {published} AS published_utc, s.credibility AS credibility_score,
  s.active AS active, s.failures AS retry_count, s.stop_reason AS stopped, s.due_at AS next_attempt_at,
  s.last_polled_at AS last_run_at, s.last_success_at AS last_success_at, s.created_at AS created_at
FROM sources s WHERE s.recipe = 'markets'
"""

RUNS = """
SELECT r.id AS id, r.source_id AS source_id, s.subject_id AS company_id, {kind} AS source_type, r.status AS status,
  r.started_at AS started_at, r.ended_at AS completed_at, r.item_count AS items_fetched,
  CAST(r.new_count - {duplicates} AS INTEGER) AS items_new,
  CASE WHEN r.error IS NULL THEN NULL ELSE r.error || coalesce(': ' || r.detail, '') END AS error_message,
  r.http_status AS status_code, r.elapsed_ms AS response_time_ms, r.capture_id AS raw_ref
FROM polls r JOIN sources s ON s.id = r.source_id WHERE r.recipe = 'markets'
"""

# Whether the item of the newest revision in a queue is in this state. No later item of the queue has taken its place, and
# no later revision is still on its way to the queue.
NEWEST_ITEM = """EXISTS (SELECT 1 FROM queue_items q WHERE q.document_id = d.id AND q.state = '{state}'
      AND NOT EXISTS (SELECT 1 FROM queue_items n
        WHERE n.document_id = d.id AND n.queue = q.queue AND n.created_at > q.created_at)
      AND NOT EXISTS (SELECT 1 FROM deliveries v
        WHERE v.record_id = d.id AND v.route = q.queue AND v.sent_revision < v.revision))"""

# In each queue only the item of the newest revision counts, and none while a later revision is on its way: one that failed makes
# the document `extraction_failed`, whatever other queues say; otherwise one that is done makes it `extracted`.
DOCUMENTS = """
SELECT d.id AS id, d.source_id AS source_id, {subject} AS company_id, {ticker} AS ticker,
  {document_type} AS document_type, {source_type} AS source_type, d.title AS title, d.url AS url,
  coalesce(nullif(d.canonical_url, ''), d.url) AS canonical_url, c.sha256 AS content_hash, d.publisher AS publisher,
  d.published_at AS published_at,
  CASE
    WHEN d.state = 'kept' AND {newest_failed} THEN 'extraction_failed'
    WHEN d.state = 'kept' AND {newest_done} THEN 'extracted'
    WHEN d.state = 'kept' THEN 'parsed'
    WHEN d.state = 'aside' AND d.reason = 'low_quality' THEN 'low_quality'
    WHEN d.state = 'waiting' THEN 'pending'
    ELSE 'parse_failed'
  END AS status,
  d.reason AS reason, d.quality AS quality_score,
  CASE WHEN d.quality IS NULL THEN NULL WHEN d.quality < 0.35 THEN 'low' WHEN d.quality < 0.65 THEN 'medium'
    ELSE 'high' END AS confidence,
  d.text AS normalized_text, {source_type} || '/' || coalesce({ticker}, '_global') || '/' || d.id || '/normalized.txt'
    AS normalized_ref,
  {source_type} || '/' || coalesce({ticker}, '_global') || '/' || d.id || '/parser_output.json' AS parser_output_ref,
  f.value AS parser_output, nullif(d.page, '') AS page, d.revision AS revision, d.created_at AS created_at, d.updated_at AS updated_at
FROM documents d LEFT JOIN captures c ON c.id = d.capture_id
  LEFT JOIN facts f ON f.record_id = d.id AND f.name = 'parser_output'
WHERE d.recipe = 'markets' AND d.state NOT IN ('duplicate', 'dropped')
"""

MENTIONS = """
SELECT m.document_id AS document_id, m.subject_id AS company_id, m.kind AS mention_type, m.confidence AS confidence,
  m.count AS match_count
FROM mentions m JOIN documents d ON d.id = m.document_id WHERE d.recipe = 'markets'
"""

INTELLIGENCE = """
SELECT q.id AS id, q.document_id AS document_id, q.queue AS queue,
  CASE q.state WHEN 'done' THEN 'completed' ELSE 'failed' END AS status,
  q.result AS intelligence, q.reason AS error_message, q.attempts AS attempts, q.ended_at AS created_at
FROM queue_items q WHERE q.recipe = 'markets' AND q.state IN ('done', 'failed')
"""

TEMPLATES: Mapping[str, str] = {
    "companies": COMPANIES,
    "company_aliases": ALIASES,
    "sources": SOURCES,
    "ingestion_runs": RUNS,
    "documents": DOCUMENTS,
    "document_company_mentions": MENTIONS,
    "document_intelligence": INTELLIGENCE,
}
FIELDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "companies": {name: ("s.attributes", name) for name in ("ticker", "legal_name", "sector", "cik")},
    "sources": {"published": ("s.watermark", "published")},
    "documents": {
        "subject": ("d.subjects", "0"),
        "ticker": ("d.attributes", "ticker"),
        "document_type": ("d.attributes", "document_type"),
        "source_type": ("d.attributes", "source_type"),
    },
}


def market_views(names: ResourceNames) -> DatabaseViews:
    """The views in the vocabulary of a namespace."""
    renamed = " ".join(
        f"WHEN '{kind}' THEN '{names.source_type(kind)}'"
        for kind in BUCKETS
        if names.source_type(kind) != kind
    )
    kind_column = f"CASE s.kind {renamed} ELSE s.kind END" if renamed else "s.kind"

    def create_statements(dialect: str) -> Sequence[str]:
        schema = [f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"] if dialect == POSTGRESQL else []
        return [
            *schema,
            *(_create(dialect, name, template, kind_column) for name, template in TEMPLATES.items()),
        ]

    return DatabaseViews(create=create_statements, drop=drop_statements)


def _create(dialect: str, name: str, template: str, kind_column: str) -> str:
    values = {field: json_value(dialect, *path) for field, path in FIELDS.get(name, {}).items()}
    newest = {f"newest_{state}": NEWEST_ITEM.format(state=state) for state in ("failed", "done")}
    statement = template.format(**values, **newest, kind=kind_column, duplicates=poll_duplicates("r"))
    return f"CREATE VIEW {view_name(dialect, name)} AS {statement}"


def drop_statements(dialect: str) -> Sequence[str]:
    return [f"DROP VIEW IF EXISTS {view_name(dialect, name)}" for name in reversed(NAMES)]


def view_name(dialect: str, name: str) -> str:
    return f"{SCHEMA}.{name}" if dialect == POSTGRESQL else f"{SCHEMA}_{name}"


MARKET_VIEWS = market_views(ResourceNames())
