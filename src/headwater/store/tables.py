"""All tables of the schema. Import `metadata` from here when every table must be in it."""

from headwater.store.schema import columns, flow, knowledge, links, operations, replays, searches, summaries  # noqa: F401 - their tables

metadata = columns.metadata
