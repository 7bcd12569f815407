"""Who is at work is asked of those rows alone that somebody holds."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

LEASED = ("sources", "leads", "documents", "groups", "deliveries", "replay_items", "link_health")


def upgrade() -> None:
    held = sa.text("lease_owner IS NOT NULL")
    for table in LEASED:
        op.create_index(
            f"ix_{table}_lease_owner", table, ["lease_owner"], sqlite_where=held, postgresql_where=held
        )


def downgrade() -> None:
    for table in LEASED:
        op.drop_index(f"ix_{table}_lease_owner", table)
