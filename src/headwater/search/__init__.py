"""Queries, snippets and ranking; the same for every database."""
