"""An existing PostgreSQL with one table per day: a source of entries, and a sink for their content and stories."""
