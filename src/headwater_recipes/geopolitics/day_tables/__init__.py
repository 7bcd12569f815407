"""An existing PostgreSQL with one table per day: read, filled in, and answered in place."""
