"""A database into which a move has not ended says from where the installation is coming."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("home", sa.Column("arriving_id", sa.String(36), nullable=True))
    op.add_column("home", sa.Column("arriving_address", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("home", "arriving_address")
    op.drop_column("home", "arriving_id")
