"""The SQL of search on both databases: indexes, candidates and rows. `search` decides what is best."""
