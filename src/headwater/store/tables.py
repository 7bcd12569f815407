"""One schema for SQLite and PostgreSQL, for every recipe. Rows are the truth; everything else is a hint."""

from headwater.store.schema.columns import metadata
from headwater.store.schema.flow import (
    captures,
    deliveries,
    documents,
    groups,
    leads,
    polls,
    quarantine,
    revisions,
    sources,
    stories,
    story_members,
)
from headwater.store.schema.knowledge import (
    aliases,
    bars,
    dedupe_bands,
    dedupe_epochs,
    edges,
    facts,
    fingerprints,
    mentions,
    observations,
    sentence_counts,
    subjects,
    vectors,
)
from headwater.store.schema.links import link_health
from headwater.store.schema.operations import (
    alarms,
    article_keys,
    maintenance_tasks,
    pipeline_runs,
    queue_items,
)
from headwater.store.schema.replays import replay_items, replays
from headwater.store.schema.summaries import summary_batches, summary_requests

__all__ = [
    "alarms",
    "aliases",
    "article_keys",
    "bars",
    "captures",
    "dedupe_bands",
    "dedupe_epochs",
    "deliveries",
    "documents",
    "edges",
    "facts",
    "fingerprints",
    "groups",
    "leads",
    "link_health",
    "maintenance_tasks",
    "mentions",
    "metadata",
    "observations",
    "pipeline_runs",
    "polls",
    "quarantine",
    "queue_items",
    "replay_items",
    "replays",
    "revisions",
    "sentence_counts",
    "sources",
    "stories",
    "story_members",
    "subjects",
    "summary_batches",
    "summary_requests",
    "vectors",
]
