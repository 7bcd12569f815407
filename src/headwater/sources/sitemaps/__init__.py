"""Sitemaps in every form, and their index files."""
