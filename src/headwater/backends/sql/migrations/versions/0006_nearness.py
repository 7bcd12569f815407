"""An index over vectors on PostgreSQL, where pgvector can be had; filled when somebody searches by meaning."""

from alembic import op

from headwater.backends.sql.nearness import create_index, drop_index

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_index(op.get_bind())


def downgrade() -> None:
    drop_index(op.get_bind())
