"""Rows on SQLite and PostgreSQL: the truth about all work."""
