"""All tables of the schema. Import `metadata` from here when every table must be in it."""

from headwater.store.schema import (  # noqa: F401 - their tables
    access,
    columns,
    flow,
    knowledge,
    links,
    operations,
    replays,
    searches,
    summaries,
)

metadata = columns.metadata
