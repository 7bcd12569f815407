"""Replays of stored captures, and an index that lists documents by when they came."""

import sqlalchemy as sa
from alembic import op

from headwater.store.schema.columns import JsonColumn, UtcDateTime

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "replays",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("since", UtcDateTime(), nullable=False),
        sa.Column("until", UtcDateTime(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("filled_at", UtcDateTime(), nullable=True),
        sa.Column("cursor_at", UtcDateTime(), nullable=False),
        sa.Column("cursor_id", sa.String(64), nullable=False),
        sa.Column("expected", sa.Integer(), nullable=False),
        sa.Column("listed", sa.Integer(), server_default="0", nullable=False),
        *(sa.Column(name, JsonColumn, nullable=False) for name in ("counts", "fields", "chosen")),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replays")),
    )
    going = sa.text("state IN ('running', 'paused', 'applying')")
    op.create_index(
        "uq_replays_open", "replays", ["recipe"], unique=True, sqlite_where=going, postgresql_where=going
    )
    _create_items()
    op.create_index("ix_documents_recipe_created", "documents", ["recipe", "created_at", "id"])


def _create_items() -> None:
    op.create_table(
        "replay_items",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("replay_id", sa.String(64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("document_id", sa.String(64), nullable=False),
        sa.Column("capture_id", sa.String(64), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), server_default="", nullable=False),
        sa.Column("outcome", sa.Text(), server_default="", nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("differences", JsonColumn, nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replay_items")),
        sa.ForeignKeyConstraint(
            ["replay_id"], ["replays.id"], name=op.f("fk_replay_items_replay_id"), ondelete="CASCADE"
        ),
    )
    unfinished = sa.text("due_at IS NOT NULL")
    op.create_index(
        "ix_replay_items_due",
        "replay_items",
        ["recipe", "due_at"],
        sqlite_where=unfinished,
        postgresql_where=unfinished,
    )
    op.create_index("ix_replay_items_verdict", "replay_items", ["replay_id", "verdict", "outcome", "id"])


def downgrade() -> None:
    op.drop_index("ix_documents_recipe_created", "documents")
    op.drop_table("replay_items")
    op.drop_table("replays")
