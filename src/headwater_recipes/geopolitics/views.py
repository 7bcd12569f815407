"""The tables that readers of a news-intelligence pipeline know by name, as views over Headwater's own rows.

Keys of Headwater are shown as UUIDs: its own 96 bits, with zeros behind. An entry that came with a UUID keeps that one,
unless it repeats the address of another, or an earlier entry came with the same one.
Every lead is an entry and a job, from the moment it came in: also one that waits, failed, or repeats the address of another.
What those tables lack stands at their end: the state of an entry's page, score, components, topic, and a story's id, which lasts.
"""

from collections.abc import Mapping, Sequence

from headwater.model.jobs import ARCHIVED
from headwater.model.page import UNREAD_PAGES
from headwater.model.views import POSTGRESQL, DatabaseViews, json_value, quote_list

NAMES = (
    "processing_runs",
    "feed_entry_jobs",
    "feed_entry_vectors",
    "feed_entry_topics",
    "cluster_members",
    "news_clusters",
    "flash_point",
    "feed_entries",
)

RUNS = """
SELECT CAST(row_number() OVER (ORDER BY p.created_at, p.id) AS BIGINT) AS id, p.id AS run_id, p.status AS status,
  {tier} AS pipeline_tier, {target_date} AS target_date, p.total_count AS total_entries, p.processed_count AS processed_entries,
  p.failed_count AS failed_entries, p.duplicate_count AS dedupe_skipped, p.story_count AS clusters_created, p.started_at AS started_at,
  p.ended_at AS completed_at, p.error AS error_message, p.metrics AS metrics, p.created_at AS created_at
FROM pipeline_runs p WHERE p.recipe = 'geopolitics'
"""

# The run that was going on, or had been the last one, when a row was written.
RUN_OF = """(SELECT p.id FROM pipeline_runs p WHERE p.recipe = 'geopolitics' AND p.created_at <= {0}
    ORDER BY p.created_at DESC, p.id DESC LIMIT 1)"""

HAS_VECTOR = "EXISTS (SELECT 1 FROM vectors v WHERE v.document_id = d.id)"

# An entry that repeats the address of another has no document of its own: `o` is that of the other. `o` is also the original
# of a document that repeats another by its content.
IS_REPEATED = "l.state = 'duplicate'"
LEAD_KEY = f"(CASE WHEN {IS_REPEATED} THEN l.id ELSE l.document_id END)"
ORIGINAL_KEY = f"(CASE WHEN {IS_REPEATED} THEN l.document_id ELSE d.duplicate_of END)"
ENTRY_TABLES = f"""leads l LEFT JOIN documents d ON d.id = l.document_id AND NOT ({IS_REPEATED})
  LEFT JOIN documents o ON o.id = {ORIGINAL_KEY}"""

JOB_STATUS = f"""CASE
    WHEN {IS_REPEATED} OR d.state = 'duplicate' THEN 'skipped_duplicate'
    WHEN l.state IN ('quarantined', 'dropped') OR (d.state IN ('quarantined', 'dropped', 'aside')
      AND coalesce(d.reason, '') <> '{ARCHIVED}') THEN 'failed'
    WHEN d.id IS NULL AND l.lease_owner IS NULL THEN 'queued'
    WHEN d.id IS NULL OR d.state = 'waiting' THEN 'fetching'
    WHEN s.score IS NOT NULL THEN 'scored'
    WHEN s.summary <> '' THEN 'summarized'
    WHEN s.id IS NOT NULL THEN 'clustered'
    WHEN {HAS_VECTOR} THEN 'embedded'
    ELSE 'deduped'
  END"""

# Why a job failed; why the page of a document could not be read that is made of what its source provided.
JOB_REASON = f"""CASE
    WHEN {IS_REPEATED} OR d.state = 'duplicate' OR d.reason = '{ARCHIVED}' THEN NULL
    WHEN d.id IS NULL OR d.state <> 'kept' OR l.state IN ('quarantined', 'dropped') THEN coalesce(d.reason, l.reason)
    WHEN d.page IN ({quote_list(UNREAD_PAGES)}) THEN coalesce(l.page_reason, d.page)
  END"""

# The names of the contract for reasons of fetches, readers and steps, and for states of pages. A page whose text is too
# poor has no usable text.
FAILURE_NAMES: Mapping[str, Sequence[str]] = {
    "js_required": ("js_required", "script_only"),
    "paywall": ("paywall", "login", "http_402"),
    "consent": ("consent", "consent_wall"),
    "no_text": ("no_text", "low_quality", "too_few_words", "empty", "structure_missing", "broken_encoding", "unreadable",
                "redirect_stub", "malformed", "encrypted", "requires_ocr", "unsupported", "not_an_article"),
    "timeout": ("timeout", "render_timeout"),
    "blocked": ("robots", "reserved", "breaker_open", "forbidden_address", "http_401", "http_403", "http_429",
                "http_451", "undeclared_agent", "forbidden", "disallowed"),
    "http_error": ("soft_404", "error_page", "dns", "refused", "reset", "tls", "truncated", "gone", "missing", "unreachable"),
}  # fmt: skip

FAILURE = "\n".join(
    (
        f"CASE WHEN {JOB_REASON} IS NULL THEN NULL",
        *(
            f"WHEN {JOB_REASON} IN ({quote_list(reasons)}) THEN '{name}'"
            for name, reasons in FAILURE_NAMES.items()
        ),
        f"WHEN {JOB_REASON} LIKE 'http_%' THEN 'http_error' ELSE 'unknown' END",
    )
)

JOBS = """
SELECT coalesce(d.number, {number}) AS id, {entry} AS feed_entry_id, {run} AS run_id, CAST({status} AS TEXT) AS status,
  CASE WHEN d.attempts > l.attempts THEN d.attempts ELSE l.attempts END AS attempts, coalesce(d.detail, {reason})
    AS last_error, CAST({failure} AS TEXT) AS failure_reason, {method} AS extraction_method,
  length({text}) AS extraction_chars, c.sha256 AS content_hash, CAST(NULL AS TEXT) AS simhash,
  {repeated} OR coalesce(d.state = 'duplicate', {false}) AS is_duplicate, {original} AS duplicate_of,
  c.elapsed_ms AS fetch_duration_ms, {extract_ms} AS extract_duration_ms, {embed_ms} AS embed_duration_ms,
  l.first_seen_at AS created_at,
  coalesce(d.updated_at, l.updated_at) AS updated_at, nullif(d.page, '') AS page
FROM {entry_tables}
  LEFT JOIN leads r ON r.document_id = {original_key} AND r.state <> 'duplicate'
  LEFT JOIN captures c ON c.id = d.capture_id
  LEFT JOIN story_members m ON m.document_id = d.id AND m.story_id IN (SELECT id FROM stories WHERE state = 'live')
  LEFT JOIN stories s ON s.id = m.story_id
WHERE l.recipe = 'geopolitics'
"""

VECTORS = """
SELECT {entry} AS feed_entry_id, v.vector AS embedding, v.model AS model_name, d.updated_at AS created_at,
  v.dimensions AS dimensions
FROM vectors v JOIN documents d ON d.id = v.document_id LEFT JOIN leads l ON l.id = d.lead_id WHERE d.recipe = 'geopolitics'
"""

TOPICS = """
SELECT d.number AS id, {entry} AS feed_entry_id, {topic} AS iptc_top_level, {code} AS iptc_path,
  CAST({confidence} AS REAL) AS confidence, d.updated_at AS created_at
FROM documents d LEFT JOIN leads l ON l.id = d.lead_id
WHERE d.recipe = 'geopolitics' AND d.state = 'kept' AND {topic} IS NOT NULL
"""

MEMBERS = """
SELECT CAST(row_number() OVER (ORDER BY s.created_at, s.id, d.id) AS BIGINT) AS id, {flashpoint} AS flashpoint_id,
  {story} AS cluster_uuid, {entry} AS feed_entry_id, {run} AS run_id, CAST(m.similarity AS REAL) AS similarity,
  s.updated_at AS created_at
FROM story_members m JOIN stories s ON s.id = m.story_id JOIN documents d ON d.id = m.document_id
  LEFT JOIN leads l ON l.id = d.lead_id
WHERE s.recipe = 'geopolitics' AND s.state = 'live'
"""

CLUSTERS = """
SELECT CAST(row_number() OVER (ORDER BY s.created_at, s.id) AS BIGINT) AS id, {flashpoint} AS flashpoint_id,
  CAST({rank} AS INTEGER) AS cluster_id, s.summary AS summary, s.size AS article_count, {domains} AS top_domains,
  {languages} AS languages, {urls} AS urls, {images} AS images, s.created_at AS created_at, s.title AS title,
  s.score AS hotspot_score, {components} AS components, {topic} AS topic, {story} AS cluster_uuid, s.id AS story_id,
  s.revision AS revision, s.updated_at AS updated_at,
  row_number() OVER (ORDER BY s.score DESC NULLS LAST, s.id) <= {largest}(1, count(*) OVER () / 10) AS is_top_hotspot
FROM stories s WHERE s.recipe = 'geopolitics' AND s.state = 'live'
"""

FLASHPOINTS = """
SELECT {subject} AS id, s.name AS title, coalesce({description}, '') AS description, {entities} AS entities,
  {domains} AS domains, s.active AS active
FROM subjects s WHERE s.recipe = 'geopolitics' AND s.kind = 'flashpoint'
"""

# What the page or a step brought, else what the source provided. Only documents that were kept, and their copies, have content.
ENTRIES = """
SELECT {entry} AS id, {flashpoint} AS flashpoint_id, coalesce(d.url, l.url) AS url, coalesce(nullif(d.title, ''), l.title) AS title,
  {title_en} AS title_en, coalesce(d.published_at, l.published_at) AS seendate, {domain} AS domain,
  coalesce(nullif(d.language, ''), {lead_language}) AS language, {country} AS sourcecountry,
  coalesce(nullif(d.description, ''), {lead_summary}) AS description, coalesce(nullif(d.image, ''), {lead_image}) AS image,
  d.publisher AS hostname, CASE WHEN coalesce(d.state, o.state) IN ('kept', 'duplicate') THEN {text} END AS content,
  {places} AS geo_entities, coalesce(d.created_at, l.first_seen_at) AS created_at,
  coalesce(d.updated_at, l.updated_at) AS updated_at, nullif(d.page, '') AS page
FROM {entry_tables} JOIN sources f ON f.id = l.source_id
WHERE l.recipe = 'geopolitics'
"""

# Finds the first entry that came with a UUID.
UUID_INDEX = "ix_leads_geopolitics_uuid"

TEMPLATES: Mapping[str, str] = {
    "processing_runs": RUNS,
    "feed_entry_jobs": JOBS,
    "feed_entry_vectors": VECTORS,
    "feed_entry_topics": TOPICS,
    "cluster_members": MEMBERS,
    "news_clusters": CLUSTERS,
    "flash_point": FLASHPOINTS,
    "feed_entries": ENTRIES,
}


def create_statements(dialect: str) -> Sequence[str]:
    first_of_uuid = (
        f"CREATE INDEX {UUID_INDEX} ON leads ({_uuid(dialect, '')}) WHERE {_has_uuid(dialect, '')}"
    )
    return [
        first_of_uuid,
        *(
            f"CREATE VIEW {name} AS {template.format(**_fragments(dialect, name))}"
            for name, template in TEMPLATES.items()
        ),
    ]


def drop_statements(dialect: str) -> Sequence[str]:
    del dialect
    return [
        *(f"DROP VIEW IF EXISTS {name}" for name in reversed(NAMES)),
        f"DROP INDEX IF EXISTS {UUID_INDEX}",
    ]


def _fragments(dialect: str, name: str) -> dict[str, str]:
    """The parts of a template that differ between databases, or between documents (`d`) and stories (`s`)."""
    attributes = (
        "s.attributes" if name in {"cluster_members", "news_clusters", "flash_point"} else "d.attributes"
    )

    def value(*path: str, as_text: bool = True) -> str:
        return json_value(dialect, attributes, *path, as_text=as_text)

    def entry_value(key: str) -> str:
        """Of an entry: the value of its document, else what its source provided."""
        return f"coalesce({value(key)}, {json_value(dialect, 'l.hints', 'attributes', key)})"

    from_lead = name in {"feed_entry_jobs", "feed_entries"}
    flashpoint = f"coalesce({value('flashpoint')}, l.subject_id, f.subject_id)"
    return {
        "tier": json_value(dialect, "p.options", "tier"),
        "target_date": json_value(dialect, "p.options", "target_date"),
        "entry": _entry_of_lead(dialect) if from_lead else _entry_id(dialect, "l", "d.id"),
        "entry_tables": ENTRY_TABLES,
        "repeated": IS_REPEATED,
        "number": _key_as_number(dialect, LEAD_KEY),
        "story": _key_as_uuid(dialect, "s.id"),
        # A duplicate has no text of its own: it is that of the original.
        "text": "coalesce(nullif(d.text, ''), o.text, d.text)",
        "original_key": ORIGINAL_KEY,
        "original": f"CASE WHEN r.id IS NOT NULL THEN {_entry_id(dialect, 'r', 'r.document_id')} END",
        "subject": _cast_uuid(dialect, "s.id"),
        "flashpoint": _cast_uuid(dialect, flashpoint if name == "feed_entries" else value("flashpoint")),
        "run": RUN_OF.format("s.updated_at" if name == "cluster_members" else "l.first_seen_at"),
        "status": JOB_STATUS,
        "reason": JOB_REASON,
        "failure": FAILURE,
        "method": json_value(dialect, "d.trail", "0", "version"),
        "extract_ms": _milliseconds(dialect, "extract", "d.step_ms IS NOT NULL"),
        "embed_ms": _milliseconds(dialect, "embed", HAS_VECTOR),
        "false": "false" if dialect == POSTGRESQL else "0",
        "largest": "greatest" if dialect == POSTGRESQL else "max",
        "topic": value("topic", "name"),
        "code": value("topic", "code"),
        "confidence": value("topic", "confidence"),
        "rank": value("rank"),
        "domains": value("domains" if name == "flash_point" else "top_domains", as_text=False),
        "components": value("components", as_text=False),
        "languages": value("languages", as_text=False),
        "urls": value("urls", as_text=False),
        "images": value("images", as_text=False),
        "entities": value("entities", as_text=False),
        "description": value("description"),
        "title_en": entry_value("title_en"),
        "domain": entry_value("domain"),
        "country": entry_value("sourcecountry"),
        "lead_language": json_value(dialect, "l.hints", "language"),
        "lead_summary": json_value(dialect, "l.hints", "summary"),
        "lead_image": json_value(dialect, "l.hints", "image"),
        "places": value("geo_entities", as_text=False),
    }


def _milliseconds(dialect: str, step: str, ran: str) -> str:
    """Of a step, where the condition `ran` holds. Less than one is not in the column."""
    return f"CASE WHEN {ran} THEN coalesce(CAST({json_value(dialect, 'd.step_ms', step)} AS INTEGER), 0) END"


def _key_as_uuid(dialect: str, column: str) -> str:
    parts = " || '-' || ".join(
        f"substr({column}, {start}, {size})" for start, size in ((1, 8), (9, 4), (13, 4), (17, 4))
    )
    return _cast_uuid(dialect, f"({parts} || '-' || substr({column}, 21, 4) || '00000000')")


def _cast_uuid(dialect: str, expression: str) -> str:
    return f"CAST({expression} AS {'uuid' if dialect == POSTGRESQL else 'TEXT'})"


def _entry_of_lead(dialect: str) -> str:
    """A lead that repeats the address of another has the id of its own key."""
    own = _key_as_uuid(dialect, "l.id")
    return f"CASE WHEN {IS_REPEATED} THEN {own} ELSE {_entry_id(dialect, 'l', 'l.document_id')} END"


def _entry_id(dialect: str, lead: str, key: str) -> str:
    """Of a lead that repeats no address: the UUID that it came with, if it was the first to come with that one."""
    column = f"{lead}."
    is_taken = f"""EXISTS (SELECT 1 FROM leads e
      WHERE {_uuid(dialect, "e.")} = {_uuid(dialect, column)} AND {_has_uuid(dialect, "e.")} AND e.state <> 'duplicate'
        AND (e.first_seen_at < {lead}.first_seen_at OR (e.first_seen_at = {lead}.first_seen_at AND e.id < {lead}.id)))"""  # noqa: S608 - names of columns
    uuid = _cast_uuid(dialect, _uuid(dialect, column))
    return f"""CASE WHEN {_has_uuid(dialect, column)} AND NOT {is_taken} THEN {uuid}
    ELSE {_key_as_uuid(dialect, key)} END"""


def _uuid(dialect: str, lead: str) -> str:
    """What the source of a lead calls it, if that has the form of a UUID. `lead` is the name of the table and a dot, or empty."""
    return f"lower({json_value(dialect, f'{lead}hints', 'guid')})"


def _has_uuid(dialect: str, lead: str) -> str:
    """In a form that the index recognises."""
    uuid, of_recipe = _uuid(dialect, lead), f"{lead}recipe = 'geopolitics'"
    if dialect == POSTGRESQL:
        return f"{of_recipe} AND {uuid} ~ '^[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}$'"
    dashes = " AND ".join(f"substr({uuid}, {place}, 1) = '-'" for place in (9, 14, 19, 24))
    return f"{of_recipe} AND length({uuid}) = 36 AND {dashes} AND NOT {uuid} GLOB '*[^0-9a-f-]*'"


def _key_as_number(dialect: str, key: str) -> str:
    """The same number as that of `key_number`, which a row gets with its document."""
    if dialect == POSTGRESQL:
        return f"CAST(CAST('x' || substr({key}, 1, 16) AS bit(64)) AS BIGINT)"
    digits = (
        f"((instr('0123456789abcdef', substr({key}, {n}, 1)) - 1) << {64 - 4 * n})" for n in range(1, 17)
    )
    return f"({' | '.join(digits)})"


GEOPOLITICS_VIEWS = DatabaseViews(create=create_statements, drop=drop_statements)
