"""What search decides, the same for every database: terms of a query, ranking and snippets. The SQL is in `store/search`."""
