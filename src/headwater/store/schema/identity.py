"""What a database records about itself: its id, whether its installation moved, the views that recipes created, and the
processes that work on it.

These tables describe one database, so neither a move nor a restore copies them.
"""

from sqlalchemy import Column, Integer, MetaData, String, Table, Text

from headwater.store.schema.columns import JsonColumn, UtcDateTime

identity_metadata = MetaData()

# Exactly one row, inserted by the migration that creates the table.
database_identity = Table(
    "database_identity",
    identity_metadata,
    Column("id", String(36), primary_key=True),
    Column("moved_to", Text),
    Column("moved_id", String(36)),
    Column("moved_address", Text),
    Column("moved_at", UtcDateTime),
    Column("arriving_id", String(36)),
    Column("arriving_address", Text),
    # The oldest schema revision whose programs may still work on this database. A migration that takes something away from
    # them raises it; one that only adds leaves it.
    Column("oldest_program", Text, nullable=False),
)

# `drop_statements` remove the views even when the recipe is no longer installed.
recipe_views = Table(
    "recipe_views",
    identity_metadata,
    Column("recipe", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("drop_statements", JsonColumn, nullable=False),
)

# One row for each process that may hold leases. `heartbeat_at` is the time of the database, which all machines share.
workers = Table(
    "workers",
    identity_metadata,
    Column("id", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("version", Text, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("heartbeat_at", UtcDateTime, nullable=False),
)

# Times without a gap in which at least one process gave a heartbeat. Two that begin at the same time may overlap.
uptime_periods = Table(
    "uptime_periods",
    identity_metadata,
    Column("started_at", UtcDateTime, primary_key=True),
    Column("ended_at", UtcDateTime, nullable=False),
)
