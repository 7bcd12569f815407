"""A table for an index over vectors on PostgreSQL, where pgvector can be had; filled by upkeep."""

from alembic import op

from headwater.backends.sql.nearness_index import create_table, drop_table

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_table(op.get_bind())


def downgrade() -> None:
    drop_table(op.get_bind())
