"""Runs of a whole pipeline, and the tables of the news-intelligence contract as views."""

import sqlalchemy as sa
from alembic import op

from headwater.store.schema.columns import JsonColumn, UtcDateTime
from headwater_recipes.geopolitics.views import create_views, drop_views

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

COUNTS = ("total", "processed", "failed", "duplicates", "stories")


def upgrade() -> None:
    op.create_table(
        "pipeline_runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("target_date", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Integer(), server_default="0", nullable=False) for name in COUNTS),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("metrics", JsonColumn, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pipeline_runs")),
    )
    op.create_index("ix_pipeline_runs_started", "pipeline_runs", ["recipe", "created_at"])
    going = sa.text("status IN ('pending', 'running')")
    op.create_index(
        "uq_pipeline_runs_going",
        "pipeline_runs",
        ["recipe"],
        unique=True,
        sqlite_where=going,
        postgresql_where=going,
    )
    create_views(op.get_bind())


def downgrade() -> None:
    drop_views(op.get_bind())
    op.drop_table("pipeline_runs")
