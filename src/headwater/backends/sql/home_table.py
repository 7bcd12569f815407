"""What a database knows about itself: which one it is, by whatever address it is reached, and where the installation
that lived in it went, or whence one is coming that has not left yet. It belongs to the place, so neither a move nor a restore carries it along."""

from sqlalchemy import Column, MetaData, String, Table, Text

from headwater.backends.sql.columns import Instant

places = MetaData()

# Exactly one row, made with the table.
home = Table(
    "home",
    places,
    Column("id", String(36), primary_key=True),
    Column("moved_to", Text),
    Column("moved_id", String(36)),
    Column("moved_address", Text),
    Column("moved_at", Instant),
    Column("arriving_id", String(36)),
    Column("arriving_address", Text),
)
# What it says when an installation lives here, or none ever did.
HERE = {column.name: None for column in home.c if not column.primary_key}
