"""One schema for SQLite and PostgreSQL, for every recipe. Rows are the truth; everything else is a hint."""

from headwater.backends.sql.columns import metadata
from headwater.backends.sql.flow_tables import (
    captures,
    deliveries,
    documents,
    groups,
    leads,
    members,
    quarantine,
    revisions,
    runs,
    sources,
    stories,
)
from headwater.backends.sql.knowledge_tables import (
    aliases,
    bands,
    bars,
    edges,
    facts,
    fingerprints,
    hosts,
    mentions,
    subjects,
    topics,
    vectors,
)
from headwater.backends.sql.link_health import link_health

__all__ = [
    "aliases",
    "bands",
    "bars",
    "captures",
    "deliveries",
    "documents",
    "edges",
    "facts",
    "fingerprints",
    "groups",
    "hosts",
    "leads",
    "link_health",
    "members",
    "mentions",
    "metadata",
    "quarantine",
    "revisions",
    "runs",
    "sources",
    "stories",
    "subjects",
    "topics",
    "vectors",
]
