"""What a language model was asked about stories, and the batches in which it was asked."""

import sqlalchemy as sa
from alembic import op

from headwater.store.schema.columns import JsonColumn, UtcDateTime

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "summary_batches",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("file", sa.Text(), nullable=True),
        sa.Column("remote", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("counts", JsonColumn, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("cancelling", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("creating_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summary_batches")),
    )
    op.create_index("ix_summary_batches_state", "summary_batches", ["state", "created_at"])
    op.create_table(
        "summary_requests",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("story_id", sa.String(64), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("batch_id", sa.String(64), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("sources", JsonColumn, nullable=True),
        sa.Column("answer", JsonColumn, nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("asked_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summary_requests")),
    )
    op.create_index("ix_summary_requests_state", "summary_requests", ["state", "due_at"])
    op.create_index("ix_summary_requests_story", "summary_requests", ["story_id"])
    op.create_index("ix_summary_requests_batch", "summary_requests", ["batch_id"])


def downgrade() -> None:
    op.drop_table("summary_requests")
    op.drop_table("summary_batches")
