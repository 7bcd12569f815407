"""Link health: one row per link of a kept document or an active source."""

import sqlalchemy as sa
from alembic import op

from headwater.backends.sql.columns import Instant

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "link_health",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("record_kind", sa.Text(), nullable=False),
        sa.Column("record_id", sa.String(length=64), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("first_failed_at", Instant(), nullable=True),
        sa.Column("last_ok_at", Instant(), nullable=True),
        sa.Column("last_checked_at", Instant(), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("final_url", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("due_at", Instant(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_link_health")),
    )
    unfinished = sa.text("due_at IS NOT NULL")
    op.create_index(
        "ix_link_health_due",
        "link_health",
        ["recipe", "due_at"],
        sqlite_where=unfinished,
        postgresql_where=unfinished,
    )
    op.create_index("ix_link_health_record", "link_health", ["record_id"])


def downgrade() -> None:
    op.drop_table("link_health")
