"""Observations, queues for other programs, and the tables of the markets contract as views."""

import sqlalchemy as sa
from alembic import op

from headwater.store.schema.columns import JsonColumn, UtcDateTime
from headwater_recipes.markets.views import create_views, drop_views

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "observations",
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("value", JsonColumn, nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("recipe", "kind", "name", "at", name=op.f("pk_observations")),
    )
    op.create_table(
        "queue_items",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("payload", JsonColumn, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("result", JsonColumn, nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queue_items")),
    )
    due = sa.text("due_at IS NOT NULL")
    op.create_index(
        "ix_queue_items_due", "queue_items", ["queue", "due_at"], sqlite_where=due, postgresql_where=due
    )
    op.create_index("ix_queue_items_document", "queue_items", ["document_id"])
    create_views(op.get_bind())


def downgrade() -> None:
    drop_views(op.get_bind())
    op.drop_table("queue_items")
    op.drop_table("observations")
