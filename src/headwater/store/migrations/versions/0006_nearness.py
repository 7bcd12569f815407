"""A table for an index over vectors on PostgreSQL, where pgvector can be had; filled by upkeep."""

from alembic import op

from headwater.store.search.vector_index import create_vector_table, drop_vector_table

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_vector_table(op.get_bind())


def downgrade() -> None:
    drop_vector_table(op.get_bind())
