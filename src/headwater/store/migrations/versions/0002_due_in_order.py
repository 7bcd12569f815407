"""Indexes: due rows in the order in which they are claimed; only documents that have a group.

It takes nothing from older programs, which use these indexes as they used the former ones.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = ("sources", "leads", "documents", "groups", "deliveries", "replay_items", "link_health")
GROUP_COLUMNS = ["group_id", "published_at", "created_at"]


def upgrade() -> None:
    for table in TABLES:
        op.drop_index(f"ix_{table}_due", table)
        _create_partial_index(f"ix_{table}_due", table, ["recipe", "due_at", "id"], "due_at")
    op.drop_index("ix_documents_group", "documents")
    _create_partial_index("ix_documents_group", "documents", GROUP_COLUMNS, "group_id")


def downgrade() -> None:
    for table in TABLES:
        op.drop_index(f"ix_{table}_due", table)
        _create_partial_index(f"ix_{table}_due", table, ["recipe", "due_at"], "due_at")
    op.drop_index("ix_documents_group", "documents")
    op.create_index("ix_documents_group", "documents", GROUP_COLUMNS)


def _create_partial_index(name: str, table: str, columns: list[str], present: str) -> None:
    condition = sa.text(f"{present} IS NOT NULL")
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)
