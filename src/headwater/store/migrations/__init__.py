"""The Alembic tree, for both databases."""
