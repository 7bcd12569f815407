"""REST under /api/v1: one module for each kind of record, each thin over the store's reads and changes."""
