"""Web pages: blocks of text, a classifier that chooses among them, metadata, forms."""
