"""An index for full-text search, filled when somebody searches."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

from headwater.store.schema.columns import UtcDateTime
from headwater.store.schema.search import SEARCH_WORDS

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    postgresql = op.get_bind().dialect.name == "postgresql"
    op.create_table(
        "search_entries",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("document_id", sa.String(64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("words", TSVECTOR() if postgresql else sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_entries")),
        sa.UniqueConstraint("document_id", name=op.f("uq_search_entries_document_id")),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.id"],
            name=op.f("fk_search_entries_document_id"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_search_entries_recipe_updated", "search_entries", ["recipe", "updated_at"])
    if postgresql:
        op.create_index("ix_search_entries_words", "search_entries", ["words"], postgresql_using="gin")
    elif op.get_bind().scalar(sa.text("SELECT sqlite_compileoption_used('ENABLE_FTS5')")):
        op.execute(SEARCH_WORDS)


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE IF EXISTS search_words")
    op.drop_table("search_entries")
