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
    epochs,
    facts,
    fingerprints,
    hosts,
    mentions,
    observations,
    sentences,
    subjects,
    topics,
    vectors,
)
from headwater.backends.sql.link_health import link_health
from headwater.backends.sql.pipeline_table import pipeline_runs
from headwater.backends.sql.queue_table import queue_items
from headwater.backends.sql.replay_tables import replay_items, replays
from headwater.backends.sql.summary_tables import summary_batches, summary_requests
from headwater.backends.sql.upkeep_tables import alarms, article_keys, chores

__all__ = [
    "alarms",
    "aliases",
    "article_keys",
    "bands",
    "bars",
    "captures",
    "chores",
    "deliveries",
    "documents",
    "edges",
    "epochs",
    "facts",
    "fingerprints",
    "groups",
    "hosts",
    "leads",
    "link_health",
    "members",
    "mentions",
    "metadata",
    "observations",
    "pipeline_runs",
    "quarantine",
    "queue_items",
    "replay_items",
    "replays",
    "revisions",
    "runs",
    "sentences",
    "sources",
    "stories",
    "subjects",
    "summary_batches",
    "summary_requests",
    "topics",
    "vectors",
]
