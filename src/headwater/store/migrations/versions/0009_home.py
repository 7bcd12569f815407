"""A row by which a database is known, whatever its address, and which tells whether the installation moved away."""

from uuid import uuid4

import sqlalchemy as sa
from alembic import op

from headwater.store.schema.columns import UtcDateTime

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    made = op.create_table(
        "home",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("moved_to", sa.Text(), nullable=True),
        sa.Column("moved_id", sa.String(36), nullable=True),
        sa.Column("moved_address", sa.Text(), nullable=True),
        sa.Column("moved_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_home")),
    )
    op.bulk_insert(made, [{"id": str(uuid4())}])


def downgrade() -> None:
    op.drop_table("home")
